"""Annotator vitality: how agreement changes with each rater (paper, downstream tasks).

V_r = alpha_R - alpha_{R without r}: positive for whoever builds consensus, negative for
whoever stands against it. That is not the truth: a lone rater may be right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import IntArray, freeze
from ..class_sums import ALL, ClassSums
from ..estimates import Estimates, estimate_means, images_behind, with_intervals
from ..model import Agreement, Configuration
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
    overall : (R,) with the rater's row of the global matrix dropped, not matched
        again, as in the reference. Its images are those of the rater.
    by_class : the same for each class.
    """

    mean: Estimates
    overall: Estimates
    by_class: ClassVitality


def problems(annotations: Annotations, configuration: Configuration) -> Problems:
    """Return each image of at least three raters without each of them."""
    assigned = annotations.assigned
    image, rater = np.nonzero(assigned & (assigned.sum(axis=1) >= 3)[:, None])
    member = assigned[image]
    member[np.arange(len(image)), rater] = False
    return Problems(image, member, configuration.tau)


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
    change = changes(agreement.reliability)
    left_out = (annotations.assigned[problems.image] & ~problems.member).argmax(axis=1)
    span = len(annotations.classes) + 1
    again = left_out[sums.image] * span + sums.label + 1
    dropped = change.rater * span + change.label + 1
    every = np.arange(annotations.n_raters) * span + ALL + 1
    columns = np.unique(np.concatenate([every, again, dropped]))
    rater, label = np.divmod(columns, span)
    again, dropped = np.searchsorted(columns, again), np.searchsorted(columns, dropped)
    mean = _mean(
        whole, problems.image[sums.image], sums, again, len(columns), resampling
    )
    overall = _overall(whole, change, dropped, label - 1, resampling)
    every = np.searchsorted(columns, every)
    rest = np.setdiff1d(np.arange(len(columns)), every)
    return Vitality(
        mean.take(every),
        overall.take(every),
        ClassVitality(
            rater[rest], label[rest] - 1, mean.take(rest), overall.take(rest)
        ),
    )


def _mean(
    whole: ClassSums,
    image: IntArray,
    sums: ClassSums,
    column: IntArray,
    n_columns: int,
    resampling: Resampling,
) -> Estimates:
    """Return the mean over images of alpha less alpha of each group of ``sums``.

    Parameters
    ----------
    image, column : (G,) of each group.
    """
    base = whole.find(image, sums.label)
    both = base >= 0
    change = whole.alpha()[base] - sums.alpha()
    return estimate_means(
        resampling, change[both], image[both], column[both], n_columns
    )


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
    n_images = len(resampling.drawn_from)
    alphas = GlobalAlphas(whole, change, column, label, n_images)
    value, *rounds = (
        with_row - without
        for weight in (np.ones((n_images, 1)), *resampling.weights())
        for with_row, without in [alphas(weight)]
    )
    own = change.sums.n != 0
    behind = images_behind(change.image[own], column[own], len(label))
    defined = (behind > 0) & ~np.isnan(value[:, 0])
    return with_intervals(
        np.where(defined, value[:, 0], np.nan),
        np.concatenate(rounds, axis=1).T,
        np.where(defined, behind, 0),
    )
