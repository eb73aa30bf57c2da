"""Greedy: merge pairs by rising cost while no unit gets a rater twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray
from ..model import CandidatePairs
from ..ranges import changes, counted, dense_rank, grouped
from .components import component_of

BITS = 64


def greedy(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray, limit: float
) -> IntArray:
    """Return (N,) for each annotation the first annotation of its unit.

    A component in which nobody occurs twice becomes one unit, in whatever order it is
    merged. In the others, a pair that is the cheapest left for both its clusters will
    be merged whatever happens elsewhere: all such pairs are merged at once, and the
    data set is done in a few rounds instead of one step per pair.
    """
    clusters = _Clusters(annotations)
    left = clusters.join_free(pairs.k, pairs.l)
    contested = CandidatePairs(
        pairs.k[left], pairs.l[left], pairs.d_loc[left], pairs.d_cls[left]
    )
    order = _rising(annotations, contested, cost[left])
    clusters.merge(contested.k[order], contested.l[order])
    return clusters.first


def greedy_within(
    annotations: Annotations,
    pairs: CandidatePairs,
    cost: FloatArray,
    within: Sequence[BoolArray],
) -> Iterator[IntArray]:
    """Yield what ``greedy`` returns for some of the pairs, then for more of them.

    By rising cost, the pairs before the first that is left out are merged whatever
    else is added, and need not be merged again.

    Parameters
    ----------
    within : (P,) which pairs are meant, each time all that were before and more.
    """
    order = _rising(annotations, pairs, cost)
    k, l = pairs.k[order], pairs.l[order]
    common, done = _Clusters(annotations), 0
    for mask in within:
        near = mask[order]
        end = len(near) if near.all() else int(near.argmin())
        left: IntArray = done + np.arange(end - done)
        if not done:
            left = common.join_free(k[:end], l[:end])
        common.merge(k[left], l[left])
        done = end
        rest = end + np.flatnonzero(near[end:])
        own = common.copy()
        own.merge(k[rest], l[rest])
        yield own.first


class _Clusters:
    """Annotations that are merged step by step.

    Attributes
    ----------
    first : (N,) the first annotation of the cluster of each.
    raters : words of (N,) bit sets that hold the raters of clusters, at their first;
        none until something is merged in order.
    """

    def __init__(self, annotations: Annotations) -> None:
        self.rater, self.n_raters = annotations.rater, annotations.n_raters
        self.first: IntArray = np.arange(len(annotations))
        self.raters: list[npt.NDArray[np.uint64]] = []

    def copy(self) -> _Clusters:
        """Return clusters that can be merged further on their own."""
        other = copy(self)
        other.raters = [word.copy() for word in self.raters]
        return other

    def join_free(self, k: IntArray, l: IntArray) -> IntArray:
        """Join components in which nobody occurs twice; return which pairs are left.

        Only while nothing is merged yet.
        """
        n, n_raters = len(self.first), self.n_raters
        component = component_of(n, k, l)
        cell, count = counted(component * n_raters + self.rater, n * n_raters)
        contested = np.zeros(n, dtype=bool)
        contested[cell[count > 1] // n_raters] = True
        first = np.empty_like(self.first)
        first[component[::-1]] = self.first[::-1]  # the last one written is kept
        free = np.flatnonzero(~contested[component])
        self.first[free] = first[component[free]]
        return np.flatnonzero(contested[component[k]])

    def merge(self, k: IntArray, l: IntArray) -> None:
        """Merge pairs (P,) in their order while no cluster gets a rater twice."""
        if not len(k):
            return
        self.raters = self.raters or self._rater_bits()
        k, l = _possible(self.first[k], self.first[l], self.raters)
        # From here on only clusters of these pairs, which are numbered anew.
        some, place = grouped(np.concatenate([k, l]), len(self.first))
        k, l = np.split(place, 2)
        each = np.arange(len(some))
        joined, words = each, [word[some] for word in self.raters]
        while len(k):
            best = _first_pair_of_each(k, l, len(each))
            pair = np.arange(len(k))
            merged = (best[k] == pair) & (best[l] == pair)
            keep = np.minimum(k[merged], l[merged])
            drop = np.maximum(k[merged], l[merged])
            joins = each.copy()
            joins[drop] = keep
            joined = joins[joined]
            for word in words:
                word[keep] |= word[drop]
            k, l = _possible(joins[k], joins[l], words)
        stays = np.arange(len(self.first))
        stays[some] = some[joined]
        self.first = stays[self.first]
        for word, own in zip(self.raters, words, strict=True):
            word[some] = own

    def _rater_bits(self) -> list[npt.NDArray[np.uint64]]:
        """Return words of (N,) bit sets of the clusters so far."""
        word_of, bit = self.rater // BITS, self.rater % BITS
        own = np.uint64(1) << bit.astype(np.uint64)
        words: list[npt.NDArray[np.uint64]] = []
        for n in range((self.n_raters - 1) // BITS + 1):
            word = np.zeros(len(own), dtype=np.uint64)
            np.bitwise_or.at(word, self.first, np.where(word_of == n, own, 0))
            words.append(word)
        return words


def _possible(
    k: IntArray, l: IntArray, raters: list[npt.NDArray[np.uint64]]
) -> tuple[IntArray, IntArray]:
    """Return the pairs of clusters that have no rater in common."""
    apart = np.ones(len(k), dtype=bool)
    for word in raters:
        apart &= word[k] & word[l] == 0
    return k[apart], l[apart]


def _rising(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray
) -> IntArray:
    """Return the (P,) order of rising cost, ties within an image broken by content.

    Of equally cheap pairs those of one class go first, then those of equal shapes, then
    those with the smaller ones: neither the order of files or raters nor the names of
    classes decide.
    """
    order: IntArray = np.argsort(cost)
    if changes([cost], order).all():
        return order  # no ties, and content is costly to rank
    image = annotations.image[pairs.k]
    order = np.lexsort((pairs.d_cls, image, cost))
    if changes([pairs.d_cls, image, cost], order).all():
        return order
    rank = _content_rank(annotations)
    low = np.minimum(rank[pairs.k], rank[pairs.l])
    high = np.maximum(rank[pairs.k], rank[pairs.l])
    # Equal shapes first: what is left of them is then not interchangeable.
    order = np.lexsort((high, low, low != high, pairs.d_cls, image, cost))
    return order


def _content_rank(annotations: Annotations) -> IntArray:
    """Rank annotations (N,) by shape and class; those of equal content share a rank."""
    shape = shape_rank(annotations)
    signature = _class_signature(annotations, shape)
    return dense_rank([annotations.label, signature, shape])


def shape_rank(annotations: Annotations) -> IntArray:
    """Rank annotations (N,) of an image by shape, from 0; equal shapes share a rank.

    Within the image, so that no image's ties depend on the other images.
    """
    shape = dense_rank([*annotations.geometry.content(), annotations.image])
    _, first, of = np.unique(annotations.image, return_index=True, return_inverse=True)
    lowest = np.minimum.reduceat(shape, first) if len(first) else shape
    return shape - lowest[of]


def _class_signature(annotations: Annotations, shape: IntArray) -> IntArray:
    """Return (N,) a number for the class of each annotation within its image.

    It sums up which shapes have that class there, and what else their raters drew, and
    so stays the same when classes are renamed or raters change places. Only classes
    that could be exchanged for each other are left to their names.
    """
    _, by_class = np.unique(
        annotations.image * len(annotations.classes) + annotations.label,
        return_inverse=True,
    )
    _, by_rater = np.unique(annotations.block, return_inverse=True)
    signature: IntArray = np.zeros(len(shape), dtype=np.int64)
    for member in (by_class, by_rater, by_class, by_rater, by_class):
        mixed = _mixed(_mixed(shape + 1) + signature)
        total = np.zeros(int(member.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(total, member, mixed)
        signature = total[member]
    return signature


def _mixed(number: IntArray) -> IntArray:
    """Return numbers of which sums tell apart what was summed; they wrap around."""
    number = (number ^ (number >> np.int64(31))) * np.int64(0x5851F42D4C957F2D)
    return (number ^ (number >> np.int64(29))) * np.int64(0x14057B7EF767814F)


def _first_pair_of_each(k: IntArray, l: IntArray, n: int) -> IntArray:
    """Return (n,) the first pair that each cluster occurs in."""
    pair = np.arange(len(k))
    first_k, first_l = np.full(n, len(k)), np.full(n, len(k))
    # Of repeated indices numpy keeps the last value, so go backwards.
    first_k[k[::-1]] = pair[::-1]
    first_l[l[::-1]] = pair[::-1]
    best: IntArray = np.minimum(first_k, first_l)
    return best
