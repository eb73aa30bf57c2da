"""The threshold tau*: where the densities of D_o and D_e cross (paper, Step 1)."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from .density import GRID, Density

CROSSING = "crossing"
VALLEY = "valley"
UNDETERMINED = "undetermined"


def threshold(o: Density, e: Density) -> tuple[float | None, str]:
    """Return tau* and how it was found: crossing, valley, or undetermined and None.

    It is the first crossing of the densities of D_o and D_e after the mode of D_o; with
    none there, the valley between the two modes; with no valley either there is no
    threshold in the data, and the caller must choose. (The reference then says 0.5, or
    takes a mode for a valley.)
    """
    if np.isnan(o.values).any() or np.isnan(e.values).any():
        return None, UNDETERMINED
    place = _first_crossing(o, e)
    if place is not None:
        return float(GRID[place]), CROSSING
    place = _valley(o, e)
    if place is not None:
        return float(GRID[place]), VALLEY
    return None, UNDETERMINED


def _valley(o: Density, e: Density) -> int | None:
    """Return the lowest place between the modes, if it is lower than both of them."""
    low, high = sorted((_mode(o), _mode(e)))
    between, ends = np.arange(low, high + 1), np.array([low, high])
    both, slack = (o.values + e.values)[between], (o.slack + e.slack)[between]
    near = between[both - slack <= (both + slack).min()]
    lowest = o.exact(near) + e.exact(near)
    if lowest.min() < (o.exact(ends) + e.exact(ends)).min():
        return int(near[lowest.argmin()])
    return None


def _first_crossing(o: Density, e: Density) -> int | None:
    """Return the last place before the difference changes its sign, after the mode.

    Where both densities are 0 there is no sign, and none that could change.
    """
    difference, slack = o.values - e.values, o.slack + e.slack
    decided = np.where(np.abs(difference) > slack, difference, 0)
    modes = _modes(o)
    between = np.sign(decided[modes[0] + 1 : modes[-1] + 2])
    same = len(between) and between[0] and (between == between[0]).all()
    mode = int(modes[-1]) if same else _mode(o)
    after: IntArray = np.arange(mode + 1, len(GRID))
    sure = _change(decided[after])
    end = len(after) if sure is None else sure[1]
    after, difference = after[: end + 1], difference[after[: end + 1]]
    asked = np.flatnonzero(decided[after] == 0)
    if len(asked):
        difference[asked] = o.exact(after[asked]) - e.exact(after[asked])
    found = _change(difference)
    return None if found is None else int(after[found[0]])


def _modes(density: Density) -> IntArray:
    """Return the places that may have the highest value, ascending."""
    high = int(density.values.argmax())
    least = density.values[high] - density.slack[high]
    near: IntArray = np.flatnonzero(density.values + density.slack >= least)
    return near


def _mode(density: Density) -> int:
    """Return the place of the highest value."""
    near = _modes(density)
    return int(near[density.exact(near).argmax()] if len(near) > 1 else near[0])


def _change(difference: FloatArray) -> tuple[int, int] | None:
    """Return the places around the first change of sign, zeros between them."""
    signed = np.flatnonzero(difference)
    positive = difference[signed] > 0
    changes = np.flatnonzero(positive[1:] != positive[:-1])
    if not len(changes):
        return None
    return int(signed[changes[0]]), int(signed[changes[0] + 1])
