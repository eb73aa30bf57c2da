"""Greedy: merge pairs by rising cost while no unit gets a rater twice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray
from ..model import CandidatePairs
from ..ranges import changes, dense_rank
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
    unit_of, contested = _free_units(annotations, pairs)
    k, l = pairs.k[contested], pairs.l[contested]
    order = _rising(
        annotations,
        CandidatePairs(k, l, pairs.d_loc[contested], pairs.d_cls[contested]),
        cost[contested],
    )
    k, l = k[order], l[order]
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


def _free_units(
    annotations: Annotations, pairs: CandidatePairs
) -> tuple[IntArray, BoolArray]:
    """Return (N,) first annotations of units so far, and (P,) which pairs are left."""
    each = np.arange(len(annotations))
    component = component_of(len(annotations), pairs)
    cell = np.sort(component * annotations.n_raters + annotations.rater)
    twice = cell[1:][cell[1:] == cell[:-1]] // annotations.n_raters
    is_contested = np.zeros(len(each) + 1, dtype=bool)
    is_contested[twice] = True
    first = np.empty_like(each)
    first[component[::-1]] = each[::-1]  # of repeated indices the last value is kept
    unit_of = np.where(is_contested[component], each, first[component])
    return unit_of, is_contested[component[pairs.k]]


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
    order = np.lexsort((pairs.d_cls, cost, image))
    if changes([pairs.d_cls, cost, image], order).all():
        return order
    rank = _content_rank(annotations)
    low = np.minimum(rank[pairs.k], rank[pairs.l])
    high = np.maximum(rank[pairs.k], rank[pairs.l])
    # Equal shapes first: what is left of them is then not interchangeable.
    order = np.lexsort((high, low, low != high, pairs.d_cls, cost, image))
    return order


def _content_rank(annotations: Annotations) -> IntArray:
    """Rank annotations (N,) by shape and class; those of equal content share a rank."""
    shape = dense_rank([*annotations.geometry.content(), annotations.image])
    # Within its image, so that no image's ties depend on the other images.
    _, first, of = np.unique(annotations.image, return_index=True, return_inverse=True)
    lowest = np.minimum.reduceat(shape, first) if len(first) else shape
    shape = shape - lowest[of]
    signature = _class_signature(annotations, shape)
    return dense_rank([annotations.label, signature, shape])


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
