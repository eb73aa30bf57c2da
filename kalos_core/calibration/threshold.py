"""The threshold tau*: where the densities of D_o and D_e cross (paper, Step 1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import FloatArray
from .density import GRID

CROSSING = "crossing"
VALLEY = "valley"
UNDETERMINED = "undetermined"

Exact = Callable[[float], float]
"""A distance to the exact difference of the densities there."""


def threshold(
    f_o: FloatArray,
    f_e: FloatArray,
    uncertain: float = 0.0,
    exact: Exact | None = None,
) -> tuple[float | None, str]:
    """Return tau* and how it was found: crossing, valley, or undetermined and None.

    It is the first crossing of the densities (on ``GRID``) after the mode of D_o; with
    none there, the valley between the two modes; with no valley either there is no
    threshold in the data, and the caller must choose. (The reference then says 0.5, or
    takes a mode for a valley.)

    Parameters
    ----------
    f_o, f_e : densities of D_o and D_e, nan where a sample has no spread.
    uncertain : relative error of the densities; where their difference is smaller, its
        sign is taken from ``exact``.
    """
    if np.isnan(f_o).any() or np.isnan(f_e).any():
        return None, UNDETERMINED
    mode_o, mode_e = int(f_o.argmax()), int(f_e.argmax())
    place = _first_crossing(f_o, f_e, mode_o, uncertain, exact)
    if place is not None:
        return float(GRID[place]), CROSSING
    low, high = min(mode_o, mode_e), max(mode_o, mode_e)
    both = (f_o + f_e)[low : high + 1]
    valley = int(both.argmin())
    if both[valley] < min(both[0], both[-1]):
        return float(GRID[low + valley]), VALLEY
    return None, UNDETERMINED


def _first_crossing(
    f_o: FloatArray, f_e: FloatArray, mode: int, uncertain: float, exact: Exact | None
) -> int | None:
    """Return the last place after ``mode`` before the difference changes its sign."""
    difference, size = f_o - f_e, f_o + f_e
    sign = np.sign(difference)
    if exact is not None:
        sign[np.abs(difference) <= uncertain * size + ROUNDING * size.max()] = 0
    if mode + 1 >= len(GRID):
        return None
    if sign[mode + 1] == 0 and exact is not None:
        sign[mode + 1] = np.sign(exact(GRID[mode + 1]))
    known = np.flatnonzero(sign[mode + 1 :]) + mode + 1
    other = known[sign[known] != sign[mode + 1]]
    if not len(other) or sign[mode + 1] == 0:
        return None
    before, after = int(known[known < other[0]][-1]), int(other[0])
    while after - before > 1 and exact is not None:
        middle = (before + after) // 2
        if np.sign(exact(GRID[middle])) == sign[before]:
            before = middle
        else:
            after = middle
    return before


ROUNDING = 1e-13
"""Rounding of a density relative to the highest one."""
