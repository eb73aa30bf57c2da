"""Lone dissenters: one rater against all others, who agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..alpha import value_counts
from ..arrays import IntArray, freeze, sum_by
from ..ranges import cells

NOBODY = -1
"""In place of a rater: no one stands alone."""


@dataclass(frozen=True, eq=False, slots=True)
class LoneDissent:
    """Units in which one rater said another value than all others, at least two.

    Parameters
    ----------
    unit : (D,) the unit, ascending.
    rater : (D,) who stands alone.
    value : (D,) what they said.
    majority : (D,) what all others said.
    n_values : (D,) how many said something.
    """

    unit: IntArray
    rater: IntArray
    value: IntArray
    majority: IntArray
    n_values: IntArray

    def __post_init__(self) -> None:
        for name in ("unit", "rater", "value", "majority", "n_values"):
            freeze(self, name, np.int64, len(self.unit))


def lone_dissent(values: npt.NDArray[np.int32]) -> LoneDissent:
    """Return the lone dissenters of a matrix (R, U) of codes.

    Examples
    --------
    Alone in the first unit; two against two; only one other; nobody:

    >>> values = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, -2, 1], [1, 1, -2, 1]])
    >>> found = lone_dissent(values)
    >>> found.unit.tolist(), found.rater.tolist(), found.majority.tolist()
    ([0], [3], [0])
    """
    n_units = values.shape[1]
    unit, value, count = value_counts(values)
    m_u = sum_by(unit, count, n_units)
    two_values = np.bincount(unit, minlength=n_units) == 2
    both = sum_by(unit, value.astype(np.float64), n_units)
    alone = two_values[unit] & (m_u[unit] >= 3) & (count == 1)
    unit, value = unit[alone], value[alone]
    who, place = cells(values[:, unit] == value)
    rater = np.empty_like(unit)
    rater[place] = who
    return LoneDissent(unit, rater, value, both[unit] - value, m_u[unit])
