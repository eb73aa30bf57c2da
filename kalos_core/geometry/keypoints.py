"""Keypoints: joints with a visibility."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, as_array, read_only
from ..errors import AnnotationError
from .shapes import numbers

VISIBILITIES = (0, 1, 2)
"""Of a joint, as in COCO: not labelled, labelled but hidden, labelled and visible."""


@dataclass(frozen=True, eq=False)
class Keypoints:
    """Joints of N annotations in coordinates relative to the image.

    Parameters
    ----------
    xy : (N, J, 2) coordinates; those of invisible joints do not matter.
    visible : (N, J) True where the joint was drawn; COCO's 0, 1 and 2 will do.
    """

    xy: FloatArray
    visible: BoolArray

    def __post_init__(self) -> None:
        xy = as_array(self.xy, np.float64, "keypoints").copy()
        given = as_array(self.visible, np.float64, "visibilities")
        others = given[~np.isin(given, VISIBILITIES)]
        if others.size:
            raise AnnotationError(f"visibilities must be 0, 1 or 2, got {others[0]:g}")
        visible: BoolArray = given > 0
        if xy.ndim != 3 or xy.shape[2] != 2 or visible.shape != xy.shape[:2]:
            raise AnnotationError(
                "keypoints must have shape (N, J, 2) with visibilities (N, J), "
                f"got {xy.shape} and {visible.shape}"
            )
        xy[~visible] = 0
        object.__setattr__(self, "xy", read_only(xy, np.float64))
        object.__setattr__(self, "visible", read_only(visible, np.bool_))

    def __len__(self) -> int:
        return len(self.xy)

    def take(self, index: IntArray) -> Keypoints:
        """Return the annotations at ``index``, in that order."""
        taken = object.__new__(Keypoints)  # checked already, and copies
        for name in ("xy", "visible", "_bounds"):
            if name in self.__dict__:  # bounds that are known need no second look
                array = self.__dict__[name]
                taken.__dict__[name] = read_only(array[index], array.dtype)
        return taken

    @cached_property
    def joints(self) -> tuple[BoolArray, FloatArray]:
        """(J, N) visibilities and (J, 2, N) coordinates, contiguous joint by joint.

        Numpy reduces short axes slowly, and looks up rows five times slower.
        """
        return self.visible.T.copy(), self.xy.transpose(1, 2, 0).copy()

    @cached_property
    def _bounds(self) -> FloatArray:
        low, high = np.full((2, len(self)), np.inf), np.full((2, len(self)), -np.inf)
        for seen, xy in zip(*self.joints, strict=True):
            np.minimum(low, xy, out=low, where=seen)
            np.maximum(high, xy, out=high, where=seen)
        return read_only(np.concatenate([low, high]).T, np.float64)

    def bounds(self) -> FloatArray:
        """Return (N, 4) left, top, right and bottom of the visible joints."""
        return self._bounds

    def area(self) -> FloatArray:
        """Return (N,) the area of the box around the visible joints."""
        low, high = np.split(self.bounds(), 2, axis=1)
        area: FloatArray = (high - low).clip(0).prod(axis=1)
        return area

    def content(self) -> list[AnyArray]:
        """Return the coordinates and visibilities of each joint."""
        return [*self.xy[:, :, 0].T, *self.xy[:, :, 1].T, *self.visible.T]

    def faults(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield what is wrong with which annotations."""
        wrong = ~np.isfinite(self.xy)
        yield wrong.sum(axis=(1, 2)) > 0, "visible joints with finite coordinates"

    def describe(self, k: int) -> str:
        """Return the visible joints of annotation ``k`` as text."""
        return numbers(self.xy[k][self.visible[k]])
