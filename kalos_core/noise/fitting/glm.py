"""Regressions of a canonical link on one number, by Newton's method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import FloatArray
from ...errors import FitError
from .estimate import Estimate, covariance, wald

MOST_ROUNDS = 50
NEAR = 1e-10
"""Change of the numbers, in standard errors, at which it ends."""

Mean = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""(linear predictor) to the mean and the variance of each observation."""


def regress(
    x: FloatArray, y: FloatArray, weight: FloatArray, mean: Mean, start: float
) -> tuple[Estimate, Estimate]:
    """Return intercept and slope with intervals; ``start`` is that of no slope.

    Raises
    ------
    FitError
        If no finite numbers are best, as where x tells all y apart.
    """
    centre, scale = float(np.average(x, weights=weight)), float(x.std())
    if scale < 1e-12:
        raise FitError(f"all {len(x)} observations are at {centre:g}: no slope")
    design = np.stack([np.ones(len(x)), (x - centre) / scale], axis=1)
    found = np.array([start, 0.0])
    for _ in range(MOST_ROUNDS):
        expected, variance = mean(design @ found)
        known = covariance((design * (weight * variance)[:, None]).T @ design)
        step = known @ (design.T @ (weight * (y - expected)))
        step /= max(1.0, float(np.abs(step).max()))  # no leap before it is near
        found = found + step
        if not np.isfinite(found).all():
            break
        if (step**2 <= NEAR**2 * np.diag(known)).all():
            back = np.array([[1, -centre / scale], [0, 1 / scale]])
            intercept, slope = (back @ found).tolist()
            errors = np.sqrt(np.diag(back @ known @ back.T)).tolist()
            return wald("intercept", intercept, errors[0]), wald(
                "slope", slope, errors[1]
            )
    raise FitError(f"no finite numbers fit {len(x)} observations best")
