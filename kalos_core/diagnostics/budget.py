"""Rater budget: what alpha would have been with fewer raters per image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alpha import Coincidences
from ..annotations import Annotations
from ..arrays import IntArray, by_name, freeze, sum_by
from ..estimates import Estimates, estimate_means
from ..model import Configuration
from ..rematch import Problems
from ..resampling import Resampling

N_SUBSETS = 3
"""Subsets of raters drawn per image and number of raters."""

N_SIZES = 10
"""Numbers of raters that are tried where there are more, the closer the fewer."""


@dataclass(frozen=True, eq=False, slots=True)
class Budget:
    """Mean alpha against the number of raters per image, on the same images.

    The interval narrows as raters are added, and alpha moves where they are not
    alike; where neither happens any more, one more rater buys nothing.

    Parameters
    ----------
    n_raters : (K,) from 2 to as many as at least half of the images have.
    alpha : mean alpha with so many raters, by subsets drawn at random.
    """

    n_raters: IntArray
    alpha: Estimates

    def __post_init__(self) -> None:
        freeze(self, "n_raters", np.int64, len(self.alpha))


def problems(
    annotations: Annotations, configuration: Configuration, rng: np.random.Generator
) -> Problems:
    """Return images with random subsets of 2 and more of their raters.

    Of the images that have at least two raters, those are taken that have as many as
    at least half of them.
    """
    n_assigned = annotations.assigned.sum(axis=1)
    several = n_assigned[n_assigned >= 2]
    most = int(np.sort(several)[(len(several) - 1) // 2]) if len(several) else 0
    taken = np.flatnonzero(n_assigned >= max(most, 2))
    image, member = [taken[:0]], [annotations.assigned[:0]]
    for size in _sizes(most):
        for nth in range(N_SUBSETS):
            # Of all its raters an image has one subset only.
            some = taken if nth == 0 else taken[n_assigned[taken] > size]
            key = np.empty((len(some), annotations.n_raters))
            images = by_name([annotations.images[n] for n in some.tolist()])
            key[np.ix_(images, by_name(annotations.raters))] = rng.random(key.shape)
            # Whoever is not assigned gets a key behind all others.
            key += ~annotations.assigned[some]
            image.append(some)
            member.append(key.argsort(axis=1).argsort(axis=1) < size)
    flat = np.concatenate(image)
    order = np.argsort(flat, kind="stable")
    return Problems(flat[order], np.concatenate(member)[order], (configuration.tau,))


def _sizes(most: int) -> list[int]:
    """Return numbers of raters from 2 to ``most``.

    Examples
    --------
    >>> _sizes(5), _sizes(35)
    ([2, 3, 4, 5], [2, 3, 4, 5, 7, 10, 13, 19, 25, 35])
    """
    steps = np.geomspace(2, most, N_SIZES) if most >= 2 else np.empty(0)
    return sorted({*np.round(steps).astype(int).tolist(), *range(2, min(most, 5) + 1)})


def budget(problems: Problems, sums: Coincidences, resampling: Resampling) -> Budget:
    """Return alpha by the number of raters, from the sums of ``problems``."""
    size = problems.member.sum(axis=1)
    most = int(size.max(initial=1))
    alpha, uniform = sums.alpha()
    # An image counts once for each number, however many subsets were drawn.
    cell, place, n_subsets = np.unique(
        problems.image * most + size - 1,
        return_inverse=True,
        return_counts=True,
    )
    image, size = np.divmod(cell, most)
    sizes, column = np.unique(size + 1, return_inverse=True)
    mean = sum_by(place, alpha, len(cell)) / n_subsets
    found = estimate_means(resampling, mean, image, column, len(sizes))
    known = ~np.isnan(mean)[place]
    found = found.within(-1, 1).with_convention(uniform[known], column[place][known])
    return Budget(sizes, found)
