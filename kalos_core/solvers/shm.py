"""Sequential Hungarian matching: one rater after the other (an earlier method)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..model import CandidatePairs
from .components import by_rater, components

UNMATCHED = 100.0
"""Cost of no match: so high that as many as possible are matched, as the reference."""


def shm(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray, limit: float
) -> IntArray:
    """Return (N,) for each annotation the first annotation of its unit.

    Raters are added in their order. The annotations of a new one are matched with
    those of each earlier rater in turn whose unit has none of the new one yet. The
    result therefore depends on the order of raters, unlike that of greedy.
    """
    unit_of = np.arange(len(annotations))
    for members, costs in components(annotations, pairs, cost):
        drawn = by_rater(annotations, members)
        unit: dict[int, int] = {}
        seen: list[int] = []
        for rater, left in drawn.items():
            taken: set[int] = set()
            for earlier in seen:
                slots = [n for n in drawn[earlier] if unit[n] not in taken]
                for slot, annotation in _match(slots, left, costs):
                    unit[annotation] = unit[slot]
                    taken.add(unit[slot])
                left = [n for n in left if n not in unit]
            unit.update((n, n) for n in left)
            seen.append(rater)
        for annotation, first in unit.items():
            unit_of[annotation] = first
    return unit_of


def _match(
    slots: list[int], new: list[int], costs: dict[tuple[int, int], float]
) -> list[tuple[int, int]]:
    """Return the cheapest pairs among the largest sets of pairs."""
    matrix = np.array(
        [[costs.get((slot, n), UNMATCHED) for n in new] for slot in slots]
    ).reshape(len(slots), len(new))
    possible = matrix < UNMATCHED
    rows, columns = np.flatnonzero(possible.any(1)), np.flatnonzero(possible.any(0))
    chosen = linear_sum_assignment(matrix[np.ix_(rows, columns)])
    return [
        (slots[row], new[column])
        for row, column in zip(rows[chosen[0]], columns[chosen[1]], strict=True)
        if possible[row, column]
    ]
