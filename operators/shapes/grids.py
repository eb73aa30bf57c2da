"""The pixel grid of each image, which all masks of the image are compared on."""

import numpy as np

MOST_PIXELS = 16384
"""Along one axis of a grid that nothing but masks tells."""


def grids(labels, mask_sizes, xywh):
    """Return (N, 2) height and width of the image of each label.

    They are those of the sample's metadata where it has both, else as many pixels as
    the image would have at the resolution of its masks.
    """
    measured = np.array(
        [[_pixels(n) for n in labels.of_samples[name]] for name in METADATA]
    ).T.reshape(-1, 2)
    cells = np.array(mask_sizes, dtype=np.int64).reshape(-1, 2)
    guessed = _guess(labels.sample, len(measured), cells, xywh[:, :1:-1])
    known = (measured > 0).all(axis=1, keepdims=True)
    return np.where(known, measured, guessed)[labels.sample]


METADATA = ("metadata.height", "metadata.width")


def _pixels(cell):
    return int(cell) if isinstance(cell, (int, float)) and cell > 0 else 0


def _guess(sample, n_samples, cells, size):
    """Return (I, 2) what the mask with the most cells along an axis tells of it.

    That one is rounded least; among equals the finest counts, so that none of them
    loses a cell.
    """
    pixels = np.floor(cells / size + 0.5).clip(1, MOST_PIXELS).astype(np.int64)
    guessed = np.ones((n_samples, 2), dtype=np.int64)
    for axis in range(2):
        order = np.lexsort((pixels[:, axis], cells[:, axis]))
        guessed[sample[order], axis] = pixels[order, axis]
    return guessed
