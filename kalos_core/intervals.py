"""Intervals: how far a number may be off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import FloatArray

LEVEL = 0.95
"""What part of repeated studies an interval is meant to cover."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, both of them included.

    Examples
    --------
    >>> 0.5 in Interval(0.4, 0.5)
    True
    """

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low:.3f} to {self.high:.3f}"


def percentile_interval(samples: FloatArray) -> Interval:
    """Return the middle ``LEVEL`` of bootstrap samples."""
    low, high = np.quantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))
