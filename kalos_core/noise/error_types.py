"""The types of error between two raters, as flat arrays.

Geometry is that of the boxes around shapes, relative to the image. Angles are in
radians, from 0 to 2 pi, and grow from the x axis to the y axis of the image.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..ranges import pairs_in_groups


@dataclass(frozen=True, eq=False, slots=True)
class Shifts:
    """Objects that both raters have, leading from one rater's label to the other's.

    Parameters
    ----------
    source, target : (M,) annotations.
    weight : (M,) 1, or 1/2 where the same pair leads the other way too.
    label_from, label_to : (M,) classes.
    area : (M,) mean of both, as a part of the image.
    translation : (M,) distance of the centres, in sides of the image.
    angle : (M,) direction of it in radians, from 0 to 2 pi; nan where it is 0.
    width, height : (M,) logarithm of the target's side over the source's.
    iou : (M,) of both boxes.
    translation_ends, width_ends, height_ends : (M, 2) between which absolute values the
        pair would have been matched too, all else as it is; 0 and infinity if whatever
        it is.
    """

    source: IntArray
    target: IntArray
    weight: FloatArray
    label_from: IntArray
    label_to: IntArray
    area: FloatArray
    translation: FloatArray
    angle: FloatArray
    width: FloatArray
    height: FloatArray
    iou: FloatArray
    translation_ends: FloatArray
    width_ends: FloatArray
    height_ends: FloatArray

    def __len__(self) -> int:
        return len(self.source)

    def where(self, chosen: BoolArray) -> Shifts:
        """Return the ``chosen`` (M,) ones."""
        return Shifts(*(getattr(self, f.name)[chosen] for f in fields(self)))

    def limits(self, name: str) -> dict[str, FloatArray]:
        """Return what the likelihood of one part of shifts has to know."""
        return {"limits": getattr(self, f"{name}_ends")}

    @property
    def mistaken(self) -> BoolArray:
        """(M,) whether the two classes differ."""
        mistaken: BoolArray = self.label_from != self.label_to
        return mistaken


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """How many labels two raters have, and how many of these only one has.

    Parameters
    ----------
    image, source, target : (Q,) the image and both raters.
    weight : (Q,) 1, or 1/2 where the same two occur the other way round too.
    n_source, n_target : (Q,) labels of each.
    n_unmatched : (Q,) labels of both that the other one does not have.
    n_stray : (Q,) those among them that overlap with one of the other, yet too little
        to be matched; an even number.
    n_missed : (Q,) labels of the source that the other does not have and that do not.
    """

    image: IntArray
    source: IntArray
    target: IntArray
    weight: FloatArray
    n_source: IntArray
    n_target: IntArray
    n_unmatched: IntArray
    n_stray: IntArray
    n_missed: IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """Labels of both raters, each for every pair and way that it occurs in.

    Parameters
    ----------
    annotation : (L,) which label.
    block : (L,) a number for all labels of one rater in an image beside another rater.
    weight : (L,) 1, or 1/2 where the pair leads the other way too.
    area : (L,) as a part of the image.
    of_source : (L,) whether the difference leads away from its rater.
    unmatched : (L,) whether the other rater does not have it.
    stray : (L,) whether it overlaps with an unmatched one of the other rater.
    parent : (L,) whether the other rater has several labels in its place, or, where
        errors are known, whether it was to be split or combined.
    fragmented : (L,) whether it is a parent that leads to parts; others come of them.
    """

    annotation: IntArray
    block: IntArray
    weight: FloatArray
    area: FloatArray
    of_source: BoolArray
    unmatched: BoolArray
    stray: BoolArray
    parent: BoolArray
    fragmented: BoolArray


@dataclass(frozen=True, eq=False, slots=True)
class Children:
    """Objects that one rater drew whole and the other in parts; once for each part.

    Parameters
    ----------
    parent, child : (S,) annotations.
    event : (S,) a number for each whole, from 0.
    fragmented : (S,) how far the difference leads from the whole to the parts: 1 or 0,
        and 1/2 where it leads both ways.
    area : (S,) that of the parent.
    translation, angle : (S,) from the parent's centre to the child's, as of shifts.
    width, height : (S,) logarithm of the parent's side over the child's.
    reach : (S,) from the parent's centre to its edge, the way the child lies.
    leading : (S,) True for one child of each whole, whose direction tells the others'.
    """

    parent: IntArray
    child: IntArray
    event: IntArray
    fragmented: FloatArray
    area: FloatArray
    translation: FloatArray
    angle: FloatArray
    width: FloatArray
    height: FloatArray
    reach: FloatArray
    leading: BoolArray

    def __len__(self) -> int:
        return len(self.parent)

    def limits(self, name: str) -> dict[str, FloatArray]:
        """Return what the likelihood of one part of shifts has to know."""
        return {"ceiling": self.reach} if name == "translation" else {}

    @property
    def n_events(self) -> int:
        """Number of wholes."""
        return int(self.event.max(initial=-1)) + 1

    def apart(self) -> tuple[FloatArray, FloatArray]:
        """Return angles between children of one whole in half turns, with weights.

        Those of one whole weigh 1 together. A child at the very centre has no angle.
        """
        known = np.flatnonzero(~np.isnan(self.angle))
        found = [(known[:0], known[:0]), *pairs_in_groups(self.event[known])]
        i, j = (known[np.concatenate(each)] for each in zip(*found, strict=True))
        turn = np.abs(self.angle[i] - self.angle[j])
        n_pairs = np.bincount(self.event[i], minlength=self.n_events)
        return np.minimum(turn, 2 * np.pi - turn) / np.pi, 1 / n_pairs[self.event[i]]
