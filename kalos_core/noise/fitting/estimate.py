"""What a fit says: a law, its numbers with intervals, and tests of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from scipy.special import ndtri

from ...arrays import FloatArray
from ...errors import FitError
from ...intervals import LEVEL

Law = TypeVar("Law")

NORMAL = float(ndtri((1 + LEVEL) / 2))
"""Standard errors on either side of a number that its interval reaches."""

SINGULAR = 1e-12
"""Eigenvalue up to which information, its diagonal scaled to 1, is taken to lack a
direction: of its inverse, rounding leaves a few digits at best, or not even the sign.
"""

NOTHING = 1e-100
"""Information about a number, as its root, that is none."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; nan where nothing is known about it."""

    name: str
    value: float
    low: float = float("nan")
    high: float = float("nan")

    def __str__(self) -> str:
        if np.isnan(self.low):
            return f"{self.name} {self.value:.4g}"
        return f"{self.name} {self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a test gave; some compare numbers and have no p value."""

    test: str
    statistic: float
    p_value: float | None = None

    def __str__(self) -> str:
        p = "" if self.p_value is None else f" (p {self.p_value:.3g})"
        return f"{self.test} {self.statistic:.4g}{p}"


@dataclass(frozen=True, slots=True)
class Fit(Generic[Law]):
    """A law that was fitted to ``n`` observations, of the name ``model``."""

    law: Law
    model: str
    n: float
    estimates: tuple[Estimate, ...]
    tests: tuple[Outcome, ...] = ()
    verdict: str = "fitted"


def enough(n: float, least: int, what: str) -> None:
    """Raise where there are fewer than ``least`` of ``what``."""
    if n < least:
        raise FitError(f"there are {n:g} {what}, and a fit needs {least}")


def wald(name: str, value: float, error: float) -> Estimate:
    """Return a number and what lies within about two standard errors."""
    return Estimate(name, value, value - NORMAL * error, value + NORMAL * error)


def wald_log(name: str, value: float, error: float) -> Estimate:
    """Return a positive number; ``error`` is that of its logarithm.

    The sampling distribution of scales is skew, that of their logarithm hardly.
    """
    factor = float(np.exp(min(NORMAL * error, 300.0)))
    return Estimate(name, value, value / factor, value * factor)


def covariance(information: FloatArray) -> FloatArray:
    """Return the inverse of the information, nan where it tells nothing."""
    unknown = np.full_like(information, np.nan)
    if not np.isfinite(information).all():
        return unknown
    scale = np.sqrt(np.diag(information).clip(0))
    if scale.min() < NOTHING:
        return unknown
    unit = information / np.outer(scale, scale)
    if np.linalg.eigvalsh(unit).min() <= SINGULAR:
        return unknown
    inverse: FloatArray = np.linalg.inv(unit) / np.outer(scale, scale)
    return inverse


def errors_of(covariances: FloatArray) -> Sequence[float]:
    """Return the standard errors of all numbers."""
    errors: list[float] = np.sqrt(np.diag(covariances)).tolist()
    return errors
