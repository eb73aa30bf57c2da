"""Localization sensitivity: alpha over thresholds, and where it falls off a cliff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..alpha import Coincidences, joined
from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, freeze
from ..estimates import Estimates, estimate_mean_alphas, estimate_means
from ..model import Configuration
from ..rematch import Problems
from ..resampling import Resampling

GRID = (0.9, 0.75, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Thresholds that alpha is computed for, from lenient to strict."""

STRICT = 0.5
"""The strict threshold is this part of tau."""

SAME = 1e-9
"""Thresholds no farther apart are one, as 0.3 and 1 - 0.7 are."""


@dataclass(frozen=True, eq=False, slots=True)
class Sensitivity:
    """Alpha over thresholds tau, from lenient to strict.

    Parameters
    ----------
    tau : (T,) thresholds, falling; that of the configuration and the strict one are
        among them.
    mean : mean alpha at each of them.
    overall : (T,) global alpha at each of them.
    drop : one number: mean alpha at the configuration's tau less that at the strict
        one, over the same images.
    strict_tau : the strict threshold.
    cliff : the threshold below which mean alpha falls fastest; nan where it never
        falls.
    """

    tau: FloatArray
    mean: Estimates
    overall: FloatArray
    drop: Estimates
    strict_tau: float
    cliff: float

    def __post_init__(self) -> None:
        freeze(self, "tau", np.float64, len(self.mean))
        freeze(self, "overall", np.float64, len(self.mean))


def thresholds(tau: float, grid: Sequence[float] = GRID) -> list[float]:
    """Return the grid with tau and its strict threshold, from lenient to strict."""
    others = [t for t in grid if min(abs(t - tau), abs(t - STRICT * tau)) > SAME]
    return sorted({*others, tau, STRICT * tau}, reverse=True)


def problems(annotations: Annotations, configuration: Configuration) -> Problems:
    """Return all images as they are, for each threshold but the agreement's."""
    taus = [t for t in thresholds(configuration.tau) if t != configuration.tau]
    return Problems(
        np.arange(annotations.n_images), annotations.assigned, tuple(sorted(taus))
    )


def sensitivity(
    configuration: Configuration,
    known: Coincidences,
    others: Sequence[Coincidences],
    resampling: Resampling,
) -> Sensitivity:
    """Return how alpha depends on tau.

    Parameters
    ----------
    known : sums of all images at the configuration's tau.
    others : those of ``problems``, for each of its thresholds.
    """
    tau = np.array(thresholds(configuration.tau))
    n_images = len(known)
    sums = [*reversed(others)]
    sums.insert(int(np.flatnonzero(tau == configuration.tau)[0]), known)
    alpha = np.stack([one.alpha()[0] for one in sums])
    image = np.tile(np.arange(n_images), len(tau))
    column = np.repeat(np.arange(len(tau)), n_images)
    every = joined(sums)
    mean = estimate_mean_alphas(resampling, every, image, column, len(tau))
    here = int(np.flatnonzero(tau == configuration.tau)[0])
    strict = int(np.flatnonzero(tau == STRICT * configuration.tau)[0])
    images = np.arange(n_images)
    nothing = np.zeros(n_images, dtype=np.int64)
    return Sensitivity(
        tau=tau,
        mean=mean,
        overall=every.summed(column, len(tau)).alpha()[0],
        drop=estimate_means(
            resampling, alpha[here] - alpha[strict], images, nothing, 1
        ),
        strict_tau=float(tau[strict]),
        cliff=_cliff(tau, alpha, images, resampling),
    )


def _cliff(
    tau: FloatArray, alpha: FloatArray, image: IntArray, resampling: Resampling
) -> float:
    """Return the threshold below which alpha falls fastest; nan if it never falls.

    Told by steps of the grid alone, since next to tau a step may be so short that one
    pair makes it steep; and only falls that are sure count.
    """
    steps = [int(np.flatnonzero(tau == t)[0]) for t in GRID if t in tau]
    fall = alpha[steps[:-1]] - alpha[steps[1:]]
    width = -np.diff(tau[steps])
    column = np.repeat(np.arange(len(width)), alpha.shape[1])
    found = estimate_means(
        resampling, fall.ravel(), np.tile(image, len(width)), column, len(width)
    )
    slope = np.where(found.low > 0, found.value / width, 0)
    return float(tau[steps[int(slope.argmax())]]) if slope.any() else float("nan")
