"""Instance masks of detections: each is stretched over the pixels of its box."""

import fiftyone as fo
import numpy as np

from ...kalos_core import Masks
from .boxes import boxes
from .grids import grids


def masks(labels):
    """Return the `Masks` of labels, those of one image on one grid."""
    xywh = boxes(labels).xywh
    _require_boxes(labels, xywh)
    stored = [_stored(labels, n) for n in range(len(labels))]
    grid = grids(labels, [mask.shape for mask in stored], xywh)
    # Rows before columns, as in the masks.
    low, size = xywh[:, 1::-1], xywh[:, :1:-1]
    start = np.floor(low * grid + 0.5).astype(np.int64)
    stop = np.floor((low + size) * grid + 0.5).astype(np.int64)
    stop = np.maximum(stop, start + 1)  # a box has one pixel at least
    corner = np.clip(start, 0, grid - 1)
    end = np.clip(stop, corner + 1, grid)
    crops = [
        _crop(mask, *places)
        for mask, *places in zip(stored, start, stop, corner, end, strict=True)
    ]
    for n, crop in enumerate(crops):
        if not crop.any():
            raise labels.fault(
                n, f"must have a mask inside its image, got the box {xywh[n].tolist()}"
            )
    return Masks(corner, crops, grid)


def _require_boxes(labels, xywh):
    """Raise for the first box that has no place for a mask."""
    good = np.isfinite(xywh).all(axis=1) & (xywh[:, 2:] > 0).all(axis=1)
    if not good.all():
        n = int(good.argmin())
        raise labels.fault(
            n, f"must have a box of positive width and height, got {xywh[n].tolist()}"
        )


def _stored(labels, n):
    """Return the mask of label ``n`` as it is stored, in the data set or on disk."""
    mask, path = labels.attributes["mask"][n], labels.attributes["mask_path"][n]
    if mask is None:
        mask = _from_disk(labels, n, path)
    mask = np.asarray(mask)
    if mask.ndim != 2:
        raise labels.fault(n, f"must have a mask of two axes, got shape {mask.shape}")
    if not mask.any():
        raise labels.fault(
            n, "must have a mask with at least one pixel set, got none. Delete it"
        )
    return mask != 0


def _from_disk(labels, n, path):
    if path is None:
        raise labels.fault(
            n, "must have a mask, got none. Add it, or compare boxes: shapes='boxes'"
        )
    try:
        return fo.Detection(mask_path=path).get_mask()
    except Exception as error:  # whatever the reader of images raises
        raise labels.fault(
            n, f"must have its mask in file '{path}', which cannot be read: {error}"
        ) from None


def _crop(mask, start, stop, corner, end):
    """Return the pixels ``corner`` to ``end`` of a mask stretched to its box.

    A pixel takes the value of the cell that its centre lies in. Where this leaves
    nothing of a mask with more cells than pixels, pixels with any cell are set.
    """
    size = stop - start
    whole = (corner == start).all() and (end == stop).all()
    if whole and (size == mask.shape).all():
        return mask
    axes = zip(start, corner, end, size, mask.shape, strict=True)
    row, column = (_cells(*axis) for axis in axes)
    # Twice along one axis is faster than once along both.
    crop = mask.take(row, axis=0, mode="clip").take(column, axis=1, mode="clip")
    if not whole:  # a box that lies outside altogether has no pixel
        crop &= ((row >= 0) & (row < len(mask)))[:, None]
        crop &= (column >= 0) & (column < mask.shape[1])
    return crop if crop.any() else _any(mask, size, start, corner, crop.shape)


def _cells(start, corner, end, n_pixels, n_cells):
    """Return the cells of one axis that the centres of pixels lie in."""
    pixel = np.arange(corner - start, end - start)
    return np.floor((pixel + 0.5) * (n_cells / n_pixels)).astype(np.int64)


def _any(mask, size, start, corner, shape):
    """Return (shape) pixels, set where any cell of the mask lies in them."""
    cells = np.argwhere(mask)
    pixel = np.floor((cells + 0.5) * size / mask.shape).astype(np.int64)
    pixel += start - corner
    there = ((pixel >= 0) & (pixel < shape)).all(axis=1)
    crop = np.zeros(shape, dtype=bool)
    crop[tuple(pixel[there].T)] = True
    return crop
