"""Medoids: of the labels of a unit the one that lies nearest to all others."""

from __future__ import annotations

import numpy as np

from .annotations import Annotations
from .arrays import BoolArray, FloatArray, IntArray, by_name, sum_by
from .pairs import distance_for, measured
from .ranges import changes, pairs_in_groups

FINE_DISTANCE, FINE_SHARE = 1 << 30, 1 << 22
"""Parts that distances and shares are rounded to before labels are compared, so that
sums are exact: those that tie do so in any order."""


def medoids(
    annotations: Annotations,
    unit_of: IntArray,
    d_loc: str,
    share: FloatArray,
    preferred: BoolArray,
) -> tuple[IntArray, FloatArray]:
    """Return (K,) medoids of the units that were drawn, and their distances.

    The medoid has the least sum of distances to the others, weighted by their shares.
    Of equal ones it is a preferred one, then the one of more weight, then the first by
    content, class and name of the rater. Its distance is the mean one to all others;
    nan where there is none with any weight.

    Parameters
    ----------
    share : (N,) weight of each annotation in its unit, adding up to 1 there.
    preferred : (N,) who wins a tie.
    """
    distance_for(annotations, d_loc)
    coarse = np.rint(share * FINE_SHARE)
    cost, apart = np.zeros(len(annotations)), np.zeros(len(annotations))
    for k, l in pairs_in_groups(unit_of):
        d = measured(annotations, d_loc, annotations.geometry, k, l)
        rounded = np.rint(d * FINE_DISTANCE)
        for one, other in ((k, l), (l, k)):
            cost += sum_by(one, coarse[other] * rounded, len(cost))
            apart += sum_by(one, share[other] * d, len(cost))
    chosen = _least(annotations, [-coarse, ~preferred, cost, unit_of])
    rest = 1 - share[chosen]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: FloatArray = apart[chosen] / rest
    return chosen, np.where(rest > 0, mean, np.nan)


def _least(
    annotations: Annotations, columns: list[FloatArray | BoolArray | IntArray]
) -> IntArray:
    """Return the first annotation of each unit by the columns, units last."""
    unit_of = columns[-1]
    order = np.lexsort(columns)
    new = np.flatnonzero(changes([unit_of], order))
    length = np.diff(new, append=len(order))
    # Places before the first change of any column in a unit hold what ties.
    run = np.cumsum(changes(columns, order)) - 1
    tied = run == np.repeat(run[new], length)
    several = np.flatnonzero(tied & (np.repeat(_sums(tied, new), length) > 1))
    if len(several):
        some = order[several]
        name = np.argsort(by_name(annotations.raters))[annotations.rater[some]]
        label = np.argsort(by_name(annotations.classes))[annotations.label[some]]
        content = annotations.geometry.take(some).content()
        # The units keep their places, so sorting within them is enough.
        within = np.lexsort((name, label, *content, unit_of[some]))
        order[several] = some[within]
    chosen: IntArray = order[new]
    return chosen


def _sums(true: BoolArray, start: IntArray) -> IntArray:
    """Return how many are true from each start to the next."""
    counts: IntArray = np.add.reduceat(true.astype(np.int64), start)
    return counts if len(start) else start
