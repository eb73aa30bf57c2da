"""How many labels only one of two raters has, by the number of labels."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ...arrays import FloatArray, IntArray
from ..laws import PoissonRate
from .estimate import Fit, Outcome, enough
from .glm import regress

LEAST_PAIRS = 20
"""Pairs of raters and images for two numbers."""

LEAST_EVENTS = 5
"""Unmatched labels; of fewer the slope could be anything."""


def fit_poisson(count: IntArray, n: IntArray, weight: FloatArray) -> Fit[PoissonRate]:
    """Return the Poisson regression of counts on numbers of labels.

    Counts of people vary more than Poisson's, since images differ in more than their
    number of labels. Pearson's statistic says how much more; intervals do not.
    """
    check_counts(count, weight)
    mean = np.average(count, weights=weight)
    estimates = regress(
        n.astype(float), count.astype(float), weight, _mean, np.log(mean)
    )
    law = PoissonRate(*(estimate.value for estimate in estimates))
    expected = np.exp(law.intercept + law.slope * n)
    ratio = 2 * _log_likelihood(count, expected, weight)
    ratio -= 2 * _log_likelihood(count, np.full(len(count), mean), weight)
    degrees = weight.sum() - 2
    pearson = float(weight @ ((count - expected) ** 2 / expected))
    dispersion = pearson / degrees
    tests = (
        Outcome("likelihood ratio of a slope", ratio, float(stats.chi2.sf(ratio, 1))),
        Outcome("Pearson", pearson, float(stats.chi2.sf(pearson, degrees))),
    )
    verdict = f"the variance is {dispersion:.2g} of Poisson's"
    return Fit(
        law, "Poisson regression", float(weight.sum()), estimates, tests, verdict
    )


def check_counts(count: IntArray, weight: FloatArray) -> None:
    """Raise where there are too few pairs of raters or too few unmatched labels."""
    enough(float(weight.sum()), LEAST_PAIRS, "pairs of raters and images")
    enough(float(weight @ count), LEAST_EVENTS, "unmatched labels")


def _mean(predictor: FloatArray) -> tuple[FloatArray, FloatArray]:
    rate = np.exp(np.minimum(predictor, 700))
    return rate, rate


def _log_likelihood(count: IntArray, expected: FloatArray, weight: FloatArray) -> float:
    return float(weight @ (special.xlogy(count, expected) - expected))
