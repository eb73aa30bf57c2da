"""How sharply mistaken classes keep to those that are alike."""

from __future__ import annotations

import numpy as np
from scipy import optimize
from scipy.special import logsumexp

from ...arrays import FloatArray
from ...errors import FitError
from .estimate import Fit, Outcome, enough, wald_log

LEAST = 10
"""Category mistakes among the nearest classes, for one number."""

LEAST_INFORMATION = 0.1
"""About the logarithm of the temperature, whose error is otherwise a factor of 20."""

RANGE = (1e-4, 1e4)
"""Of temperatures: colder ones always take the nearest class, warmer ones any."""


def fit_temperature(
    counts: FloatArray, similarity: FloatArray, nearest: FloatArray
) -> Fit[float]:
    """Return the temperature of the softmax that mistakes follow best.

    Parameters
    ----------
    counts : (C, C) mistakes, from the row's class to the column's.
    similarity : (C, C) how alike classes are.
    nearest : (C, C) True for the classes that one can be mistaken for; mistakes for
        others are left out.
    """
    counts = np.where(nearest, counts, 0.0)
    n = float(counts.sum())
    enough(n, LEAST, "category mistakes among the nearest classes")
    some = counts.sum(axis=1) > 0
    counts, total = counts[some], counts[some].sum(axis=1)
    near = np.where(nearest[some], similarity[some], -np.inf)
    alike = np.where(nearest[some], similarity[some], 0.0)

    def chances(log_inverse: float) -> FloatArray:
        scaled = near * np.exp(log_inverse)
        found: FloatArray = np.exp(scaled - logsumexp(scaled, axis=1, keepdims=True))
        return found

    def loss(log_inverse: float) -> float:
        scaled = near * np.exp(log_inverse)
        likelihood = (counts * alike).sum() * np.exp(log_inverse)
        return float(total @ logsumexp(scaled, axis=1) - likelihood)

    ends = tuple((-np.log(RANGE)[::-1]).tolist())
    best = optimize.minimize_scalar(loss, bounds=ends, method="bounded")
    inverse, chance = float(np.exp(best.x)), chances(float(best.x))
    mean = (chance * alike).sum(axis=1)
    variance = (chance * alike**2).sum(axis=1) - mean**2
    information = inverse**2 * float(total @ variance)
    # Where all are for the nearest class, or for any, colder or warmer fits as well.
    if information < LEAST_INFORMATION:
        raise FitError(f"no temperature fits {n:g} category mistakes best")
    error = information**-0.5
    gain = 2 * (loss(ends[0]) - float(best.fun))
    return Fit(
        1 / inverse,
        "softmax of similarity",
        n,
        (wald_log("temperature", 1 / inverse, error),),
        (Outcome("likelihood ratio of similarity", gain),),
    )
