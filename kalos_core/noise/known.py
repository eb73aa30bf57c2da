"""What synthetic raters do differently, as it is known without matching."""

from __future__ import annotations

import numpy as np

from ..arrays import AnyArray, BoolArray, FloatArray
from ..distances import box_iou
from ..geometry import Boxes
from .differences import Differences
from .drawn import ADDED, CATEGORY, DELETED, SPLIT
from .error_types import Children, Counts, Labels, Shifts
from .moved import Moved
from .simulated import Simulated


def differences_of(simulated: Simulated) -> Differences:
    """Return the errors of synthetic raters, from their reference to each of them.

    They are those that were drawn, where ``extract_differences`` has to tell them by
    matching: labels that were to be combined are among them also if they found no
    partner. Annotations are numbered with those of the reference first. Areas are the
    reference's, by which the errors were drawn. How far labels were shifted that now
    end at the edge of the image is nan: they were cut there. So are shapes without an
    area. With conventions, errors are those of convention and rater together.
    """
    truth = _Truth(simulated)
    return Differences(
        truth.shifts(),
        truth.counts(),
        truth.labels(),
        truth.children(),
        simulated.reference.classes,
        np.bincount(
            simulated.reference.label, minlength=len(simulated.reference.classes)
        ),
        directed=True,
        n_left_out=int((~truth.solid).sum()),
        known=True,
    )


class _Truth:
    """A simulation and the boxes of its reference, then of its labels."""

    def __init__(self, simulated: Simulated) -> None:
        self.made = simulated
        reference = simulated.reference
        self.n, self.fate = len(reference), simulated.fate
        bounds = np.concatenate(
            [reference.geometry.bounds(), simulated.geometry.bounds()]
        )
        low, high = np.split(bounds, 2, axis=1)
        self.solid = np.asarray((high > low).all(axis=1))
        self.cut = np.asarray(((low <= 0) | (high >= 1)).any(axis=1))
        xywh = np.hstack([low, high - low])
        xywh[~self.solid] = 0.5  # no matter where
        self.boxes = Boxes(xywh)
        self.area = self.boxes.area()
        self.first_reference = np.append(simulated.reference_index, 0)[
            np.minimum(simulated.first[:-1], len(simulated.reference_index))
        ]

    def shifts(self) -> Shifts:
        """Return the labels that come from one of the reference, and are no parts."""
        made = self.made
        label = np.flatnonzero(made.error >= CATEGORY)
        source, target = self.first_reference[label], self.n + label
        moved = Moved(self.boxes, source, target)
        unknown = self.cut[target] | ~self.solid[source] | ~self.solid[target]
        ends = np.tile([0.0, np.inf], (3, len(label), 1))
        return Shifts(
            source,
            target,
            np.ones(len(label)),
            made.reference.label[source],
            made.label[label],
            self.area[source],
            _unless(unknown, moved.translation),
            _unless(unknown, moved.angle),
            _unless(unknown, moved.width),
            _unless(unknown, moved.height),
            _unless(unknown, 1 - box_iou(self.boxes, source, target)),
            *ends,
        )

    def counts(self) -> Counts:
        """Return how many labels were deleted and added, by image and rater."""
        made, reference = self.made, self.made.reference
        n_images, n_raters = reference.n_images, len(made.raters)
        image, rater = np.nonzero(np.repeat(reference.assigned, n_raters, axis=1))
        shape = (n_images, n_raters)
        deleted, added, n_target = np.zeros((3, *shape), dtype=np.int64)
        who, which = np.nonzero(self.fate == DELETED)
        np.add.at(deleted, (reference.image[which], who), 1)
        new = made.error == ADDED
        np.add.at(added, (made.image[new], made.rater[new]), 1)
        np.add.at(n_target, (made.image, made.rater), 1)
        n_source = np.bincount(reference.image, minlength=n_images)
        return Counts(
            image,
            np.zeros(len(image), np.int64),
            rater + 1,
            np.ones(len(image)),
            n_source[image],
            n_target[image, rater],
            (deleted + added)[image, rater],
            np.zeros(len(image), np.int64),
            deleted[image, rater],
        )

    def labels(self) -> Labels:
        """Return all of the reference, once for each rater, then all of the raters.

        What was to be combined is told by what was drawn, not by what became of it.
        """
        n_raters, error = len(self.made.raters), self.made.error
        annotation = np.append(
            np.tile(np.arange(self.n), n_raters), self.n + np.arange(len(error))
        )
        fate = np.append(self.fate.ravel(), error)
        combining = np.append(self.made.combining.ravel(), np.zeros(len(error), bool))
        image = np.append(self.made.reference.image, self.made.image)[annotation]
        rater = np.append(np.repeat(np.arange(n_raters), self.n), self.made.rater)
        block = (image * n_raters + rater) * 2 + (annotation >= self.n)
        of_source: BoolArray = annotation < self.n
        split = of_source & (fate == SPLIT)
        columns: tuple[AnyArray, ...] = (
            annotation,
            block,
            np.ones(len(annotation)),
            self.area[annotation],
            of_source,
            np.where(of_source, fate == DELETED, fate == ADDED),
            np.zeros(len(annotation), dtype=bool),
            split | (combining & (fate != DELETED)),
            split,
        )
        solid = self.solid[annotation]
        return Labels(*(column[solid] for column in columns))

    def children(self) -> Children:
        """Return the parts of split labels.

        Those of combined ones lay there before: no law of parts has placed them.
        """
        made = self.made
        part = np.flatnonzero(made.error == SPLIT)
        parent, child = self.first_reference[part], self.n + part
        known = self.solid[parent] & self.solid[child] & ~self.cut[child]
        _, event = np.unique(made.rater[part] * self.n + parent, return_inverse=True)
        # Those of one label follow each other, the first of them first.
        leading = np.zeros(len(event), dtype=bool)
        leading[np.unique(event, return_index=True)[1]] = True
        parent, child, leading = parent[known], child[known], leading[known]
        moved = Moved(self.boxes, parent, child)
        _, event = np.unique(event[known], return_inverse=True)
        return Children(
            parent,
            child,
            event,
            np.ones(len(parent)),
            self.area[parent],
            moved.translation,
            moved.angle,
            -moved.width,
            -moved.height,
            moved.reach,
            leading,
        )


def _unless(unknown: BoolArray, value: FloatArray) -> FloatArray:
    return np.where(unknown, np.nan, value)
