"""Loose units: labels of one object that lie too far apart."""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations
from ..arrays import BoolArray, IntArray
from ..model import Agreement
from ..pairs import is_within, measured
from ..ranges import pairs_in_groups
from .dissent import NOBODY


def far_apart(
    annotations: Annotations, agreement: Agreement, strict_tau: float
) -> tuple[BoolArray, IntArray]:
    """Return (U,) whether two labels of a unit are far apart, and whose it is.

    That is the one rater of at least three without whom no such two are left.
    """
    unit_of, n_units = agreement.reliability.unit_of, agreement.reliability.n_units
    n_drawn = np.bincount(unit_of, minlength=n_units)
    n_far = (n_drawn - 1)[unit_of]
    d_loc, shapes = agreement.configuration.d_loc, annotations.geometry
    for k, l in pairs_in_groups(unit_of):
        near = is_within(measured(annotations, d_loc, shapes, k, l), strict_tau)
        n_far -= np.bincount(k[near], minlength=len(n_far))
        n_far -= np.bincount(l[near], minlength=len(n_far))
    twice = np.bincount(unit_of, n_far, n_units)
    in_all = np.flatnonzero((n_far > 0) & (2 * n_far == twice[unit_of]))
    one = np.bincount(unit_of[in_all], minlength=n_units) == 1
    alone = np.full(n_units, NOBODY)
    alone[unit_of[in_all]] = annotations.rater[in_all]
    return twice > 0, np.where(one, alone, NOBODY)
