"""Loose units: labels of one object that lie too far apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..annotations import Annotations
from ..arrays import BoolArray, IntArray
from ..model import Agreement, CandidatePairs
from ..pairs import distance_for, is_within
from ..ranges import pairs_in_groups
from .dissent import NOBODY


def far_apart(
    annotations: Annotations,
    agreement: Agreement,
    strict_tau: float,
    pairs: CandidatePairs | None,
) -> tuple[BoolArray, IntArray]:
    """Return (U,) whether two labels of a unit are far apart, and whose it is.

    That is the one rater of at least three without whom no such two are left.
    ``pairs`` are those of the agreement; without them all units are measured again.
    """
    unit_of, n_units = agreement.reliability.unit_of, agreement.reliability.n_units
    n_drawn = np.bincount(unit_of, minlength=n_units)
    n_far = (n_drawn - 1)[unit_of]
    for k, l in _near(annotations, agreement, strict_tau, pairs):
        n_far -= np.bincount(k, minlength=len(n_far))
        n_far -= np.bincount(l, minlength=len(n_far))
    twice = np.bincount(unit_of, n_far, n_units)
    in_all = np.flatnonzero((n_far > 0) & (2 * n_far == twice[unit_of]))
    one = np.bincount(unit_of[in_all], minlength=n_units) == 1
    alone = np.full(n_units, NOBODY)
    alone[unit_of[in_all]] = annotations.rater[in_all]
    return twice > 0, np.where(one, alone, NOBODY)


def _near(
    annotations: Annotations,
    agreement: Agreement,
    strict_tau: float,
    pairs: CandidatePairs | None,
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs of one unit that are at most ``strict_tau`` apart."""
    unit_of = agreement.reliability.unit_of
    if pairs is not None:
        near = (unit_of[pairs.k] == unit_of[pairs.l]) & is_within(
            pairs.d_loc, strict_tau
        )
        yield pairs.k[near], pairs.l[near]
        return
    distance = distance_for(annotations, agreement.configuration.d_loc)
    for k, l in pairs_in_groups(unit_of):
        near = is_within(distance.measure(annotations.geometry, k, l), strict_tau)
        yield k[near], l[near]
