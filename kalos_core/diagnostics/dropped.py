"""Alpha of the global matrix without each rater's row, from what the row changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alpha import Coincidences, alpha_of_sums, joined
from ..arrays import FloatArray, IntArray
from ..class_sums import ClassSums, class_sums
from ..column_sums import ColumnSums, Weights
from ..model import UNASSIGNED, ReliabilityMatrix


@dataclass(frozen=True, eq=False, slots=True)
class Changes:
    """What dropping a rater's row adds to the sums of an image and class.

    Parameters
    ----------
    rater, image, label : (G,) of each group.
    sums : G groups: those without the row, and those with it, which are negative.
    """

    rater: IntArray
    image: IntArray
    label: IntArray
    sums: Coincidences


def changes(reliability: ReliabilityMatrix, whole: ClassSums) -> Changes:
    """Return what dropping each row changes, in the images of its rater.

    Of fewer than three rows none can be dropped.

    Parameters
    ----------
    whole : sums of each image and class with all rows.
    """
    image_of = reliability.image_of
    n_images = int(image_of.max(initial=-1)) + 1
    nothing: IntArray = np.empty(0, np.int64)
    columns = [[nothing] for _ in range(3)]
    parts = []
    several = len(reliability.values) >= 3
    for rater, row in enumerate(reliability.values if several else ()):
        own = np.zeros(n_images, dtype=bool)
        own[image_of[row != UNASSIGNED]] = True
        unit = np.flatnonzero(own[image_of])
        dropped = reliability.values[:, unit]
        dropped[rater] = UNASSIGNED
        without = class_sums(ReliabilityMatrix(dropped, image_of[unit], np.arange(0)))
        group = np.flatnonzero(own[whole.image])
        less = _times(whole.sums.take(group), np.full(len(group), -1.0))
        parts += [without.sums, less]
        image = np.concatenate([without.image, whole.image[group]])
        label = np.concatenate([without.label, whole.label[group]])
        added = (np.full(len(image), rater), image, label)
        for column, array in zip(columns, added, strict=True):
            column.append(array)
    of_rater, image, label = map(np.concatenate, columns)
    return Changes(of_rater, image, label, joined(parts))


def _times(sums: Coincidences, factor: FloatArray) -> Coincidences:
    """Return the sums of each group times its factor (G,)."""
    return Coincidences(
        sums.n * factor,
        sums.o_cc * factor,
        sums.group,
        sums.value,
        sums.n_c * factor[sums.group],
    )


class GlobalAlphas:
    """Alpha of classes with and without a row, for any weighting of the images.

    Parameters
    ----------
    whole : sums of each image and class.
    change : what dropping rows adds to them.
    column : (G,) of each group of ``change``, K of them.
    label : (K,) the class that each column changes.
    n_images : number of images, I.
    """

    def __init__(
        self,
        whole: ClassSums,
        change: Changes,
        column: IntArray,
        label: IntArray,
        n_images: int,
    ) -> None:
        n_labels = 2 + int(max(whole.label.max(initial=0), label.max(initial=0)))
        self.whole = ColumnSums(
            whole.sums, whole.image, whole.label + 1, n_labels, n_images
        )
        self.change = ColumnSums(
            change.sums, change.image, column, len(label), n_images
        )
        self.base = label + 1
        changed, value = np.divmod(self.change.key, self.change.span)
        # What a column changes is part of the whole, so each of its values is there.
        self.same = np.searchsorted(
            self.whole.key, self.base[changed] * self.whole.span + value
        )

    def __call__(self, weight: Weights) -> tuple[FloatArray, FloatArray]:
        """Return alpha (K, rounds) with the row and without.

        Parameters
        ----------
        weight : (I, rounds) of the images in each round.
        """
        n, o_cc, n_c = self.whole.weighted(weight)
        chance = (self.whole.of_key @ (n_c * (n_c - 1)))[self.base]
        n, o_cc = n[self.base], o_cc[self.base]
        less_n, less_o_cc, less = self.change.weighted(weight)
        # (b + d) (b + d - 1) = b (b - 1) + d (2 b + d - 1)
        changed = self.change.of_key @ (less * (2 * n_c[self.same] + less - 1))
        with_row, _ = alpha_of_sums(n, o_cc, chance)
        without, _ = alpha_of_sums(n + less_n, o_cc + less_o_cc, chance + changed)
        return with_row, without
