"""Where people may see objects that are not there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, freeze
from ..distances import box_iou
from ..errors import KalosError
from ..geometry import Boxes
from ..pairs import ROUNDING
from ..ranges import pairs_in_groups, ranges
from .carry import boxes_within
from .drawn import Drawn
from .shift import SHORTEST

CLEAR = 0.1
"""IoU from which on a proposal is the object that is there already."""

SPARE = 5
"""Proposals of an image on top of one for each of its annotations."""


@dataclass(frozen=True, eq=False, slots=True)
class Proposals:
    """Boxes that false positives are chosen from, the same for all raters.

    They are what a detector of anything finds, say, or ``moved_proposals``. One whose
    box has an IoU of 0.1 or more with that of an annotation is never chosen.

    Parameters
    ----------
    image : (P,) indices of the reference's images; sorted on construction.
    boxes : P boxes inside of their images.
    source : (P,) the annotation of the reference whose shape is fitted into the box,
        and whose class is the context in an image without annotations.
    """

    image: IntArray
    boxes: Boxes
    source: IntArray

    def __post_init__(self) -> None:
        n = len(self.boxes)
        freeze(self, "image", np.int64, n)
        freeze(self, "source", np.int64, n)
        for wrong, expected in self.boxes.faults():
            self._refuse(wrong, expected)
        bounds = self.boxes.bounds()
        beyond = np.abs(bounds - 0.5) > 0.5 + ROUNDING
        self._refuse(beyond.sum(axis=1) > 0, "a box inside of its image")
        order = np.lexsort((self.source, *self.boxes.content(), self.image))
        object.__setattr__(self, "boxes", boxes_within(bounds[order]))
        for name in ("image", "source"):
            object.__setattr__(self, name, getattr(self, name)[order])
            freeze(self, name, np.int64, n)

    def _refuse(self, wrong: BoolArray, expected: str) -> None:
        if wrong.any():
            k = int(wrong.argmax())
            got = self.boxes.describe(k)
            raise KalosError(f"proposal {k} must have {expected}, got {got}")

    def __len__(self) -> int:
        return len(self.image)

    def in_order(self, order: IntArray, origin: IntArray) -> Proposals:
        """Return them for a reference in another order, as of its ``in_order``."""
        image, source = np.empty_like(order), np.empty_like(origin)
        image[order], source[origin] = np.arange(len(order)), np.arange(len(origin))
        return Proposals(image[self.image], self.boxes, source[self.source])

    def check(self, reference: Annotations) -> None:
        """Raise where images or sources are not those of the reference."""
        for name, n in (("image", reference.n_images), ("source", len(reference))):
            index = getattr(self, name)
            if ((index < 0) | (index >= n)).any():
                raise KalosError(
                    f"{name} of proposals must be from 0 to {n - 1}, got values from "
                    f"{index.min()} to {index.max()}"
                )
        flat = ~np.isin(self.source, movable(reference))
        if flat.any():
            number = self.source[flat.argmax()]
            raise KalosError(
                "source of proposals must be shapes with a width and a height, got "
                f"annotation number {number}, {reference.geometry.describe(number)}"
            )


def moved_proposals(
    reference: Annotations, rng: np.random.Generator, *, n_spare: int = SPARE
) -> Proposals:
    """Return annotations of the whole reference, moved elsewhere in any image.

    For each annotation of an image one from anywhere, and ``n_spare`` more, each
    somewhere inside of the image.
    """
    sources = movable(reference)
    n_drawn = np.bincount(reference.image, minlength=reference.n_images)
    n_each = np.where(reference.assigned.any(axis=1), n_drawn + n_spare, 0)
    image = np.repeat(np.arange(reference.n_images), n_each if len(sources) else 0)
    source = sources[rng.integers(0, max(len(sources), 1), len(image))]
    low, high = np.split(reference.geometry.bounds()[source], 2, axis=1)
    side = np.minimum(high - low, 1)
    low = rng.random((len(image), 2)) * (1 - side)
    return Proposals(image, boxes_within(np.hstack([low, low + side])), source)


def movable(reference: Annotations) -> IntArray:
    """Return which shapes fill a box, as a single joint does not.

    Only they can be drawn elsewhere; without any, no rater adds a label.
    """
    low, high = np.split(reference.geometry.bounds(), 2, axis=1)
    return np.flatnonzero(((high - low) >= SHORTEST).all(axis=1))


class Pool:
    """The proposals of some images that are clear of everything drawn there.

    Attributes
    ----------
    index : (P,) which proposals.
    image : (P,) their images, ascending.
    bounds : (P, 4) their boxes.
    k, l : proposals, as places of the above, that are not clear of each other.
    """

    def __init__(self, proposals: Proposals, index: IntArray, drawn: Drawn) -> None:
        index = index[_clear(proposals, index, drawn)]
        self.index, self.image = index, proposals.image[index]
        boxes = proposals.boxes.take(index)
        self.bounds: FloatArray = boxes.bounds()
        near = [
            (k[close], l[close])
            for k, l in pairs_in_groups(self.image)
            for close in [_close(boxes, k, l)]
        ]
        nothing: IntArray = np.empty(0, np.int64)
        columns = zip((nothing, nothing), *near, strict=True)
        self.k, self.l = (np.concatenate(column) for column in columns)


def _clear(proposals: Proposals, index: IntArray, drawn: Drawn) -> BoolArray:
    """Return which of the proposals at ``index`` are clear of all that is drawn."""
    low, high = np.split(drawn.bounds, 2, axis=1)
    xywh = [proposals.boxes.xywh[index], np.hstack([low, high - low])]
    boxes = Boxes(np.concatenate(xywh))
    image = proposals.image[index]
    first = np.searchsorted(drawn.image, image)
    count = np.searchsorted(drawn.image, image, side="right") - first
    clear = np.ones(len(index), dtype=bool)
    for k, l in ranges(first, count):
        clear[k[_close(boxes, k, len(index) + l)]] = False
    return clear


def _close(boxes: Boxes, k: IntArray, l: IntArray) -> BoolArray:
    close: BoolArray = box_iou(boxes, k, l) <= 1 - CLEAR
    return close
