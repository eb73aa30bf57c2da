"""Greedy: merge pairs by rising cost while no unit gets a rater twice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..model import Annotations, CandidatePairs

BITS = 64


def greedy(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray, limit: float
) -> IntArray:
    """Return (N,) for each annotation the first annotation of its unit.

    A pair that is the cheapest left for both its clusters will be merged whatever
    happens elsewhere, so all such pairs are merged at once and the data set is done
    in a few rounds instead of one step per pair.
    """
    order = _rising(annotations, pairs, cost)
    k, l = pairs.k[order], pairs.l[order]
    unit_of = np.arange(len(annotations))
    raters = _rater_bits(annotations)
    while len(k):
        best = _first_pair_of_each(k, l, len(unit_of))
        pair = np.arange(len(k))
        merged = (best[k] == pair) & (best[l] == pair)
        keep = np.minimum(k[merged], l[merged])
        drop = np.maximum(k[merged], l[merged])
        raters[keep] |= raters[drop]
        joins = np.arange(len(unit_of))
        joins[drop] = keep
        unit_of = joins[unit_of]
        k, l = joins[k], joins[l]
        possible = (raters[k] & raters[l] == 0).all(axis=1)
        k, l = k[possible], l[possible]
    return unit_of


def _rising(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray
) -> IntArray:
    """Return the (P,) order of rising cost, ties broken by content.

    Of two equally cheap pairs the one with the smaller shapes and classes goes
    first, so that neither file order nor rater order decides.
    """
    rank = _content_rank(annotations)
    low = np.minimum(rank[pairs.k], rank[pairs.l])
    high = np.maximum(rank[pairs.k], rank[pairs.l])
    order: IntArray = np.lexsort((high, low, cost))
    return order


def _content_rank(annotations: Annotations) -> IntArray:
    """Rank annotations (N,) by shape, class and number of the copy.

    Annotations of two raters with equal content share a rank. Equal ones of one
    rater are counted, since those must not be interchangeable in a tie.
    """
    columns = [annotations.label, *annotations.geometry.content()]
    content = np.zeros(len(annotations), dtype=np.int64)
    order = np.lexsort(columns)
    changes = np.zeros(max(len(order) - 1, 0), dtype=bool)
    for column in columns:
        changes |= column[order[1:]] != column[order[:-1]]
    content[order[1:]] = np.cumsum(changes)
    return _rank_with_copies(annotations, content)


def _rank_with_copies(annotations: Annotations, content: IntArray) -> IntArray:
    order = np.lexsort((annotations.rater, annotations.image, content))
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for column in (content, annotations.image, annotations.rater):
        same &= column[order[1:]] == column[order[:-1]]
    nth = np.arange(len(order))
    started = np.maximum.accumulate(np.where(np.r_[False, same], 0, nth))
    copy = np.zeros_like(content)
    copy[order] = nth - started
    return content * (int(copy.max(initial=0)) + 1) + copy


def _rater_bits(annotations: Annotations) -> npt.NDArray[np.uint64]:
    """Return (N, words) bit sets that hold the rater of each annotation."""
    bits = np.zeros((len(annotations), annotations.n_raters // BITS + 1), np.uint64)
    word, bit = np.divmod(annotations.rater, BITS)
    bits[np.arange(len(annotations)), word] = np.uint64(1) << bit.astype(np.uint64)
    return bits


def _first_pair_of_each(k: IntArray, l: IntArray, n: int) -> IntArray:
    """Return (n,) the first pair that each cluster occurs in."""
    pair = np.arange(len(k))
    first_k, first_l = np.full(n, len(k)), np.full(n, len(k))
    # Of repeated indices numpy keeps the last value, so go backwards.
    first_k[k[::-1]] = pair[::-1]
    first_l[l[::-1]] = pair[::-1]
    best: IntArray = np.minimum(first_k, first_l)
    return best
