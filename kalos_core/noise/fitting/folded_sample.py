"""Values of a folded Student's t around a trend, and their likelihood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import optimize, special

from ...arrays import BoolArray, FloatArray

SIGMA = (1e-3, 1e4)
"""In means of values; many values of 0 would else make sigma 0."""

STEP = 1e-4
"""For differences of the gradient, which give the observed information, and of chances
by nu."""

ROUNDING = 1e-9
"""Part of a ceiling by which a value at it may be smaller."""

ALL_BUT_NORMAL = 1e4
"""Degrees of freedom beyond which t is normal."""

LEAST_CHANCE = 1e-12
"""Of values that were seen, so that it has a logarithm."""

LARGE = (0.99, 0.998)
"""Quantiles of residuals: at the first on top of a trend, or at the second where it is
folded back, values are large."""


@dataclass(frozen=True, eq=False, slots=True)
class FoldedSample:
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
        # What may be seen has a chance of 1, and of that these were seen.
        cut = (self.limits[0] > 0) | (self.limits[1] < np.inf)
        for some, low, high, sign in (
            (cut, *self.limits, 1),
            (self.beyond, self.value, self.limits[1], -1),
        ):
            if some.any():
                mass, by = mass_between(
                    low[some], high[some], self.design[some], parameters
                )
                loss += sign * float(np.log(mass).sum())
                gradient = gradient + sign * (by / mass[:, None]).sum(axis=0)
        return loss, gradient

    def of(self, chosen: BoolArray) -> FoldedSample:
        """Return the ``chosen`` (N,) ones."""
        if chosen.all():
            return self
        return FoldedSample(
            self.value[chosen],
            self.design[chosen],
            self.limits[:, chosen],
            self.ceiling[chosen],
        )

    @property
    def whole(self) -> FoldedSample:
        """The same as if all values could be seen."""
        n = len(self.value)
        limits = np.stack([np.zeros(n), np.full(n, np.inf)])
        return FoldedSample(self.value, self.design, limits, limits[1])

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
        squares, *_ = np.linalg.lstsq(self.design, self.value, rcond=None)
        spread = max(float(np.std(self.value - self.design @ squares)), SIGMA[0])
        degrees = np.clip(5.0, *nu)

        found = min(
            (
                self.whole.fit_from(
                    np.append(share * squares, np.log([sigma, degrees])), nu
                )
                for share, sigma in ((1.0, spread), (0.1, 1.0))
            ),
            key=lambda result: float(result.fun),
        )
        return self.fit_from(found.x, nu) if self.limited else found

    def fit_from(self, start: FloatArray, nu: tuple[float, float]) -> Any:
        """Return scipy's result from there."""
        free = [(None, None)] * self.design.shape[1]
        return optimize.minimize(
            self.loss,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[*free, tuple(np.log(SIGMA)), tuple(np.log(nu))],
            options={"ftol": 1e-13, "gtol": 1e-6, "maxiter": 1000},
        )

    def winsorised(self, parameters: FloatArray) -> FoldedSample:
        """Return the same with the largest values only known to be large.

        The generator winsorises, on both sides before it folds, and of people such
        values are rather mistakes of another kind.
        """
        trend = np.abs(self.design @ parameters[:-2])
        sigma, nu = np.exp(parameters[-2:])
        near, far = sigma * special.stdtrit(nu, np.array(LARGE))
        largest = np.maximum(far - trend, trend + near)
        ceiling = np.minimum(self.ceiling, largest)
        return replace(self, value=np.minimum(self.value, ceiling), ceiling=ceiling)

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


def mass_between(
    low: FloatArray, high: FloatArray, design: FloatArray, parameters: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (N,) the chance of values between two ends, and its gradient (N, P)."""
    mass, by = _mass_below(high, design, parameters)
    some = np.flatnonzero(low > 0)
    if len(some):
        less, by_less = _mass_below(low[some], design[some], parameters)
        mass[some] -= less
        by[some] -= by_less
    return np.maximum(mass, LEAST_CHANCE), by


def _mass_below(
    end: FloatArray, design: FloatArray, parameters: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (N,) the chance of values below an end, and its gradient (N, P)."""
    trend = design @ parameters[:-2]
    sigma, nu = np.exp(parameters[-2:])
    z = (np.stack([end, -end]) - trend) / sigma
    constant = special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2)
    square = z * z
    density = np.exp(constant - (nu + 1) / 2 * np.log1p(square / nu))
    density /= np.sqrt(nu * np.pi)
    # The values below are those between the end and its fold on the other side.
    sign = np.array([[1.0], [-1.0]])
    mass = (sign * special.stdtr(nu, z)).sum(axis=0)
    by_trend = -(sign * density).sum(axis=0) / sigma
    by_sigma = -(sign * density * np.where(np.isfinite(z), z, 0)).sum(axis=0)
    by_nu = np.zeros(len(end))
    if nu < ALL_BUT_NORMAL:  # where it no longer matters
        more, less = (special.stdtr(nu * np.exp(step), z) for step in (STEP, -STEP))
        by_nu = (sign * (more - less)).sum(axis=0) / (2 * STEP)
    columns = [by_trend[:, None] * design, by_sigma[:, None], by_nu[:, None]]
    return mass, np.hstack(columns)
