"""Shapes of one's own: whatever a row of numbers describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, read_only
from ..errors import AnnotationError
from .shapes import numbers


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """Rows of numbers that only a distance of one's own makes sense of.

    Parameters
    ----------
    values : (N, D) start and end of an event, say, or the ellipse of a cell.
    """

    values: FloatArray

    def __post_init__(self) -> None:
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise AnnotationError(
                f"features must be rows of numbers: {error}"
            ) from error
        if values.ndim != 2:
            raise AnnotationError(
                f"features must have shape (N, D), got {values.shape}"
            )
        object.__setattr__(self, "values", read_only(values, np.float64))

    def __len__(self) -> int:
        return len(self.values)

    def take(self, index: IntArray) -> Features:
        """Return the rows at ``index``, in that order."""
        return Features(self.values[index])

    def bounds(self) -> FloatArray:
        """Return (N, 4) boxes without end: a row of numbers may lie anywhere."""
        return np.tile([-np.inf, -np.inf, np.inf, np.inf], (len(self), 1))

    def area(self) -> FloatArray:
        """Return (N,) nan: a row of numbers has no size in its image."""
        return np.full(len(self), np.nan)

    def content(self) -> list[AnyArray]:
        """Return the columns."""
        return list(self.values.T)

    def faults(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield which rows are not finite."""
        yield (~np.isfinite(self.values)).sum(axis=1) > 0, "features of finite numbers"

    def describe(self, k: int) -> str:
        """Return row ``k`` as text."""
        return numbers(self.values[k])
