"""Every two raters of an image, matched on their own."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ..annotations import Annotations
from ..arrays import BoolArray, IntArray
from ..copies import Copies
from ..diagnostics.collaboration import problems
from ..diagnostics.split_merge import Splits, find_splits
from ..errors import KalosError
from ..geometry import Boxes, Volumes
from ..model import Configuration
from ..pairs import candidate_pairs, check_relative
from ..ranges import cells, pieces, places, spans
from ..reliability import reliability_matrix
from ..rematch import Problems
from ..solvers import solve

MATCHING = Configuration(d_loc="box_iou", tau=0.5, solver="greedy", psi="soft")
"""As in the paper: one threshold for all data sets, and classes may differ."""

STRAY = replace(MATCHING, tau=0.9)
"""An IoU of 0.1, from which on a label that is added would be one that is there."""

FILLED = 0.05
"""Part of a whole that its parts make up at least. Of the default law's children 99 %
do; what is smaller are rather other objects in front of a large one."""

CHUNK = 200_000
"""Labels matched at a time, in whole pairs of raters, which bounds the memory."""


@dataclass(frozen=True, eq=False, slots=True)
class Pairing:
    """Labels as two raters of one image drew them; (V,) views of labels by pairs.

    Parameters
    ----------
    label : (V,) which annotation; a label has a view for each other rater.
    pair : (V,) which two raters of which image, ascending.
    side : (V,) 0 for the label of the first of them, 1 of the second.
    alone : (V,) whether the other one has nothing for it, not even parts or a whole.
    stray : (V,) whether it overlaps with one that is alone too.
    parent : (V,) whether the other one has parts of it.
    k, l : (M,) views of the same object, but for splits; k on side 0.
    whole, part : (S,) views of a label and of what the other one has in its place.
    """

    label: IntArray
    pair: IntArray
    side: IntArray
    alone: BoolArray
    stray: BoolArray
    parent: BoolArray
    k: IntArray
    l: IntArray
    whole: IntArray
    part: IntArray


def as_boxes(annotations: Annotations) -> tuple[Annotations, Boxes, IntArray]:
    """Return annotations of the boxes around shapes, these, and whose (N,) they are.

    Those without an area, a single joint say, are left out: nothing can be a part of
    their size. Class subsets are not kept, as pairs of raters are cut down to them.
    """
    if isinstance(annotations.geometry, Volumes):
        raise KalosError("noise is that of flat shapes, got Volumes; give their slices")
    check_relative(annotations, "noise")
    low, high = np.split(annotations.geometry.bounds(), 2, axis=1)
    solid = np.flatnonzero((high > low).all(axis=1))
    boxes = Boxes(np.hstack([low, high - low])[solid])
    columns = ("image", "rater", "label", "annotation_id")
    kept = {name: getattr(annotations, name)[solid] for name in columns}
    everything = np.ones_like(annotations.asked)
    made = replace(annotations, geometry=boxes, asked=everything, **kept)
    return made, boxes, solid


def pairs_of_raters(annotations: Annotations, reference: str | None) -> Problems:
    """Return each image with every two of its raters, or with those and a reference."""
    found = problems(annotations, MATCHING)
    if reference is None:
        return found
    if reference not in annotations.raters:
        raise KalosError(
            f"unknown reference {reference!r}; choose from "
            f"{', '.join(map(repr, annotations.raters))}"
        )
    return found.where(found.member[:, annotations.raters.index(reference)])


def match_in_pairs(boxes: Annotations, pairs: Problems, asked: BoolArray) -> Pairing:
    """Match every pair of raters on its own; ``asked`` (R, C) for which classes.

    What one of the two was not asked for is left out.
    """
    pair, rater = cells(pairs.member)
    first, count = spans(boxes.block, pairs.image[pair] * boxes.n_raters + rater)
    label, pair = places(first, count), np.repeat(pair, count)
    side = np.repeat(np.arange(len(rater)) % 2, count)
    other = np.repeat(rater.reshape(-1, 2)[:, ::-1].ravel(), count)
    wanted = asked[other, boxes.label[label]]
    label, pair, side = label[wanted], pair[wanted], side[wanted]
    size = np.bincount(pair, minlength=len(pairs))
    end = np.cumsum(size)
    found = [_nothing()]
    for start, stop in pieces(size, CHUNK):
        some = slice(int(end[start] - size[start]), int(end[stop - 1]))
        own, image, by = label[some], pair[some] - start, side[some]
        both = np.ones((stop - start, 2), dtype=bool)
        part = _matched(Copies(boxes, own, image, by, both), own, start, some.start)
        alone = np.flatnonzero(part.alone)
        rest = Copies(boxes, own[alone], image[alone], by[alone], both)
        part.stray[alone[np.concatenate(_pairs(_units(rest, STRAY)))]] = True
        found.append(part)
    return Pairing(
        *(np.concatenate([getattr(p, f.name) for p in found]) for f in fields(Pairing))
    )


def _nothing() -> Pairing:
    none, no = np.empty(0, np.int64), np.empty(0, np.bool_)
    return Pairing(none, none, none, no, no, no, none, none, none, none)


def _matched(copies: Copies, label: IntArray, pair: int, view: int) -> Pairing:
    """Return the views of some pairs; the first ones are number ``pair``, ``view``."""
    unit_of = _units(copies, MATCHING)
    reliability = reliability_matrix(copies, unit_of)
    splits = _of_one_class(copies, find_splits(copies, reliability, filled=FILLED))
    k, l = _pairs(unit_of)
    matched, parent, split = np.zeros((3, len(copies)), dtype=bool)
    matched[k] = matched[l] = True
    parent[splits.whole] = True
    split[splits.whole] = split[splits.part] = True
    shifted = ~split[k] & ~split[l]
    return Pairing(
        label,
        copies.image + pair,
        copies.rater,
        ~matched & ~split,
        np.zeros(len(copies), dtype=bool),
        parent,
        k[shifted] + view,
        l[shifted] + view,
        splits.whole + view,
        splits.part + view,
    )


def _units(copies: Copies, configuration: Configuration) -> IntArray:
    """Return which labels of two raters are the same object."""
    pairs = candidate_pairs(copies, "box_iou", configuration.tau)
    return solve(copies, pairs, configuration)


def _pairs(unit_of: IntArray) -> tuple[IntArray, IntArray]:
    """Return the labels of units with two, those of the first rater first."""
    order = np.argsort(unit_of, kind="stable")
    two = np.flatnonzero(unit_of[order[1:]] == unit_of[order[:-1]])
    return order[two], order[two + 1]


def _of_one_class(copies: Copies, splits: Splits) -> Splits:
    """Return splits with at least two parts of the class of the whole, and only these.

    Half of each part lies in the whole, as everywhere in KαLOS. But together they need
    not make up half of it: of the paper's splits a child has 0.088 of the parent's area
    in the median. How the paper tells them it does not say.
    """
    same = copies.label[splits.whole] == copies.label[splits.part]
    whole, part = splits.whole[same], splits.part[same]
    several = np.bincount(whole, minlength=len(copies))[whole] >= 2
    return Splits(whole[several], part[several])
