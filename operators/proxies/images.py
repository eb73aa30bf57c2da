"""Image files as pictures that models take."""

from pathlib import Path

import numpy as np

from ...kalos_core import KalosError


def read_image(path, sample_id):
    """Return the picture in a file as RGB, turned as the App shows it.

    Raises
    ------
    KalosError
        If there is no such file or no picture in it; sample and file are named.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as opened:
            return _as_rgb(ImageOps.exif_transpose(opened), Image)
    except Exception as error:  # whatever the reader of images raises
        why = "it does not exist" if not Path(path).exists() else error
        raise KalosError(
            f"The image of sample '{sample_id}' cannot be read from '{path}': {why}"
        ) from error


def _as_rgb(image, library):
    """Return an image as RGB; more than eight bits are stretched to all of them."""
    if not image.mode.startswith(("I", "F")):
        return image.convert("RGB")
    values = np.nan_to_num(np.asarray(image, dtype=np.float64))
    values -= values.min()
    values *= 255 / max(values.max(), 1e-9)
    return library.fromarray(values.astype(np.uint8)).convert("RGB")
