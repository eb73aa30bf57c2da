"""Where annotations lie: flat arrays of shapes, one class per kind of shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import AnnotationError

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class Boxes:
    """Axis-aligned boxes in coordinates relative to the image.

    Parameters
    ----------
    xywh : (N, 4) left, top, width and height of each box.
    """

    xywh: FloatArray

    def __post_init__(self) -> None:
        xywh = np.array(self.xywh, dtype=np.float64)
        if xywh.size == 0:
            xywh = xywh.reshape(0, 4)
        if xywh.ndim != 2 or xywh.shape[1] != 4:
            raise AnnotationError(
                f"boxes must have shape (N, 4) for x, y, w, h, got {xywh.shape}"
            )
        xywh.flags.writeable = False
        object.__setattr__(self, "xywh", xywh)

    def __len__(self) -> int:
        return len(self.xywh)

    def take(self, index: npt.NDArray[np.int64]) -> Boxes:
        """Return the boxes at ``index``, in that order."""
        return Boxes(self.xywh[index])

    def content(self) -> FloatArray:
        """Return (N, 4) numbers that tell two shapes apart, for breaking ties."""
        return self.xywh

    def faults(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield (N,) masks of unusable shapes with what is expected of them."""
        yield np.isfinite(self.xywh).sum(axis=1) < 4, "a box of four finite numbers"
        _, _, w, h = self.xywh.T
        yield (w <= 0) | (h <= 0), "a box of positive width and height"

    def describe(self, k: int) -> str:
        """Return shape ``k`` as text for an error message."""
        return "[" + ", ".join(f"{v:.6g}" for v in self.xywh[k]) + "]"
