"""Angles between the children of a split, as parts of half a turn."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special, stats

from ...arrays import FloatArray
from ..laws import Beta
from .estimate import Fit, Outcome, covariance, enough, errors_of, wald_log

LEAST = 20
"""Splits for two numbers."""

END = 1e-6
"""Nearest to 0 and 1: halves of a box lie at exactly 1, where densities may be 0."""


def fit_beta(part: FloatArray, weight: FloatArray) -> Fit[Beta]:
    """Return the Beta distribution of parts (M,), by maximum likelihood."""
    n = float(weight.sum())
    enough(n, LEAST, "splits with an angle between their parts")
    part = np.clip(part, END, 1 - END)
    logs = weight @ np.stack([np.log(part), np.log1p(-part)], axis=1) / n

    def loss(log_ab: FloatArray) -> tuple[float, FloatArray]:
        ab = np.exp(log_ab)
        gradient = special.digamma(ab) - special.digamma(ab.sum()) - logs
        return float(special.betaln(*ab) - (ab - 1) @ logs), gradient * ab

    best = optimize.minimize(loss, np.zeros(2), jac=True, method="BFGS")
    ab = np.exp(best.x)
    information = np.diag(special.polygamma(1, ab)) - special.polygamma(1, ab.sum())
    errors = errors_of(covariance(n * information * np.outer(ab, ab)))
    a, b = ab.tolist()
    found = stats.kstest(part, stats.beta(a, b).cdf, method="asymp")
    return Fit(
        Beta(a, b),
        "Beta",
        n,
        (wald_log("a", a, errors[0]), wald_log("b", b, errors[1])),
        (Outcome("KS", float(found.statistic), float(found.pvalue)),),
        f"{np.average(part > 0.5, weights=weight):.0%} lie on opposite sides",
    )
