"""Each rater against the majority of each unit, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..geometry import BoolArray
from ..model import NO_OBJECT, UNASSIGNED, IntArray, ReliabilityMatrix


@dataclass(frozen=True, eq=False, slots=True)
class Tally:
    """Counts of units per rater, (R,) each.

    Parameters
    ----------
    judged : units on which the rater could speak and that have a majority.
    missed : the majority saw an object, the rater drew nothing.
    extra : the majority saw nothing, the rater drew an object.
    other_class : the majority named another class than the rater.
    """

    judged: IntArray
    missed: IntArray
    extra: IntArray
    other_class: IntArray


def tally(reliability: ReliabilityMatrix, n_classes: int) -> Tally:
    """Count how often each rater stands against the majority.

    The majority of a unit is the value that more raters gave than any other; units
    without one are left out. It is not the truth: a lone rater may be right.
    """
    drawn = (reliability.values >= 0).any(axis=0)
    values = reliability.values[:, drawn]
    majority, clear = _majority(values, n_classes)
    judged = (values != UNASSIGNED) & clear
    nothing, none_expected = values == NO_OBJECT, majority == NO_OBJECT
    against = judged & (values != majority)
    return Tally(
        judged=judged.sum(axis=1),
        missed=(against & nothing).sum(axis=1),
        extra=(against & none_expected).sum(axis=1),
        other_class=(against & ~nothing & ~none_expected).sum(axis=1),
    )


def _majority(
    values: npt.NDArray[np.int32], n_classes: int
) -> tuple[IntArray, BoolArray]:
    """Return (U,) the most frequent value of each unit, and whether it is unique."""
    n_units = values.shape[1]
    rater, unit = np.nonzero(values != UNASSIGNED)
    span = n_classes + 1
    key = unit * span + (values[rater, unit] - NO_OBJECT)
    key, count = np.unique(key, return_counts=True)
    unit, value = np.divmod(key, span)
    order = np.lexsort((count, unit))
    last = np.searchsorted(unit[order], np.arange(n_units), side="right") - 1
    top = order[last]
    before = order[np.maximum(last - 1, 0)]
    clear = (unit[before] != unit[top]) | (count[before] < count[top]) | (before == top)
    return value[top] + NO_OBJECT, clear
