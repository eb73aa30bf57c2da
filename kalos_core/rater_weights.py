"""Weights of raters: how far each is at one with the others, beyond chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .alpha import alpha_of_sums, value_counts
from .arrays import FloatArray, IntArray, sum_by
from .model import UNASSIGNED, Agreement, ReliabilityMatrix


def shares_of_others(
    values: npt.NDArray[np.int32],
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield for each rater the units, and the part of the others who say the same.

    Units in which nobody else was asked are left out.

    Examples
    --------
    >>> values = np.array([[0, 1], [0, -1], [1, -2]], dtype=np.int32)
    >>> for unit, share in shares_of_others(values):
    ...     print(unit.tolist(), share.tolist())
    [0, 1] [0.5, 0.0]
    [0, 1] [0.5, 0.0]
    [0] [0.0]
    """
    unit, value, count = value_counts(values)
    span = int(values.max(initial=0)) - UNASSIGNED + 1
    key = unit * span + value - UNASSIGNED
    m_u = sum_by(unit, count, values.shape[1])
    for said in values:
        own = np.flatnonzero((said != UNASSIGNED) & (m_u >= 2))
        same = count[np.searchsorted(key, own * span + said[own] - UNASSIGNED)]
        yield own, (same - 1) / (m_u[own] - 1)


def rater_agreement(reliability: ReliabilityMatrix) -> FloatArray:
    """Return (R,) the agreement of each rater with the others, left out of them.

    1 - D_o(r) / D_e: D_o(r) is how often a value of the rater differs from one that
    another rater gave the unit, D_e how often two values of the data set differ. The
    mean over raters, each weighing with the units that count, is global alpha, of
    which this is the rater's part. nan for whoever shares no unit with another.
    """
    values = reliability.values
    share = [found for _, found in shares_of_others(values)]
    n_r = np.array([len(own) for own in share], dtype=np.float64)
    same = np.array([own.sum() for own in share], dtype=np.float64)
    asked = values != UNASSIGNED
    asked &= asked.sum(axis=0) >= 2
    said = np.bincount(values[asked] - UNASSIGNED).astype(np.float64)
    n, chance = n_r.sum(), (said * (said - 1)).sum()
    # Alpha as if all of the data set agreed as much as the rater does.
    with np.errstate(invalid="ignore"):
        alpha, _ = alpha_of_sums(
            np.full_like(n_r, n), n * same / n_r, np.full_like(n_r, chance)
        )
    return np.where(n_r > 0, alpha, np.nan)


def rater_weights(agreement: Agreement) -> FloatArray:
    """Return (R,) weights of raters for a vote, from 0 to 1.

    The weight is the rater's agreement with the others, themselves left out, since
    nobody should vouch for themselves; and beyond chance, since two who always say the
    most frequent class agree without looking. Whoever is at chance, or below, has
    weight 0: their label tells nothing, and from being against the others it does not
    follow which other class is right. Agreement is not truth: a lone expert loses
    weight with every object that only they see.

    Whoever shares no unit with another has weight 1, which then decides nothing but
    their own units. Where nobody is above chance all have weight 1, as there is no
    reason to prefer anyone.
    """
    alone = rater_agreement(agreement.reliability)
    weight: FloatArray = np.where(np.isnan(alone), 1.0, alone.clip(0, 1))
    known = ~np.isnan(alone)
    if not weight[known].any():
        weight[known] = 1.0
    return weight
