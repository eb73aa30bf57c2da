"""Split and merged objects: one label covers several of another rater's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, freeze, sum_by
from ..geometry import Polygons, Regions
from ..model import NO_OBJECT, ReliabilityMatrix
from ..pairs import touching_pairs
from ..ranges import pairs_in_groups
from .dissent import NOBODY

HALF = 0.5 - 1e-9
"""Of a part has to lie in the whole, and of the whole in its parts; rounded."""


@dataclass(frozen=True, eq=False, slots=True)
class Splits:
    """Labels that cover several of another rater's, each with these parts.

    Parameters
    ----------
    whole : (S,) the annotation that covers; ascending.
    part : (S,) one of those that it covers; the parts of one rater are a split.
    """

    whole: IntArray
    part: IntArray

    def __post_init__(self) -> None:
        freeze(self, "whole", np.int64, None)
        freeze(self, "part", np.int64, len(self.whole))

    def __len__(self) -> int:
        return len(self.whole)


def find_splits(
    annotations: Annotations, reliability: ReliabilityMatrix, *, filled: float = HALF
) -> Splits:
    """Return which labels cover several of another rater's, and which these are.

    A label is a part of another rater's if at least half of it lies in that one, and
    the other rater has no label of their own for it: the two are matched, or the
    other rater said ``NO_OBJECT``. What lies in the whole and in a larger part too is
    no part: an object in front of a matched one was missed, not merged with it, and
    an object drawn twice is not split. The parts of one rater make up at least half of
    the whole: random boxes hardly ever do. Keypoints cover nothing and have no splits.

    Parameters
    ----------
    filled : the part of the whole that its parts make up at least.
    """
    shapes = annotations.geometry
    if not isinstance(shapes, Regions):
        return Splits(np.empty(0, np.int64), np.empty(0, np.int64))
    extent = shapes.extent()
    nothing: IntArray = np.empty(0, np.int64)
    found = [(nothing, nothing)]
    for whole, part in _unmatched(annotations, reliability):
        if isinstance(shapes, Polygons):  # what they share takes long to find
            possible = shapes.most_overlap(whole, part) >= HALF * extent[part]
            whole, part = whole[possible], part[possible]
        inside = shapes.overlap(whole, part) >= HALF * extent[part]
        found.append((whole[inside], part[inside]))
    whole, part = (np.concatenate(column) for column in zip(*found, strict=True))
    matched = _matched(annotations, reliability, whole, part)
    whole, part = np.append(whole, matched[0]), np.append(part, matched[1])
    return _several(annotations, shapes, whole, part, filled)


def _unmatched(
    annotations: Annotations, reliability: ReliabilityMatrix
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield labels that touch, where the rater of the first has none for the second."""
    rater, unit = annotations.rater, reliability.unit_of
    none = reliability.values == NO_OBJECT
    for k, l in touching_pairs(annotations, annotations.geometry.bounds()):
        for whole, part in ((k, l), (l, k)):
            alone = none[rater[whole], unit[part]]
            yield whole[alone], part[alone]


def _matched(
    annotations: Annotations,
    reliability: ReliabilityMatrix,
    whole: IntArray,
    part: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return the wholes with what the raters of their parts matched to them."""
    rater, unit = annotations.rater, reliability.unit_of
    drawn = np.full(reliability.values.shape, -1)
    drawn[rater, unit] = np.arange(len(annotations))
    key = np.unique(whole * annotations.n_raters + rater[part])
    whole, other = np.divmod(key, annotations.n_raters)
    match = drawn[other, unit[whole]]
    return whole[match >= 0], match[match >= 0]


def _several(
    annotations: Annotations,
    shapes: Regions,
    whole: IntArray,
    part: IntArray,
    least: float,
) -> Splits:
    """Return the wholes that at least two parts by one rater make up, sorted."""
    group = whole * annotations.n_raters + annotations.rater[part]
    _, group, count = np.unique(group, return_inverse=True, return_counts=True)
    some = count[group] >= 2
    whole, part, group = whole[some], part[some], group[some]
    inside, own, told_apart = _own(shapes, whole, part, group)
    n_parts = np.bincount(group[told_apart], minlength=len(count))
    filled = sum_by(group[told_apart], inside[told_apart], len(count))
    much = filled[group] >= least * shapes.extent()[whole]
    kept = own & (n_parts[group] >= 2) & much
    whole, part = whole[kept], part[kept]
    order = np.lexsort((part, whole))
    return Splits(whole[order], part[order])


def _own(
    shapes: Regions, whole: IntArray, part: IntArray, group: IntArray
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return (S,) the area of each part inside, and whether half is in no larger part.

    Of parts alike, the first answer is the same for all, the second only admits one.
    """
    extent = shapes.extent()[part]
    content = np.column_stack([extent, shapes.bounds()[part]])
    _, rank = np.unique(content, axis=0, return_inverse=True)
    in_larger, in_other = np.zeros(len(part)), np.zeros(len(part))
    for i, j in pairs_in_groups(group):
        small = np.where(rank[i] < rank[j], i, j)
        share = shapes.overlap(part[i], part[j]) / extent[small]
        np.maximum.at(in_other, small, share)
        differ = rank[i] != rank[j]
        np.maximum.at(in_larger, small[differ], share[differ])
    inside = shapes.overlap(whole, part)
    in_whole = inside / extent
    return inside, in_whole - in_larger >= HALF, in_whole - in_other >= HALF


def split_units(
    annotations: Annotations, reliability: ReliabilityMatrix, splits: Splits
) -> tuple[BoolArray, IntArray]:
    """Return (U,) whether a unit has to do with a split, and who stands alone in it.

    That is who merged what at least two others split, or split what two merged.
    """
    if not len(splits):
        none = np.zeros(reliability.n_units, dtype=bool)
        return none, np.full(reliability.n_units, NOBODY)
    rater, unit = annotations.rater, reliability.unit_of
    merged = np.zeros(reliability.values.shape, dtype=bool)
    split = np.zeros_like(merged)
    for involved in (splits.whole, splits.part):
        merged[rater[splits.whole], unit[involved]] = True
        split[rater[splits.part], unit[involved]] = True
    n_merged, n_split = merged.sum(axis=0), split.sum(axis=0)
    alone = np.select(
        [(n_merged == 1) & (n_split >= 2), (n_split == 1) & (n_merged >= 2)],
        [merged.argmax(axis=0), split.argmax(axis=0)],
        NOBODY,
    )
    return n_merged > 0, alone
