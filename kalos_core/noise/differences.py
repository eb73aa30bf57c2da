"""What two raters of one image do differently: the data behind the noise generator.

Paper, appendix "Empirical Noise Generator", error extraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray
from ..checks import check_type
from ..diagnostics.collaboration import raters_of
from ..distances import box_iou
from ..geometry import Boxes
from ..rematch import Problems
from .error_types import Children, Counts, Labels, Shifts
from .moved import Moved
from .pairing import MATCHING, Pairing, as_boxes, match_in_pairs, pairs_of_raters
from .visible import matched_ranges

Table = TypeVar("Table", Shifts, Counts, Labels)


@dataclass(frozen=True, eq=False, slots=True)
class Differences:
    """All differences between the raters of a data set, by type of error.

    Parameters
    ----------
    shifts, counts, labels, children : tables of flat arrays.
    classes : names.
    frequency : (C,) labels of each class.
    directed : whether all lead from a reference rater to the others.
    n_left_out : labels without an area.
    known : whether errors are those that were drawn, rather than told by matching.
    """

    shifts: Shifts
    counts: Counts
    labels: Labels
    children: Children
    classes: tuple[str, ...]
    frequency: IntArray
    directed: bool
    n_left_out: int
    known: bool = False

    @property
    def once(self) -> Shifts:
        """Shifts of which every pair of labels occurs one way only."""
        way = self.shifts.source < self.shifts.target
        return self.shifts.where(way | self.directed)

    @property
    def confusion(self) -> FloatArray:
        """(C, C) how often which class was taken for which."""
        pairs, n_classes = self.shifts, len(self.classes)
        counts = np.zeros((n_classes, n_classes))
        np.add.at(counts, (pairs.label_from, pairs.label_to), pairs.weight)
        np.fill_diagonal(counts, 0)
        return counts


def extract_differences(
    annotations: Annotations, *, reference: str | None = None
) -> Differences:
    """Return what every two raters of an image do differently.

    Each two raters are matched on their own, at an IoU of boxes of at least 0.5, same
    classes first. What they both have is a shift, and a category mistake where classes
    differ; what one of them drew whole and the other in parts of that class is a split;
    the rest is unmatched, and stray where two of the rest overlap by an IoU of 0.1 or
    more. Nothing depends on the order or the names of raters.

    Parameters
    ----------
    reference : the rater whose labels the others' differ from. Without it every pair
        counts both ways, each with weight 1/2.
    """
    check_type("annotations", annotations, Annotations)
    boxes, shapes, index = as_boxes(annotations)
    pairs = pairs_of_raters(boxes, reference)
    found = match_in_pairs(boxes, pairs, annotations.asked)
    if reference is None:
        ways = [np.zeros(len(pairs), np.int64), np.ones(len(pairs), np.int64)]
    else:
        second = raters_of(pairs)[1] == annotations.raters.index(reference)
        ways = [second.astype(np.int64)]
    views = shapes.take(found.label)
    return Differences(
        _joined([_shifts(found, views, boxes, index, way, len(ways)) for way in ways]),
        _joined([_counts(found, pairs, way) for way in ways]),
        _joined([_labels(found, views, index, way) for way in ways]),
        _children(found, views, index, ways),
        annotations.classes,
        np.bincount(boxes.label, minlength=len(boxes.classes)),
        reference is not None,
        len(annotations) - len(boxes),
    )


def _joined(ways: Sequence[Table]) -> Table:
    """Return the rows of all ways, which share the weight of 1."""
    first, *_ = ways
    columns = {
        f.name: np.concatenate([getattr(way, f.name) for way in ways])
        for f in fields(first)
    }
    columns["weight"] /= len(ways)
    return type(first)(**columns)


def _shifts(
    found: Pairing,
    views: Boxes,
    boxes: Annotations,
    index: IntArray,
    way: IntArray,
    n_ways: int,
) -> Shifts:
    """Return shifts away from the side ``way`` (Q,) of each pair, one of ``n_ways``."""
    ahead = way[found.pair[found.k]] == 0
    source = np.where(ahead, found.k, found.l)
    target = np.where(ahead, found.l, found.k)
    moved = Moved(views, source, target)
    area = views.area()
    return Shifts(
        index[found.label[source]],
        index[found.label[target]],
        np.ones(len(source)),
        boxes.label[found.label[source]],
        boxes.label[found.label[target]],
        (area[source] + area[target]) / 2,
        moved.translation,
        moved.angle,
        moved.width,
        moved.height,
        1 - box_iou(views, source, target),
        *matched_ranges(
            moved.side, moved.step, moved.log_ratio, 1 - MATCHING.tau, n_ways == 1
        ),
    )


def _counts(found: Pairing, pairs: Problems, way: IntArray) -> Counts:
    raters = np.stack(raters_of(pairs))
    n = np.zeros((2, len(pairs)), dtype=np.int64)
    np.add.at(n, (found.side, found.pair), 1)
    each = np.arange(len(pairs))
    missed = found.alone & ~found.stray & (found.side == way[found.pair])
    return Counts(
        pairs.image,
        raters[way, each],
        raters[1 - way, each],
        np.ones(len(pairs)),
        n[way, each],
        n[1 - way, each],
        np.bincount(found.pair[found.alone], minlength=len(pairs)),
        np.bincount(found.pair[found.stray], minlength=len(pairs)),
        np.bincount(found.pair[missed], minlength=len(pairs)),
    )


def _labels(found: Pairing, views: Boxes, index: IntArray, way: IntArray) -> Labels:
    of_source: BoolArray = found.side == way[found.pair]
    return Labels(
        index[found.label],
        found.pair * 2 + found.side,
        np.ones(len(found.label)),
        views.area(),
        of_source,
        found.alone,
        found.stray,
        found.parent,
        found.parent & of_source,
    )


def _children(
    found: Pairing, views: Boxes, index: IntArray, ways: Sequence[IntArray]
) -> Children:
    moved = Moved(views, found.whole, found.part)
    _, event = np.unique(found.whole, return_inverse=True)
    pair, side = found.pair[found.whole], found.side[found.whole]
    # Whichever was drawn first is not known: the larger one, then that more right.
    order = np.lexsort((moved.angle, -moved.width - moved.height, event))
    leading = np.zeros(len(event), dtype=bool)
    leading[order[np.unique(event[order], return_index=True)[1]]] = True
    return Children(
        index[found.label[found.whole]],
        index[found.label[found.part]],
        event,
        np.mean([side == way[pair] for way in ways], axis=0),
        views.area()[found.whole],
        moved.translation,
        moved.angle,
        -moved.width,
        -moved.height,
        moved.reach,
        leading,
    )
