"""Krippendorff's nominal alpha of many matrices at once (paper, Step 3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .arrays import BoolArray, FloatArray, IntArray
from .model import UNASSIGNED


def nominal_alpha(
    values: npt.NDArray[np.int32], group: IntArray, n_groups: int
) -> tuple[FloatArray, BoolArray]:
    """Return alpha of each group of units, and whether only one value occurs.

    Uses the coincidence form, ((n - 1) sum_c o_cc - sum_c n_c (n_c - 1)) /
    (n (n - 1) - sum_c n_c (n_c - 1)), on units with at least two values.

    Parameters
    ----------
    values : (R, U) codes; ``UNASSIGNED`` is missing data.
    group : (U,) the group of each unit, for example its image.
    n_groups : number of groups, G.

    Returns
    -------
    alpha : (G,) nan where no unit has two values to pair, 1 where only one value
        occurs, since disagreement had no chance to show.
    uniform : (G,) True for the latter.

    Examples
    --------
    Two units in one group (agreed on 0; 0 against 1), one unit in another:

    >>> values = np.array([[0, 0, 3], [0, 1, 3]], dtype=np.int32)
    >>> nominal_alpha(values, np.array([0, 0, 1]), 2)
    (array([0., 1.]), array([False,  True]))
    """
    unit, value, count = _value_counts(values)
    m_u = np.bincount(unit, count, minlength=values.shape[1])
    pairable = m_u[unit] >= 2
    unit, value, count = unit[pairable], value[pairable], count[pairable]
    n = np.bincount(group[unit], count, minlength=n_groups)
    agreed = count * (count - 1) / (m_u[unit] - 1)
    o_cc = np.bincount(group[unit], agreed, minlength=n_groups)
    chance = _chance(group[unit], value, count, n_groups)
    possible = n * (n - 1)
    uniform = (n > 0) & (chance == possible)
    with np.errstate(invalid="ignore"):
        alpha = ((n - 1) * o_cc - chance) / (possible - chance)
    return np.where(uniform, 1.0, alpha), uniform


def _value_counts(
    values: npt.NDArray[np.int32],
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return unit, value and count of each value that occurs in a unit."""
    rater, unit = np.nonzero(values != UNASSIGNED)
    value = values[rater, unit] - UNASSIGNED
    span = int(value.max(initial=0)) + 1
    key, count = np.unique(unit * span + value, return_counts=True)
    return key // span, key % span, count.astype(np.float64)


def _chance(
    group: IntArray, value: IntArray, count: FloatArray, n_groups: int
) -> FloatArray:
    """Return (G,) sums of n_c (n_c - 1) over the values c of each group."""
    span = int(value.max(initial=0)) + 1
    key, column = np.unique(group * span + value, return_inverse=True)
    n_c = np.bincount(column, count, minlength=len(key))
    chance = np.bincount(key // span, n_c * (n_c - 1), minlength=n_groups)
    return chance.astype(np.float64)
