"""Axis-aligned boxes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, as_array, read_only
from ..errors import AnnotationError
from .shapes import numbers


@dataclass(frozen=True, eq=False)
class Boxes:
    """Axis-aligned boxes in coordinates relative to the image.

    Parameters
    ----------
    xywh : (N, 4) left, top, width and height of each box.
    """

    xywh: FloatArray

    def __post_init__(self) -> None:
        xywh = as_array(self.xywh, np.float64, "boxes").copy()
        if xywh.shape == (0,):
            xywh = xywh.reshape(0, 4)
        if xywh.ndim != 2 or xywh.shape[1] != 4:
            raise AnnotationError(
                f"boxes must have shape (N, 4) for x, y, w, h, got {xywh.shape}"
            )
        object.__setattr__(self, "xywh", read_only(xywh, np.float64))

    def __len__(self) -> int:
        return len(self.xywh)

    def take(self, index: IntArray) -> Boxes:
        """Return the boxes at ``index``, in that order."""
        taken = object.__new__(Boxes)  # checked already, and a copy
        object.__setattr__(taken, "xywh", read_only(self.xywh[index], np.float64))
        return taken

    @cached_property
    def corners(self) -> FloatArray:
        """(4, N) left, top, right and bottom, each contiguous for quick look-ups."""
        x, y, w, h = self.xywh.T
        return read_only(np.stack([x, y, x + w, y + h]), np.float64)

    def bounds(self) -> FloatArray:
        """Return (N, 4) left, top, right and bottom of each box."""
        return self.corners.T

    @cached_property
    def _area(self) -> FloatArray:
        left, top, right, bottom = self.corners
        return read_only((right - left) * (bottom - top), np.float64)

    def area(self) -> FloatArray:
        """Return (N,) areas, from corners as the reference does to round alike."""
        return self._area

    def extent(self) -> FloatArray:
        """Return (N,) areas, to compare ``overlap`` with."""
        return self.area()

    def overlap(self, k: IntArray, l: IntArray) -> FloatArray:
        """Return (P,) the area that boxes ``k`` and ``l`` share."""
        left, top, right, bottom = self.corners
        overlap: FloatArray = np.minimum(right[k], right[l])
        overlap -= np.maximum(left[k], left[l])
        np.maximum(overlap, 0, out=overlap)
        height = np.minimum(bottom[k], bottom[l]) - np.maximum(top[k], top[l])
        overlap *= np.maximum(height, 0, out=height)
        return overlap

    def content(self) -> list[AnyArray]:
        """Return the four columns."""
        return list(self.xywh.T)

    def faults(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield what is wrong with which boxes."""
        yield np.isfinite(self.xywh).sum(axis=1) < 4, "a box of four finite numbers"
        _, _, w, h = self.xywh.T
        yield (w <= 0) | (h <= 0), "a box of positive width and height"
        yield (
            self.area() <= 0,
            "a box that is not too small for numbers to tell its corners",
        )

    def describe(self, k: int) -> str:
        """Return box ``k`` as text."""
        return numbers(self.xywh[k])
