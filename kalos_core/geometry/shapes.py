"""What every kind of shape offers to the rest of the core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray

Self = TypeVar("Self", bound="Shapes")


class Shapes(Protocol):
    """N shapes of one kind, in coordinates relative to their images."""

    def __len__(self) -> int: ...

    def take(self: Self, index: IntArray) -> Self:
        """Return the shapes at ``index``, in that order."""
        ...

    def bounds(self) -> FloatArray:
        """Return (N, 4) left, top, right and bottom of each shape."""
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
