"""A folded Student's t around a linear trend, by maximum likelihood.

The paper regresses first and fits t to the residuals. But what is observed is folded,
|trend + T|, and its mean is not the trend; fitted that way parameters do not come back.
So trend and residuals are fitted together, by the likelihood of what is observed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from ...arrays import FloatArray
from ...errors import FitError
from ..laws import FoldedT
from .estimate import (
    Estimate,
    Fit,
    Outcome,
    covariance,
    enough,
    wald,
    wald_log,
)
from .folded_sample import FoldedSample, mass_between

LEAST = 30
"""Values for four numbers, of which nu needs to see tails."""

NU = (2.0, 100.0)
"""Heavier tails have no variance, and ruin shapes even when winsorised: they come from
values of unlike precision rather than from people. Lighter ones are normal."""

NOT_FOLDED = 4.0
"""Standard errors that a trend is away from 0, so that its error is as of a normal."""

NORMAL_NU = 1e6
"""Degrees of freedom at which t is the normal distribution to six digits."""


def fit_folded_t(
    value: FloatArray,
    area: FloatArray,
    *,
    limits: FloatArray | None = None,
    most_cut: float = np.inf,
    ceiling: FloatArray | None = None,
) -> Fit[FoldedT]:
    """Return the folded t of values at areas, compared with a folded normal.

    Intervals are those of the observed information and take values as independent,
    which those of one object by several raters are not quite. A trend that may as well
    be 0, where it folds onto itself, has no interval.

    Parameters
    ----------
    limits : (N, 2) between which ends a value could be seen at all; the likelihood is
        that of values that are. By default all can be.
    most_cut : how many values can have been beyond their ends. Where a law has more of
        them it is not the right one, and the limits are left out.
    ceiling : (N,) at which larger values are seen.
    """
    enough(len(value), LEAST, "values")
    unit = float(value.mean())
    if unit <= 0 or np.median(value) == value.min():
        raise FitError(f"more than half of {len(value)} values are {value.min():g}")
    mean, deviation = float(area.mean()), float(area.std())
    sloped = deviation > 1e-9
    columns = [np.ones(len(area)), *([(area - mean) / deviation] if sloped else [])]
    sample = FoldedSample(value / unit, np.stack(columns, axis=1), value, value).whole
    if limits is not None:
        sample = replace(sample, limits=limits.T / unit)
    if ceiling is not None:
        sample = replace(sample, ceiling=ceiling / unit)
    whole, normal = sample.fit(NU), sample.fit((NORMAL_NU, NORMAL_NU))
    tests = _against_normal(sample, whole, normal)
    sample = sample.winsorised(whole.x)
    best = sample.fit_from(whole.x, NU)
    low, high = sample.limits
    mass, _ = mass_between(low, high, sample.design, best.x)
    if (1 / mass - 1).sum() > most_cut:
        seen = fit_folded_t(value, area, ceiling=ceiling)
        return replace(seen, verdict=f"{seen.verdict}; of those that were matched")
    if best.x[0] < 0:  # the fold of a trend and of its negative are the same
        best.x[:-2] *= -1
    to_trend = np.eye(2)[:, : len(columns)] * unit
    if sloped:
        to_trend = unit * np.array([[1, -mean / deviation], [0, 1 / deviation]])
    covariances = covariance(sample.information(best.x))
    trend_errors = np.sqrt(
        np.diag(to_trend @ covariances[:-2, :-2] @ to_trend.T)
    ).tolist()
    intercept, slope = (to_trend @ best.x[:-2]).tolist()
    sigma, nu = unit * float(np.exp(best.x[-2])), float(np.exp(best.x[-1]))
    law = FoldedT(intercept, slope, nu, sigma, _range(area))
    errors = np.sqrt(np.diag(covariances)[-2:]).tolist()
    if not best.x[0] > NOT_FOLDED * np.sqrt(covariances[0, 0]):
        trend_errors = [np.nan, np.nan]
    return Fit(
        law,
        "folded t",
        len(value),
        (
            wald("intercept", intercept, trend_errors[0]),
            wald("slope", slope, trend_errors[1]) if sloped else Estimate("slope", 0.0),
            wald_log("sigma", sigma, errors[0]),
            wald_log("nu", nu, errors[1]),
        ),
        *tests,
    )


def _range(area: FloatArray) -> tuple[float, float]:
    low, high = np.clip([area.min(), area.max()], 0, 1).tolist()
    return low, high


def _against_normal(
    sample: FoldedSample, t: Any, normal: Any
) -> tuple[tuple[Outcome, ...], str]:
    """Return KS of both fits, twice the gain in log likelihood, and what they say.

    p values of KS are too large, since the numbers are fitted to the same values. That
    of the gain is halved, as the normal is the end of all t.
    """
    ks_t, ks_normal = (_kolmogorov_smirnov(sample, fit.x) for fit in (t, normal))
    gain = 2 * max(float(normal.fun - t.fun), 0.0)
    p_value = float(stats.chi2.sf(gain, 1)) / 2
    tests = (
        Outcome("KS of t", *ks_t),
        Outcome("KS of normal", *ks_normal),
        Outcome("likelihood ratio of t to normal", gain, p_value),
    )
    heavy = p_value < 0.05
    return tests, "heavier tails than normal" if heavy else "tails as of a normal"


def _kolmogorov_smirnov(
    sample: FoldedSample, parameters: FloatArray
) -> tuple[float, float]:
    sample = sample.of(~sample.beyond)
    low, high = sample.limits
    high = np.minimum(high, sample.ceiling)
    below, _ = mass_between(low, sample.value, sample.design, parameters)
    below /= mass_between(low, high, sample.design, parameters)[0]
    found = stats.kstest(below, "uniform", method="asymp")
    return float(found.statistic), float(found.pvalue)
