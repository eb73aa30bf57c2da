"""Schools of thought: groups of raters who agree within more than between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from ..alpha import Coincidences
from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, by_name, freeze
from ..estimates import estimate_means
from ..rematch import Problems
from ..resampling import Resampling
from .collaboration import Collaboration, raters_of
from .relabelling import Residuals, residuals
from .splits import best_splits

N_PERMUTATIONS = 999
"""Relabellings that the raters' own labels are compared with."""

SURE = 0.05
"""The p value below which schools are claimed."""


@dataclass(frozen=True, eq=False, slots=True)
class Schools:
    """Who agrees with whom, and whether raters form more than one school.

    Parameters
    ----------
    order : (R,) raters so that similar ones stand side by side; empty where no two of
        them share an image.
    tree : (R - 1, 4) what is joined into that order, as scipy writes it.
    school : (R,) 0 or 1 where more than one school is claimed, by the clearest split
        into two; else empty. Of three schools two are then together.
    gain : how much higher alpha is within the groups of the best split than between
        them, apart from how good each rater is; nan where not tested.
    p_value : how often a split is as strong where all raters are alike; nan where not
        tested.
    reason : why no schools are claimed; empty where they are.
    """

    order: IntArray
    tree: FloatArray
    school: IntArray
    gain: float
    p_value: float
    reason: str

    def __post_init__(self) -> None:
        freeze(self, "order", np.int64, None)
        freeze(self, "tree", np.float64, None, 4)
        freeze(self, "school", np.int64, None)


def schools(
    annotations: Annotations,
    problems: Problems,
    sums: Coincidences,
    found: Collaboration,
    resampling: Resampling,
    rng: np.random.Generator,
) -> Schools:
    """Return how raters group, and test whether there is more than one school.

    What a rater adds to all of their agreements is removed first, so that a careless
    rater is not a school. Then the raters of each image are relabelled at random many
    times: schools are claimed if the best split into two groups, each of at least two
    raters, is stronger than nearly all of those, and each group surely agrees more
    within than with the other.

    Parameters
    ----------
    problems, sums, found : of the collaboration of all pairs.
    """
    order, tree = _tree(found, annotations.n_raters)
    reason = _obstacle(annotations, found)
    if reason:
        return Schools(order, tree, np.arange(0), np.nan, np.nan, reason)
    rest = residuals(annotations, problems, sums)
    if (rest.count + np.eye(len(rest.count)) == 0).any():
        reason = "some two raters share no image with a third, to compare them by"
        return Schools(order, tree, np.arange(0), np.nan, np.nan, reason)
    by_rank, gain, p_value = _test(rest, rng)
    second = by_rank[np.argsort(by_name(annotations.raters))]
    if p_value >= SURE:
        reason = (
            "the clearest split into two groups is no stronger than chance would make "
            f"it, p={p_value:.3g}"
        )
    elif not _closed(problems, sums, second, resampling):
        reason = (
            "a group of the clearest split does not surely agree more within itself "
            "than with the other"
        )
    school = np.arange(0) if reason else (second != second[0]).astype(np.int64)
    return Schools(order, tree, school, gain, p_value, reason)


def _tree(found: Collaboration, n_raters: int) -> tuple[IntArray, FloatArray]:
    """Return the order of raters and the tree by average linkage of 1 - mean alpha.

    Pairs who share no image count as the mean of the others.
    """
    alpha = found.mean.value
    apart = np.isnan(alpha)
    if apart.all():
        return np.arange(n_raters if n_raters < 2 else 0), np.empty((0, 4))
    alpha = np.where(apart, alpha[~apart].mean(), alpha)
    tree = linkage(1 - alpha, "average", optimal_ordering=True)
    return leaves_list(tree).astype(np.int64), tree


def _obstacle(annotations: Annotations, found: Collaboration) -> str:
    """Return why schools cannot be told; empty if they can."""
    if annotations.n_raters < 4:
        return "fewer than four raters, and a school has at least two"
    if len(set(annotations.identity)) < annotations.n_raters:
        return "some raters are sessions of one person, whose likeness is no school"
    apart = np.flatnonzero(np.isnan(found.mean.value))
    if len(apart):
        a, b = (annotations.raters[who[apart[0]]] for who in (found.a, found.b))
        more = f" (and {len(apart) - 1} more pairs)" if len(apart) > 1 else ""
        return f"{a!r} and {b!r}{more} share no image to agree on"
    return ""


def _test(rest: Residuals, rng: np.random.Generator) -> tuple[BoolArray, float, float]:
    """Return the best split by names, its gain, and how often chance is as strong."""
    best = best_splits(rest.total(), rest.count)
    # Sums of the same numbers in another order differ in their last bits.
    bar = best.score[0] - 1e-9
    n_as_strong = sum(
        int((best_splits(total, rest.count).score >= bar).sum())
        for total in rest.relabelled(N_PERMUTATIONS, rng)
    )
    p_value = (n_as_strong + 1) / (N_PERMUTATIONS + 1)
    return best.second[0], float(best.gain[0]), p_value


def _closed(
    problems: Problems, sums: Coincidences, second: BoolArray, resampling: Resampling
) -> bool:
    """Return whether each group surely agrees more within than with the other.

    Careless raters have in common that others agree with them less; where they do not
    agree more with each other, they are no school.
    """
    a, b = (second[who].astype(np.int64) for who in raters_of(problems))
    alpha, _ = sums.alpha()
    known = ~np.isnan(alpha)
    # Within the first group 0, between both 1, within the second 2.
    shape = (len(resampling.drawn_from), 3)
    cell = (problems.image * 3 + a + b)[known]
    with np.errstate(invalid="ignore"):
        mean = np.bincount(cell, alpha[known], shape[0] * 3) / np.bincount(
            cell, minlength=shape[0] * 3
        )
    mean = mean.reshape(shape)
    more = mean[:, [0, 2]] - mean[:, [1]]
    image, group = np.indices(more.shape).reshape(2, -1)
    found = estimate_means(resampling, more.ravel(), image, group, 2)
    return bool((found.low > 0).all())
