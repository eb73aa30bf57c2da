"""Annotator vitality: how agreement changes with each rater (paper, downstream tasks).

V_r = alpha_R - alpha_{R without r}: positive for whoever builds consensus, negative for
whoever stands against it. That is not the truth: a lone rater may be right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..alpha import joined
from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, freeze, sum_by
from ..class_sums import ALL, ClassSums
from ..estimates import (
    Estimates,
    estimate_apart,
    estimate_means,
    images_behind,
    with_intervals,
)
from ..model import Agreement, Configuration
from ..ranges import cells, grouped
from ..rematch import Problems
from ..resampling import Resampling
from .dropped import Changes, GlobalAlphas, changes


@dataclass(frozen=True, eq=False, slots=True)
class ClassVitality:
    """How each class's alpha changes with each rater.

    Pairs of a rater and a class that never met in an image are not listed.

    Parameters
    ----------
    rater, label : (M,) the pairs, in order.
    mean : over images with at least three assigned raters in which others than the
        rater mention the class, each matched again.
    overall : of the units of all images together.
    """

    rater: IntArray
    label: IntArray
    mean: Estimates
    overall: Estimates

    def __post_init__(self) -> None:
        freeze(self, "rater", np.int64, len(self.mean))
        freeze(self, "label", np.int64, len(self.mean))


@dataclass(frozen=True, eq=False, slots=True)
class Vitality:
    """V_r of each rater; nan from 0 images where it is undefined.

    Parameters
    ----------
    mean : (R,) over images with at least three assigned raters, each matched again
        without the rater.
    relative : (R,) the same less the mean of all raters of the image. It is 0 for
        raters who are alike; ``mean`` is below, as fewer raters are at one in more
        images by chance, and so its sign alone says nothing.
    overall : (R,) with the rater's row of the global matrix dropped, not matched
        again, as in the reference. Its images are those of the rater.
    by_class : ``mean`` and ``overall`` for each class.
    """

    mean: Estimates
    relative: Estimates
    overall: Estimates
    by_class: ClassVitality


def problems(annotations: Annotations, configuration: Configuration) -> Problems:
    """Return each image of at least three raters without each of them."""
    assigned = annotations.assigned
    image, rater = cells(assigned & (assigned.sum(axis=1) >= 3)[:, None])
    member = assigned[image]
    member[np.arange(len(image)), rater] = False
    return Problems(image, member, (configuration.tau,))


def vitality(
    annotations: Annotations,
    agreement: Agreement,
    whole: ClassSums,
    problems: Problems,
    sums: ClassSums,
    resampling: Resampling,
) -> Vitality:
    """Return the vitality of each rater.

    Parameters
    ----------
    whole : sums of all images.
    problems, sums : images without each of their raters, and the sums of these.
    """
    rater, image, less, uniform = per_image(annotations, whole, problems, sums)
    total = sums.label == ALL
    change = changes(agreement.reliability, whole)
    if not annotations.asked.all():
        change, silent = _with_a_say(change, rater, image, sums.label)
        less[silent] = np.nan
    span = len(annotations.classes) + 1
    again = rater * span + sums.label + 1
    dropped = change.rater * span + change.label + 1
    every: IntArray = np.arange(annotations.n_raters) * span + ALL + 1
    columns = (every, again, dropped)
    key, column = grouped(np.concatenate(columns), annotations.n_raters * span)
    every, again, dropped = np.split(column, np.cumsum([*map(len, columns)])[:-1])
    known = ~np.isnan(less)
    mean = estimate_means(resampling, less, image, again, len(key)).within(-2, 2)
    mean = mean.with_convention(uniform[known], again[known])
    overall = _overall(whole, change, dropped, key % span - 1, resampling)
    relative = estimate_apart(
        resampling, less[total], image[total], rater[total], len(every)
    )
    rest = np.setdiff1d(np.arange(len(key)), every)
    return Vitality(
        mean.take(every),
        replace(relative.within(-2, 2), by_convention=mean.by_convention[every]),
        overall.take(every),
        ClassVitality(
            key[rest] // span,
            key[rest] % span - 1,
            mean.take(rest),
            overall.take(rest),
        ),
    )


def _with_a_say(
    change: Changes, rater: IntArray, image: IntArray, label: IntArray
) -> tuple[Changes, BoolArray]:
    """Return the changes of raters who have a value to pair, and (G,) who has none.

    Who was not asked for what the others drew changes nothing by leaving; that says
    nothing of the rater.

    Parameters
    ----------
    rater, image, label : (G,) who is left out of which image and class.
    """
    n_images, n_labels = (
        int(max(one.max(initial=-1), other.max(initial=-1))) + 2
        for one, other in ((change.image, image), (change.label, label))
    )
    own, asked = (
        (r * n_images + i) * n_labels + c + 1
        for r, i, c in (
            (change.rater, change.image, change.label),
            (rater, image, label),
        )
    )
    cell, place = np.unique(own, return_inverse=True)
    says = sum_by(place, change.sums.n, len(cell)) != 0
    kept = np.flatnonzero(says[place])
    left = Changes(
        change.rater[kept],
        change.image[kept],
        change.label[kept],
        change.sums.take(kept),
    )
    return left, ~np.isin(asked, cell[says])


def per_image(
    annotations: Annotations, whole: ClassSums, problems: Problems, sums: ClassSums
) -> tuple[IntArray, IntArray, FloatArray, BoolArray]:
    """Return (G,) who is left out of which image in each group, and V_r there.

    The last is whether only one value occurs, both with and without the rater: then
    there was no chance to disagree.

    Parameters
    ----------
    whole : sums of all images.
    problems, sums : images without each of their raters, and the sums of these.
    """
    _, left_out = cells(annotations.assigned[problems.image] & ~problems.member)
    rater, image = left_out[sums.image], problems.image[sums.image]
    return rater, image, *_less(whole, image, sums)


def _less(
    whole: ClassSums, image: IntArray, sums: ClassSums
) -> tuple[FloatArray, BoolArray]:
    """Return (G,) alpha of image and class less that of ``sums``; nan if undefined.

    Parameters
    ----------
    image : (G,) of each group of ``sums``.
    """
    base = whole.find(image, sums.label)
    if not len(whole.sums):
        return np.full(len(base), np.nan), np.zeros(len(base), dtype=bool)
    alpha, uniform = whole.sums.alpha()
    without, stays_uniform = sums.sums.alpha()
    less = np.where(base >= 0, alpha[base], np.nan) - without
    return less, (base >= 0) & uniform[base] & stays_uniform


def _overall(
    whole: ClassSums,
    change: Changes,
    column: IntArray,
    label: IntArray,
    resampling: Resampling,
) -> Estimates:
    """Return what rows and classes (K,) change in the alpha of all images together.

    Parameters
    ----------
    column : (G,) of each group of ``change``.
    label : (K,) the class of each column.
    """
    if not len(column):
        nothing = np.full(len(label), np.nan)
        return Estimates(nothing, nothing, nothing, np.zeros_like(label))
    value, by_convention = _value(whole, change, column, label)
    rounds: FloatArray = np.empty((0, len(label)))
    if resampling.n_boot:
        n_images = len(resampling.drawn_from)
        alphas = GlobalAlphas(whole, change, column, label, n_images)
        rounds = np.concatenate(
            [*map(alphas.change_of, resampling.weights())], axis=1
        ).T
    own = change.sums.n != 0
    behind = images_behind(change.image[own], column[own], len(label))
    defined = (behind > 0) & ~np.isnan(value)
    found = with_intervals(
        np.where(defined, value, np.nan), rounds, np.where(defined, behind, 0)
    )
    return replace(found.within(-2, 2), by_convention=by_convention & defined)


def _value(
    whole: ClassSums, change: Changes, column: IntArray, label: IntArray
) -> tuple[FloatArray, BoolArray]:
    """Return (K,) what a column changes in its class's alpha; if by convention."""
    n_labels = 2 + int(max(whole.label.max(initial=0), label.max(initial=0)))
    base = whole.sums.summed(whole.label + 1, n_labels)
    changed = change.sums.summed(column, len(label))
    both = joined([base.take(label + 1), changed])
    without = both.summed(np.tile(np.arange(len(label)), 2), len(label))
    alpha, is_uniform = base.alpha()
    left, stays_uniform = without.alpha()
    return alpha[label + 1] - left, is_uniform[label + 1] & stays_uniform
