"""What every kind of shape offers to the rest of the core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, as_array
from ..errors import AnnotationError

Self = TypeVar("Self", bound="Shapes")


@runtime_checkable
class Shapes(Protocol):
    """N shapes of one kind, in coordinates relative to their images."""

    def __len__(self) -> int: ...

    def take(self: Self, index: IntArray) -> Self:
        """Return the shapes at ``index``, in that order."""
        ...

    def bounds(self) -> FloatArray:
        """Return (N, 4) left, top, right and bottom of each shape."""
        ...

    def area(self) -> FloatArray:
        """Return (N,) the part of its image that each shape covers."""
        ...

    def content(self) -> list[AnyArray]:
        """Return (N,) columns that tell two shapes apart, for breaking ties."""
        ...

    def faults(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield (N,) masks of unusable shapes with what is expected of them."""
        ...

    def describe(self, k: int) -> str:
        """Return shape ``k`` as text for an error message."""
        ...


def point_lists(outlines: Sequence[npt.ArrayLike]) -> list[FloatArray]:
    """Return outlines as arrays (points, 2)."""
    lists = [as_array(outline, np.float64, "outlines") for outline in outlines]
    for points in lists:
        if points.size and (points.ndim != 2 or points.shape[1] != 2):
            raise AnnotationError(
                f"outlines must have shape (points, 2), got {points.shape}"
            )
    return [points.reshape(-1, 2) for points in lists]


def owners(annotation: npt.ArrayLike, n_outlines: int, n: int) -> IntArray:
    """Return (n_outlines,) the one of ``n`` annotations that each outline is of."""
    owner: IntArray = as_array(annotation, np.int64, "annotation")
    if owner.shape != (n_outlines,):
        raise AnnotationError(
            f"annotation must have a number for each of {n_outlines} outlines, got "
            f"shape {owner.shape}"
        )
    wrong = owner[(owner < 0) | (owner >= n)]
    if wrong.size:
        raise AnnotationError(
            f"annotation must be numbers of {n} annotations, from 0, got {wrong[0]}"
        )
    return owner


def numbers(values: FloatArray, most: int = 8) -> str:
    """Return numbers as short text: the first ``most`` of them.

    Examples
    --------
    >>> import numpy as np
    >>> numbers(np.array([0.1, np.nan, 1 / 3]))
    '[0.1, nan, 0.333333]'
    """
    shown = ", ".join(f"{value:.6g}" for value in values.ravel()[:most])
    return f"[{shown}{', ...' if values.size > most else ''}]"
