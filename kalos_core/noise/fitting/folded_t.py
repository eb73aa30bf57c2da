"""A folded Student's t around a linear trend, by maximum likelihood.

The paper regresses first and fits t to the residuals. But what is observed is folded,
|trend + T|, and its mean is not the trend; fitted that way parameters do not come back.
So trend and residuals are fitted together, by the likelihood of what is observed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from ...arrays import BoolArray, FloatArray
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

LEAST = 30
"""Values for four numbers, of which nu needs to see tails."""

NU = (2.0, 100.0)
"""Heavier tails have no variance, and ruin shapes even when winsorised: they come from
values of unlike precision rather than from people. Lighter ones are normal."""

NORMAL_NU = 1e6
"""Degrees of freedom at which t is the normal distribution to six digits."""

LEAST_SIGMA = 1e-3
"""Of the mean value; many values of 0 would else make sigma 0."""

STEP = 1e-4
"""For differences of the gradient, which give the observed information, and of chances
by nu."""

ROUNDING = 1e-9
"""Part of a ceiling by which a value at it may be smaller."""

LEAST_CHANCE = 1e-12
"""Of values that were seen, so that it has a logarithm."""


@dataclass(frozen=True, eq=False, slots=True)
class _Sample:
    """Values in units of their mean, on a design of columns 1 and standardised area.

    ``limits`` (2, N) are the ends between which values can be seen at all. What would
    be beyond the ``ceiling`` (N,) is seen at it.
    """

    value: FloatArray
    design: FloatArray
    limits: FloatArray
    ceiling: FloatArray

    @property
    def beyond(self) -> BoolArray:
        """(N,) True where a value may be any that is larger."""
        beyond: BoolArray = self.value >= self.ceiling * (1 - ROUNDING)
        return beyond

    def loss(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log likelihood and its gradient.

        Parameters
        ----------
        parameters : the trend, then the logarithms of sigma and of nu.
        """
        loss, gradient = self.of(~self.beyond)._plain(parameters)
        none = np.full(len(self.value), np.inf)
        # What may be seen has a chance of 1, and of that these were seen.
        cut = (self.limits[0] > 0) | (self.limits[1] < np.inf)
        for some, low, high, sign in (
            (cut, *self.limits, 1),
            (self.beyond, self.value, none, -1),
        ):
            if some.any():
                mass, by = _mass(low[some], high[some], self.design[some], parameters)
                loss += sign * float(np.log(mass).sum())
                gradient = gradient + sign * (by / mass[:, None]).sum(axis=0)
        return loss, gradient

    def of(self, chosen: BoolArray) -> _Sample:
        """Return the ``chosen`` (N,) ones."""
        if chosen.all():
            return self
        return _Sample(
            self.value[chosen],
            self.design[chosen],
            self.limits[:, chosen],
            self.ceiling[chosen],
        )

    @property
    def whole(self) -> _Sample:
        """The same as if all values could be seen."""
        n = len(self.value)
        limits = np.stack([np.zeros(n), np.full(n, np.inf)])
        return _Sample(self.value, self.design, limits, limits[1])

    def _plain(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return loss and gradient as if all values could be seen."""
        trend = self.design @ parameters[:-2]
        sigma, nu = np.exp(parameters[-2:])
        z = np.stack([self.value - trend, -self.value - trend]) / sigma
        square = z * z
        log_tail = np.log1p(square / nu)
        log_density = -(nu + 1) / 2 * log_tail
        folded = np.logaddexp(*log_density)
        constant = (
            special.gammaln((nu + 1) / 2)
            - special.gammaln(nu / 2)
            - np.log(nu * np.pi) / 2
            - np.log(sigma)
        )
        share = np.exp(log_density - folded)
        pull = (nu + 1) / (nu + square)
        by_trend = (share * pull * z).sum(axis=0) / sigma
        by_sigma = (share * pull * square).sum() - len(self.value)
        by_nu = (share * (pull * square - nu * log_tail)).sum() / 2
        by_nu += (
            len(self.value)
            * nu
            / 2
            * (special.digamma((nu + 1) / 2) - special.digamma(nu / 2) - 1 / nu)
        )
        gradient = np.append(by_trend @ self.design, [by_sigma, by_nu])
        return -float(folded.sum() + len(self.value) * constant), -gradient

    def fit(self, nu: tuple[float, float]) -> Any:
        """Return scipy's best result, from least squares and from no trend at all.

        Limits move it little, so their best is looked for from there.
        """
        width = self.design.shape[1]
        squares, *_ = np.linalg.lstsq(self.design, self.value, rcond=None)
        spread = max(float(np.std(self.value - self.design @ squares)), LEAST_SIGMA)
        degrees = np.clip(5.0, *nu)
        bounds = [(None, None)] * width + [
            (np.log(LEAST_SIGMA), None),
            tuple(np.log(nu)),
        ]

        def best(sample: _Sample, start: FloatArray) -> Any:
            return optimize.minimize(
                sample.loss,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 1000},
            )

        found = min(
            (
                best(self.whole, np.append(share * squares, np.log([sigma, degrees])))
                for share, sigma in ((1.0, spread), (0.1, 1.0))
            ),
            key=lambda result: float(result.fun),
        )
        return best(self, found.x) if self.limited else found

    @property
    def limited(self) -> bool:
        """Whether some values could not be seen, or are larger than they are seen."""
        return bool(self.beyond.any() or (self.limits != [[0], [np.inf]]).any())

    def information(self, parameters: FloatArray) -> FloatArray:
        """Return the observed information, by differences of the gradient."""
        steps = STEP * np.eye(len(parameters))
        rows = [
            (self.loss(parameters + step)[1] - self.loss(parameters - step)[1])
            / (2 * STEP)
            for step in steps
        ]
        information: FloatArray = (np.array(rows) + np.array(rows).T) / 2
        return information


def fit_folded_t(
    value: FloatArray,
    area: FloatArray,
    *,
    limits: FloatArray | None = None,
    ceiling: FloatArray | None = None,
) -> Fit[FoldedT]:
    """Return the folded t of values at areas, compared with a folded normal.

    Intervals are those of the observed information and take values as independent,
    which those of one object by several raters are not quite. Where the trend is small
    next to sigma it folds onto itself, and its interval is too narrow or unknown.

    Parameters
    ----------
    limits : (N, 2) between which ends a value could be seen at all; the likelihood is
        that of values that are. By default all can be.
    ceiling : (N,) at which larger values are seen.
    """
    enough(len(value), LEAST, "values")
    unit = float(value.mean())
    if unit <= 0 or np.median(value) == value.min():
        raise FitError(f"more than half of {len(value)} values are {value.min():g}")
    mean, deviation = float(area.mean()), float(area.std())
    sloped = deviation > 1e-9
    columns = [np.ones(len(area)), *([(area - mean) / deviation] if sloped else [])]
    sample = _Sample(value / unit, np.stack(columns, axis=1), value, value).whole
    if limits is not None:
        sample = replace(sample, limits=limits.T / unit)
    if ceiling is not None:
        sample = replace(sample, ceiling=ceiling / unit)
    best, normal = sample.fit(NU), sample.fit((NORMAL_NU, NORMAL_NU))
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
        *_against_normal(sample, best, normal),
    )


def _range(area: FloatArray) -> tuple[float, float]:
    low, high = np.clip([area.min(), area.max()], 0, 1).tolist()
    return low, high


def _against_normal(
    sample: _Sample, t: Any, normal: Any
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


def _kolmogorov_smirnov(sample: _Sample, parameters: FloatArray) -> tuple[float, float]:
    sample = sample.of(~sample.beyond)
    low, high = sample.limits
    high = np.minimum(high, sample.ceiling)
    below, _ = _mass(low, sample.value, sample.design, parameters)
    below /= _mass(low, high, sample.design, parameters)[0]
    found = stats.kstest(below, "uniform", method="asymp")
    return float(found.statistic), float(found.pvalue)


def _mass(
    low: FloatArray, high: FloatArray, design: FloatArray, parameters: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (N,) the chance of values between two ends, and its gradient (N, P)."""
    trend = design @ parameters[:-2]
    sigma, nu = np.exp(parameters[-2:])
    mass = np.zeros(len(low))
    by_trend, by_sigma, by_nu = np.zeros((3, len(low)))
    # The chance between two values is that between their folds, on either side.
    for end, sign in ((high, 1), (-high, -1), (low, -1), (-low, 1)):
        z = (end - trend) / sigma
        density = stats.t.pdf(z, nu)
        mass += sign * special.stdtr(nu, z)
        by_trend -= sign * density / sigma
        by_sigma -= sign * density * np.where(np.isfinite(z), z, 0)
        more, less = (special.stdtr(nu * np.exp(step), z) for step in (STEP, -STEP))
        by_nu += sign * (more - less) / (2 * STEP)
    columns = [by_trend[:, None] * design, by_sigma[:, None], by_nu[:, None]]
    return np.maximum(mass, LEAST_CHANCE), np.hstack(columns)
