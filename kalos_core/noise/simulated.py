"""What synthetic raters drew, and what happened to each annotation of the reference."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, StrArray, freeze
from ..errors import KalosError
from .candidates import STAGES
from .carry import Movable
from .drawn import DELETED, ERRORS


@dataclass(frozen=True, eq=False, slots=True)
class Simulated:
    """Labels (M,) of R synthetic raters with the truth about each of them.

    They are in the order of ``annotations()``: image, rater, annotation id.

    Parameters
    ----------
    reference : what the raters were to draw.
    raters : R names.
    group : (R,) raters of one number share a convention.
    magnitude : (R,) how noisy each rater is.
    image, rater, label : (M,) indices, as in ``Annotations``.
    geometry : M shapes.
    annotation_id : (M,) the id of the annotation a label comes from; parts, combined
        and added ones have an ending.
    error : (M,) indices into ``ERRORS``. Of the error of a shared convention and the
        rater's own the graver is named.
    first : (M + 1,) where the references of each label begin, and the end of the last.
    reference_index : annotations of the reference that labels come from: none for
        added ones, several for combined ones.
    n_attempted, n_lost : (R, 4) errors of each of ``STAGES`` that were drawn, and those
        among them whose annotation another error had already changed. What could not
        be done anyway, for want of a place, a partner or another class, does not count,
        nor do errors of a shared convention.
    combining : (R, N) annotations that each rater was to combine with another one. Not
        all were: some had no likely partner, and that of others was already changed.
    n_unpaired : (R,) those among them that had none in the image that is likely to be a
        part of the same object.
    """

    reference: Annotations
    raters: tuple[str, ...]
    group: IntArray
    magnitude: FloatArray
    image: IntArray
    rater: IntArray
    label: IntArray
    geometry: Movable
    annotation_id: StrArray
    error: IntArray
    first: IntArray
    reference_index: IntArray
    n_attempted: IntArray
    n_lost: IntArray
    combining: BoolArray
    n_unpaired: IntArray

    def __post_init__(self) -> None:
        n, n_raters = len(self.geometry), len(self.raters)
        for name in ("image", "rater", "label", "error"):
            freeze(self, name, np.int64, n)
        freeze(self, "annotation_id", np.str_, n)
        freeze(self, "first", np.int64, n + 1)
        freeze(self, "reference_index", np.int64, int(self.first[-1]))
        freeze(self, "group", np.int64, n_raters)
        freeze(self, "magnitude", np.float64, n_raters)
        freeze(self, "combining", np.bool_, n_raters, len(self.reference))
        freeze(self, "n_unpaired", np.int64, n_raters)
        for name in ("n_attempted", "n_lost"):
            freeze(self, name, np.int64, n_raters, len(STAGES))
        if ((self.error <= DELETED) | (self.error >= len(ERRORS))).any():
            raise KalosError(
                f"error must be from {DELETED + 1} to {len(ERRORS) - 1}, got values "
                f"from {self.error.min()} to {self.error.max()}"
            )

    def __len__(self) -> int:
        return len(self.geometry)

    @property
    def fate(self) -> IntArray:
        """(R, N) what each rater did to each annotation: indices into ``ERRORS``.

        It is the gravest error of the labels that come from it, and ``"deleted"``
        where there are none.
        """
        rater = np.repeat(self.rater, np.diff(self.first))
        error = np.repeat(self.error, np.diff(self.first))
        fate = np.full((len(self.raters), len(self.reference)), len(ERRORS))
        np.minimum.at(fate, (rater, self.reference_index), error)
        return np.where(fate < len(ERRORS), fate, DELETED)

    @property
    def signal_loss(self) -> float:
        """The part of all errors that were drawn but lost; 0 if none were drawn."""
        return float(part_lost(self.n_attempted.sum(), self.n_lost.sum()))

    def reference_ids(self) -> list[list[str]]:
        """Return for each label the ids of the annotations that it comes from."""
        ids = self.reference.annotation_id[self.reference_index].tolist()
        ends = self.first.tolist()
        return [ids[a:b] for a, b in pairwise(ends)]

    def annotations(self) -> Annotations:
        """Return the raters' annotations, everyone assigned as the reference was."""
        assigned = np.repeat(self.reference.assigned, len(self.raters), axis=1)
        return Annotations(
            image=self.image,
            rater=self.rater,
            label=self.label,
            geometry=self.geometry,
            annotation_id=self.annotation_id,
            assigned=assigned,
            images=self.reference.images,
            raters=self.raters,
            classes=self.reference.classes,
        )


def part_lost(n_attempted: IntArray, n_lost: IntArray) -> FloatArray:
    """Return the part of errors that were lost; 0 where none were drawn."""
    part: FloatArray = n_lost / np.maximum(n_attempted, 1)
    return part
