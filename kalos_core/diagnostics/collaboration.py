"""Collaboration: the agreement of every two raters, matched on their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alpha import Coincidences
from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, freeze
from ..class_sums import ALL, ClassSums
from ..estimates import Estimates, estimate_both
from ..model import Configuration
from ..ranges import cells, ends_of_runs, ranges
from ..rematch import Problems, merged
from ..resampling import Resampling


@dataclass(frozen=True, eq=False, slots=True)
class Collaboration:
    """Agreement of all pairs of raters; nan from 0 images where they share none.

    Parameters
    ----------
    a, b : (P,) the raters of each pair, a < b, in order.
    mean : (P,) over their common images.
    overall : (P,) of their common images together.
    """

    a: IntArray
    b: IntArray
    mean: Estimates
    overall: Estimates

    def __post_init__(self) -> None:
        freeze(self, "a", np.int64, len(self.mean))
        freeze(self, "b", np.int64, len(self.mean))


def problems(annotations: Annotations, configuration: Configuration) -> Problems:
    """Return each image with every two of its raters."""
    image, rater = cells(annotations.assigned)
    after = np.arange(1, len(image) + 1)
    found = [*ranges(after, ends_of_runs(image) - after)]
    one, other = (
        map(np.concatenate, zip(*found, strict=True)) if found else (image,) * 2
    )
    member = np.zeros((len(one), annotations.n_raters), dtype=bool)
    for place in (one, other):
        member[np.arange(len(one)), rater[place]] = True
    return Problems(image[one], member, (configuration.tau,))


def among_others(annotations: Annotations, problems: Problems) -> BoolArray:
    """Return (Q,) which pairs of raters have to be matched.

    Of three raters the pairs are what is left without each of them, which vitality has
    matched already.
    """
    of_three = annotations.assigned.sum(axis=1) == 3
    known: BoolArray = of_three[problems.image] & annotations.asked.all()
    return ~known


def with_left_out(
    matched: Coincidences, is_matched: BoolArray, left_out: Problems, sums: ClassSums
) -> Coincidences:
    """Return the sums of all pairs (Q,), those of three raters from what vitality has.

    Parameters
    ----------
    matched, is_matched : sums of the pairs that were matched, and which these are.
    left_out, sums : images without each of their raters, and the sums of these.
    """
    if is_matched.all():
        return matched
    two = np.flatnonzero(left_out.member.sum(axis=1) == 2)
    # Without the last rater, the pair of the first two comes first.
    problem = two.reshape(-1, 3)[:, ::-1].ravel()
    group = sums.find(problem, np.full(len(problem), ALL))
    return merged(sums.sums.take(group), matched, ~is_matched)


def collaboration(
    problems: Problems, sums: Coincidences, resampling: Resampling
) -> Collaboration:
    """Return the agreement of all pairs of raters, from the sums of ``problems``."""
    n_raters = problems.member.shape[1]
    a, b = np.triu_indices(n_raters, 1)
    one, other = raters_of(problems)
    column = one * n_raters - one * (one + 1) // 2 + other - one - 1
    return Collaboration(
        a, b, *estimate_both(resampling, sums, problems.image, column, len(a))
    )


def raters_of(problems: Problems) -> tuple[IntArray, IntArray]:
    """Return (Q,) both raters of each problem, the first of them first."""
    _, rater = cells(problems.member)
    return rater[::2], rater[1::2]


def matrix(pairs: FloatArray, n_raters: int) -> FloatArray:
    """Return numbers of pairs (P,) as a symmetric matrix (R, R), nan on its diagonal.

    Examples
    --------
    >>> matrix(np.array([0.1, 0.2, 0.3]), 3)
    array([[nan, 0.1, 0.2],
           [0.1, nan, 0.3],
           [0.2, 0.3, nan]])
    """
    full = np.full((n_raters, n_raters), np.nan)
    a, b = np.triu_indices(n_raters, 1)
    full[a, b] = full[b, a] = pairs
    return full
