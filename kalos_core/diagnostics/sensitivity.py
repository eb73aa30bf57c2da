"""Localization sensitivity: alpha over thresholds, and where it falls off a cliff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..alpha import Coincidences, joined
from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, freeze
from ..estimates import Estimates, estimate_means, mean_rounds, with_intervals
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
    here, strict = (
        int(np.flatnonzero(tau == t)[0])
        for t in (configuration.tau, STRICT * configuration.tau)
    )
    sums.insert(here, known)
    image = np.tile(np.arange(n_images), len(tau))
    column = np.repeat(np.arange(len(tau)), n_images)
    every = joined(sums)
    value, uniform = every.alpha()
    mean, rounds, behind = mean_rounds(resampling, value, image, column, len(tau))
    defined = ~np.isnan(value)
    alpha = value.reshape(len(tau), n_images)
    images = np.arange(n_images)
    nothing = np.zeros(n_images, dtype=np.int64)
    return Sensitivity(
        tau=tau,
        mean=with_intervals(mean, rounds, behind)
        .within(-1, 1)
        .with_convention(uniform[defined], column[defined]),
        overall=every.summed(column, len(tau)).alpha()[0],
        drop=estimate_means(
            resampling, alpha[here] - alpha[strict], images, nothing, 1
        ),
        strict_tau=float(tau[strict]),
        cliff=_cliff(tau, mean, rounds, behind),
    )


def _cliff(
    tau: FloatArray, mean: FloatArray, rounds: FloatArray, n_images: IntArray
) -> float:
    """Return the threshold below which mean alpha falls fastest; nan if it never does.

    Told by steps of the grid alone, since next to tau a step may be so short that one
    pair makes it steep; and only falls that are sure count.

    Parameters
    ----------
    mean, n_images : (T,) mean alpha at each tau, and the images behind it.
    rounds : (n_boot, T) mean alpha in each round.
    """
    steps = [int(np.flatnonzero(tau == t)[0]) for t in GRID if t in tau]
    above, below = steps[:-1], steps[1:]
    found = with_intervals(
        mean[above] - mean[below],
        rounds[:, above] - rounds[:, below],
        np.minimum(n_images[above], n_images[below]),
    )
    slope = np.where(found.low > 0, found.value / -np.diff(tau[steps]), 0)
    return float(tau[steps[int(slope.argmax())]]) if slope.any() else float("nan")
