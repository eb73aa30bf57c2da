"""Numbers of raters, classes and kinds, summed up per image so that runs compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, StrArray, freeze, sum_by
from ..class_sums import ALL, class_sums
from ..errors import KalosError
from ..model import Agreement, ReliabilityMatrix
from ..plain import AsJson
from ..ranges import cells
from ..rater_weights import shares_of_others
from .kinds import KINDS, UNDEFINED, UnitKinds


@dataclass(frozen=True, eq=False, slots=True)
class PerImage(AsJson):
    """Sums of K columns in images; a column's mean is its total by its count.

    Parameters
    ----------
    names : of the columns, raters say.
    image, column : (M,) where each sum belongs; no two of them to the same.
    total, count : (M,) sum and number of what the mean is of.
    """

    names: tuple[str, ...]
    image: IntArray
    column: IntArray
    total: FloatArray
    count: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        for name in ("image", "column"):
            freeze(self, name, np.int64, len(self.total))
        for name in ("total", "count"):
            freeze(self, name, np.float64, len(self.total))
        if len(set(self.names)) < len(self.names):
            raise KalosError(f"names must be unique, got {self.names}")
        if not (np.isfinite(self.total) & (self.count >= 0)).all():
            raise KalosError("totals must be finite and counts not below 0")
        span = len(self.names)
        if len(self.column) and not 0 <= self.column.min() <= self.column.max() < span:
            raise KalosError(f"column must be numbers of {span} names, from 0")
        if len(np.unique(self.image * span + self.column)) < len(self.column):
            raise KalosError("an image and column must have one sum, got several")


def raters_per_image(annotations: Annotations, agreement: Agreement) -> PerImage:
    """Return how much the others say what each rater says, in the units they share."""
    return rater_columns(
        annotations.raters, agreement.reliability, annotations.n_images
    )


def classes_per_image(annotations: Annotations, agreement: Agreement) -> PerImage:
    """Return alpha of the units that mention each class, image by image."""
    return class_columns(annotations.classes, agreement.reliability)


def kinds_per_image(
    annotations: Annotations, agreement: Agreement, kinds: UnitKinds
) -> PerImage:
    """Return the share of each kind in the units of which more than one was asked."""
    return kind_columns(
        kinds.kind, agreement.reliability.image_of, annotations.n_images
    )


def rater_columns(
    raters: Sequence[str], reliability: ReliabilityMatrix, n_images: int
) -> PerImage:
    """Return the same as `raters_per_image`, from a matrix with these rows."""
    image_of = reliability.image_of
    total, count = np.zeros((2, n_images, len(raters)))
    for rater, (unit, share) in enumerate(shares_of_others(reliability.values)):
        total[:, rater] = sum_by(image_of[unit], share, n_images)
        count[:, rater] = np.bincount(image_of[unit], minlength=n_images)
    image, column = cells(count > 0)
    return PerImage(
        tuple(raters), image, column, total[image, column], count[image, column]
    )


def class_columns(classes: Sequence[str], reliability: ReliabilityMatrix) -> PerImage:
    """Return the same as `classes_per_image`, from a matrix of codes of ``classes``."""
    found = class_sums(reliability)
    alpha = found.alpha()
    some = np.flatnonzero((found.label != ALL) & ~np.isnan(alpha))
    return PerImage(
        tuple(classes),
        found.image[some],
        found.label[some],
        alpha[some],
        np.ones(len(some)),
    )


def kind_columns(kind: StrArray, image_of: IntArray, n_images: int) -> PerImage:
    """Return the same as `kinds_per_image`, from the kind and image of each unit."""
    names = tuple(name for name in KINDS if name != UNDEFINED)
    n_units = np.bincount(image_of[kind != UNDEFINED], minlength=n_images)
    some = np.flatnonzero(n_units)
    total = [
        np.bincount(image_of[kind == name], minlength=n_images)[some] for name in names
    ]
    return PerImage(
        names,
        np.tile(some, len(names)),
        np.repeat(np.arange(len(names)), len(some)),
        np.concatenate(total),
        np.tile(n_units[some], len(names)),
    )
