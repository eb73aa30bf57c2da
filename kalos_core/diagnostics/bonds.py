"""Bonds: the thresholds at which units fall apart or come together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, freeze
from ..measured import CHUNK, MeasuredPairs, pairs_between
from ..model import Agreement
from ..pairs import is_within

COMPLETE = frozenset({"ahc"})
"""Solvers of which all labels of a unit must be near each other, not only linked."""


@dataclass(frozen=True, eq=False, slots=True)
class Bonds:
    """What other thresholds do to units, told without matching again.

    Matched again at a lower tau, no unit is left whose ``holds_from`` is above it: its
    labels are no longer linked. That the others are left is exact for greedy with
    psi_neg and for agglomerative clustering, as both join by rising distance.
    Otherwise it is an approximation: psi_soft prefers labels of one class, and without
    a far one of them a near one of another class may come into its place; and a solver
    that looks at all labels at once may arrange them anew.

    Matched again at a higher tau, whole units are joined, the nearest first, only by
    greedy with psi_neg, of which ``joins_from`` is exact. For all others it is an
    approximation, as they may exchange labels between units instead.

    Parameters
    ----------
    holds_from : (U,) the lowest tau at which the labels of a unit are linked with each
        other; nan for a label by itself, 1 where no pair that was looked at links them.
    joins_from : (U,) the lowest tau at which it becomes one with another unit, which
        has none of its raters; nan where there is no such unit.
    """

    holds_from: FloatArray
    joins_from: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "holds_from", np.float64, None)
        freeze(self, "joins_from", np.float64, len(self.holds_from))

    def changed(self, tau: float, own: float) -> BoolArray:
        """Return (U,) which units fall apart, or come together, at another tau.

        Parameters
        ----------
        own : the tau that the units are of.
        """
        if tau < own:
            return ~is_within(self.holds_from, tau) & ~np.isnan(self.holds_from)
        return is_within(self.joins_from, tau) & (tau > own)


def bonds(
    annotations: Annotations,
    agreement: Agreement,
    most: float,
    measured: MeasuredPairs | None = None,
) -> Bonds:
    """Return how far apart the labels of units are linked, and units from each other.

    Parameters
    ----------
    most : the largest tau that may be asked for.
    measured : pairs from ``measure_pairs``, where they are at hand.
    """
    configuration, reliability = agreement.configuration, agreement.reliability
    tau, most = configuration.tau, max(configuration.tau, most)
    unit_of, n_units = reliability.unit_of, reliability.n_units
    raters = np.packbits(reliability.values >= 0, axis=0)
    n_drawn = np.bincount(unit_of, minlength=n_units)
    holds_from = np.where(n_drawn > 1, 0.0, np.nan)
    joins_from = np.full(n_units, np.nan)
    n_links = np.zeros(n_units, dtype=np.int64)
    for start, stop in annotations.chunks(CHUNK):
        pairs = pairs_between(
            annotations, start, stop, configuration.d_loc, most, measured
        )
        k, l, d_loc = start + pairs.k, start + pairs.l, pairs.d_loc
        inside = np.flatnonzero(unit_of[k] == unit_of[l])
        links = inside[
            _tree(stop - start, pairs.k[inside], pairs.l[inside], d_loc[inside])
        ]
        np.add.at(n_links, unit_of[k[links]], 1)
        far = inside if configuration.solver in COMPLETE else links
        np.maximum.at(holds_from, unit_of[k[far]], d_loc[far])
        low, high = unit_of[start:stop].min(), unit_of[start:stop].max() + 1
        beyond = ~is_within(d_loc, tau)
        beyond[inside] = False
        joins_from[low:high] = _joins_from(
            unit_of[k[beyond]] - low,
            unit_of[l[beyond]] - low,
            d_loc[beyond],
            raters[:, low:high].copy(),
        )
    holds_from[n_links < n_drawn - 1] = 1
    return Bonds(holds_from, joins_from)


def _tree(n: int, k: IntArray, l: IntArray, d_loc: FloatArray) -> IntArray:
    """Return which pairs (P,) link n annotations by the shortest distances."""
    order = np.argsort(d_loc, kind="stable")
    # Places in the order stand for distances, as 0 would be no link.
    graph = coo_array((np.arange(1, len(k) + 1), (k[order], l[order])), shape=(n, n))
    links: IntArray = order[minimum_spanning_tree(graph.tocsr()).data.astype(int) - 1]
    return links


def _joins_from(
    one: IntArray, other: IntArray, d_loc: FloatArray, raters: npt.NDArray[np.uint8]
) -> FloatArray:
    """Return (U,) the distance at which each unit is joined with another, or nan.

    Two units that are nearest to each other are joined whatever happens elsewhere: all
    such ones at once.

    Parameters
    ----------
    one, other, d_loc : (P,) units that have labels at that distance.
    raters : bit sets of who drew each unit (U,), which are changed.
    """
    order = np.argsort(d_loc, kind="stable")
    one, other, d_loc = one[order], other[order], d_loc[order]
    n_units = raters.shape[1]
    found = np.full(n_units, np.nan)
    while True:
        apart = ~(raters[:, one] & raters[:, other]).any(axis=0)
        one, other, d_loc = one[apart], other[apart], d_loc[apart]
        if not len(d_loc):
            return found
        place = np.arange(len(d_loc))
        nearest = np.full(n_units, len(place))
        for unit in (one, other):
            np.minimum.at(nearest, unit, place)
        now = (nearest[one] == place) & (nearest[other] == place)
        a, b = one[now], other[now]
        for unit in (a, b):
            found[unit] = np.fmin(found[unit], d_loc[now])
        raters[:, a] |= raters[:, b]
        stands_for = np.arange(n_units)
        stands_for[b] = a
        one, other = stands_for[one], stands_for[other]
