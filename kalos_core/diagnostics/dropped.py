"""Alpha of the global matrix without each rater's row, from what the row changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..alpha import (
    Coincidences,
    alpha_of_sums,
    joined,
    pairable_values,
    value_counts,
)
from ..arrays import BoolArray, FloatArray, IntArray
from ..class_sums import ClassSums, sums_of_classes
from ..column_sums import ColumnSums, Weights
from ..model import UNASSIGNED, ReliabilityMatrix
from ..ranges import cells, grouped, pieces, places, runs

CELLS = 1 << 17
"""Values of units without a row that are looked at at a time."""


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
    image_of, n_raters = reliability.image_of, len(reliability.values)
    n_images = int(image_of.max(initial=-1)) + 1
    values = np.ascontiguousarray(reliability.values.T)
    unit, rater = cells(values != UNASSIGNED)
    if n_raters < 3:
        unit, rater = unit[:0], rater[:0]
    # An image without one of its raters is an image of its own.
    own = np.zeros((n_raters, n_images), dtype=bool)
    own[rater, image_of[unit]] = True
    dropped = values[unit, rater]
    not_asked = _not_asked(values, image_of, own, len(unit))
    dropped = np.append(dropped, np.full(len(not_asked[0]), UNASSIGNED))
    unit, rater = np.append(unit, not_asked[0]), np.append(rater, not_asked[1])
    apart, of = grouped(image_of[unit] * n_raters + rater, own.size)
    of_rater, group = cells(own[:, whole.image])
    parts = [_times(whole.sums.take(group), np.full(len(group), -1.0))]
    columns = [[of_rater], [whole.image[group]], [whole.label[group]]]
    counts = value_counts(reliability.values)
    n_values = np.bincount(counts[0], minlength=len(values))
    for start, stop in pieces(n_values[unit], CELLS):
        some = slice(start, stop)
        without = _without(*counts, unit[some], dropped[some])
        least = of[some].min()
        found = sums_of_classes(*without, of[some] - least)
        parts.append(found.sums)
        cell = apart[found.image + least]
        added = (cell % n_raters, cell // n_raters, found.label)
        for column, array in zip(columns, added, strict=True):
            column.append(array)
    of_rater, image, label = map(np.concatenate, columns)
    return Changes(of_rater, image, label, joined(parts))


def _not_asked(
    values: npt.NDArray[np.int32], image_of: IntArray, own: BoolArray, n_asked: int
) -> tuple[IntArray, IntArray]:
    """Return units on which a rater of their image was not asked, and the rater.

    Without the rater's row they stay what they are.
    """
    n_units = np.bincount(image_of, minlength=own.shape[1])
    if own.sum(axis=0) @ n_units == n_asked:
        nothing: IntArray = np.empty(0, np.int64)
        return nothing, nothing
    return cells(own.T[image_of] & (values == UNASSIGNED))


def _without(
    unit: IntArray,
    value: IntArray,
    count: FloatArray,
    lacking: IntArray,
    dropped: npt.NDArray[np.int32],
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return what ``unit_values`` would of units that each lack one of their cells.

    Parameters
    ----------
    unit, value, count : of all units with all cells, as ``value_counts`` found them.
    lacking, dropped : (M,) units, and the value of the cell that each lacks;
        ``UNASSIGNED`` for none.
    """
    n_units = int(max(unit.max(initial=-1), lacking.max(initial=-1))) + 1
    first, length = (found[lacking] for found in runs(unit, n_units))
    lacks, place = np.repeat(np.arange(len(lacking)), length), places(first, length)
    left = count[place] - (value[place] == dropped[lacks])
    some = np.flatnonzero(left)
    return pairable_values(lacks[some], value[place[some]], left[some], len(lacking))


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

    def change_of(self, weight: Weights) -> FloatArray:
        """Return (K, rounds) alpha with the row less that without.

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
        return with_row - without
