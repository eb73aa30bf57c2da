"""The laws that the errors of people follow, each with its draws.

Paper, appendix "Empirical Noise Generator". Areas are relative to the image; angles
are in radians, from 0 to 2 pi, and grow from the x axis to the y axis of the image.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special, stats

from ..arrays import FloatArray, IntArray
from ..errors import KalosError

TAILS = (0.001, 0.999)
"""Residuals beyond these quantiles are set to them: winsorised, as in the paper."""

CARDINAL = (0.0, np.pi / 2, np.pi, 3 * np.pi / 2)
"""Right, down, left and up."""


def check_law(right: bool | np.bool_, law: object, expected: str) -> None:
    """Raise unless the numbers of a law are ``right``."""
    if not right:  # also where a number is nan
        raise KalosError(f"{type(law).__name__} must have {expected}, got {law}")


@dataclass(frozen=True, slots=True)
class FoldedT:
    """The absolute value of a linear trend in the area plus Student's t residuals.

    |intercept + slope * area + T|, T of ``nu`` degrees of freedom times ``sigma``.
    Areas outside of ``areas``, those that it was fitted to, count as their ends, since
    a trend says nothing there.

    Examples
    --------
    >>> law = FoldedT(intercept=0.01, slope=0.02, nu=3.0, sigma=0.0, areas=(0.0, 0.5))
    >>> law.draw(np.array([0.0, 0.5, 1.0]), np.random.default_rng(0))
    array([0.01, 0.02, 0.02])
    """

    intercept: float
    slope: float
    nu: float
    sigma: float
    areas: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_law(
            np.isfinite([self.intercept, self.slope]).all(), self, "a finite trend"
        )
        right = 0 < self.nu < np.inf and 0 <= self.sigma < np.inf
        check_law(right, self, "a finite nu > 0 and a finite sigma >= 0")
        right = len(self.areas) == 2 and 0 <= self.areas[0] <= self.areas[1] <= 1
        check_law(right, self, "two areas from 0 to 1, the lower one first")

    def trend(self, area: FloatArray) -> FloatArray:
        """Return the trend at each area."""
        trend: FloatArray = self.intercept + self.slope * np.clip(area, *self.areas)
        return trend

    def draw(self, area: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return a draw for each area, tails winsorised."""
        bounds = stats.t.ppf(TAILS, self.nu)
        residual = np.clip(rng.standard_t(self.nu, np.shape(area)), *bounds)
        drawn: FloatArray = np.abs(self.trend(area) + self.sigma * residual)
        return drawn

    def times(self, factor: float) -> FoldedT:
        """Return the law of values that are multiplied."""
        return replace(
            self,
            intercept=factor * self.intercept,
            slope=factor * self.slope,
            sigma=factor * self.sigma,
        )

    def log_density(self, value: FloatArray, area: FloatArray) -> FloatArray:
        """Return the log density of each value; that of the fold is the sum of two."""
        trend = self.trend(area)
        folded: FloatArray = np.logaddexp(
            stats.t.logpdf(value, self.nu, trend, self.sigma),
            stats.t.logpdf(-value, self.nu, trend, self.sigma),
        )
        return folded


@dataclass(frozen=True, slots=True)
class CardinalMixture:
    """Four von Mises distributions around right, down, left and up."""

    weights: tuple[float, float, float, float]
    kappas: tuple[float, float, float, float]

    def __post_init__(self) -> None:
        sums_up = len(self.weights) == 4 and abs(sum(self.weights) - 1) < 1e-6
        check_law(
            sums_up and min(self.weights) >= 0, self, "four weights that sum to 1"
        )
        right = len(self.kappas) == 4 and min(self.kappas) >= 0
        check_law(right and np.isfinite(self.kappas).all(), self, "four kappas >= 0")

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return n angles."""
        chances = np.asarray(self.weights) / sum(self.weights)
        part: IntArray = rng.choice(4, n, p=chances)
        mu, kappa = np.array(CARDINAL)[part], np.array(self.kappas)[part]
        angle: FloatArray = rng.vonmises(mu, kappa) % (2 * np.pi)
        return angle

    def density(self, angle: FloatArray) -> FloatArray:
        """Return the density at each angle."""
        parts = zip(self.weights, CARDINAL, self.kappas, strict=True)
        density: FloatArray = np.sum(
            [w * stats.vonmises.pdf(angle, k, loc=mu) for w, mu, k in parts], axis=0
        )
        return density


@dataclass(frozen=True, slots=True)
class AxialVonMises:
    """An axis rather than a direction: the doubled angle is von Mises distributed.

    ``mu``, from 0 to pi, is the axis itself, not doubled.
    """

    mu: float
    kappa: float

    def __post_init__(self) -> None:
        right = np.isfinite(self.mu) and 0 <= self.kappa < np.inf
        check_law(right, self, "a finite mu and kappa >= 0")

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return n angles; both ends of the axis are as likely."""
        half = rng.vonmises(2 * self.mu, self.kappa, n) / 2
        angle: FloatArray = (half + np.pi * rng.integers(0, 2, n)) % (2 * np.pi)
        return angle

    def density(self, angle: FloatArray) -> FloatArray:
        """Return the density at each angle."""
        doubled = 2 * np.asarray(angle)
        density: FloatArray = stats.vonmises.pdf(doubled, self.kappa, loc=2 * self.mu)
        return density


@dataclass(frozen=True, slots=True)
class Logistic:
    """The chance that an object of some area is chosen.

    Examples
    --------
    >>> Logistic(intercept=0.0, slope=1.0).chance(np.array([1.0, 1 / 3])).round(6)
    array([0.5 , 0.25])
    """

    intercept: float
    slope: float

    def __post_init__(self) -> None:
        right = np.isfinite([self.intercept, self.slope]).all()
        check_law(right, self, "finite numbers")

    def chance(self, area: FloatArray) -> FloatArray:
        """Return the chance at each area, which must be above 0."""
        chance: FloatArray = special.expit(self.intercept + self.slope * np.log(area))
        return chance

    def odds(self, area: FloatArray) -> FloatArray:
        """Return the odds at each area, of a chance to its opposite."""
        odds: FloatArray = np.exp(self.intercept + self.slope * np.log(area))
        return odds


@dataclass(frozen=True, slots=True)
class PoissonRate:
    """How many events are expected in an image of n annotations."""

    intercept: float
    slope: float

    def __post_init__(self) -> None:
        right = np.isfinite([self.intercept, self.slope]).all()
        check_law(right, self, "finite numbers")

    def expected(self, n: IntArray, magnitude: float = 1.0) -> FloatArray:
        """Return the expected events, at most one for each annotation.

        The exponential has no bound of its own: with the slope of VinDr-CXR, 0.256,
        100 annotations would have 10^11 events. Without annotations it is at most one.
        """
        log_rate = np.minimum(self.intercept + self.slope * n, 700.0)
        rate: FloatArray = np.minimum(magnitude * np.exp(log_rate), np.maximum(n, 1))
        return rate


@dataclass(frozen=True, slots=True)
class Beta:
    """A part of half a turn, from 0 to 1."""

    a: float
    b: float

    def __post_init__(self) -> None:
        right = 0 < self.a < np.inf and 0 < self.b < np.inf
        check_law(right, self, "a and b above 0")

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Return n parts."""
        part: FloatArray = rng.beta(self.a, self.b, n)
        return part

    def log_density(self, part: FloatArray) -> FloatArray:
        """Return the log density of each part."""
        density: FloatArray = stats.beta.logpdf(part, self.a, self.b)
        return density
