"""Each rater against the majority of each unit, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..alpha import value_counts
from ..arrays import BoolArray, IntArray
from ..model import NO_OBJECT, UNASSIGNED, ReliabilityMatrix


@dataclass(frozen=True, eq=False, slots=True)
class Tally:
    """Counts of units per rater, (R,) each.

    Parameters
    ----------
    expected : the majority saw an object where the rater was assigned.
    missed : of these, the rater drew nothing.
    drawn : the rater drew an object, and the unit has a majority.
    extra : of these, the majority saw nothing.
    other_class : of these, the majority named another class.
    """

    expected: IntArray
    missed: IntArray
    drawn: IntArray
    extra: IntArray
    other_class: IntArray


def tally(reliability: ReliabilityMatrix, n_classes: int) -> Tally:
    """Count how often each rater stands against the majority.

    The majority of a unit is the value that more raters gave than any other; units
    without one are left out. It is not the truth: a lone rater may be right.
    """
    real = (reliability.values >= 0).any(axis=0)
    values = reliability.values[:, real]
    majority, clear = _majority(values, n_classes)
    is_object = majority != NO_OBJECT
    expected = (values != UNASSIGNED) & clear & is_object
    drawn = (values >= 0) & clear
    return Tally(
        expected=expected.sum(axis=1),
        missed=(expected & (values == NO_OBJECT)).sum(axis=1),
        drawn=drawn.sum(axis=1),
        extra=(drawn & ~is_object).sum(axis=1),
        other_class=(drawn & is_object & (values != majority)).sum(axis=1),
    )


def _majority(
    values: npt.NDArray[np.int32], n_classes: int
) -> tuple[IntArray, BoolArray]:
    """Return (U,) the most frequent value of each unit, and whether it is unique."""
    unit, value, count = value_counts(values)
    order = np.lexsort((count, unit))
    each = np.arange(values.shape[1])
    last = np.searchsorted(unit[order], each, side="right") - 1
    top = order[last]
    before = order[np.maximum(last - 1, 0)]
    clear = (unit[before] != unit[top]) | (count[before] < count[top]) | (before == top)
    return value[top], clear
