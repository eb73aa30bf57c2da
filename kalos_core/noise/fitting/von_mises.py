"""Von Mises distributions of angles: their density and their concentration."""

from __future__ import annotations

import numpy as np
from scipy.special import i0e, i1e

from ...arrays import FloatArray

MOST_KAPPA = 500.0
"""A spread of 2.6 degrees; where angles lie on a grid of pixels none is narrower."""


def log_density(angle: FloatArray, mu: FloatArray, kappa: FloatArray) -> FloatArray:
    """Return the log density of each angle; exponents are scaled not to overflow."""
    scaled = kappa * (np.cos(angle - mu) - 1)
    density: FloatArray = scaled - np.log(2 * np.pi * i0e(kappa))
    return density


def mean_length(kappa: FloatArray) -> FloatArray:
    """Return the length of the mean of unit vectors in directions of that law."""
    length: FloatArray = i1e(kappa) / i0e(kappa)
    return length


def concentration(length: FloatArray) -> FloatArray:
    """Return the kappa whose ``mean_length`` is given, by Newton's method.

    Examples
    --------
    >>> concentration(mean_length(np.array([0.0, 0.5, 20.0]))).round(9)
    array([ 0. ,  0.5, 20. ])
    """
    length = np.clip(length, 0, mean_length(np.array(MOST_KAPPA)))
    kappa: FloatArray = length * (2 - length**2) / (1 - length**2)  # a good start
    for _ in range(6):
        found = mean_length(kappa)
        ratio = np.divide(found, kappa, where=kappa > 0, out=np.full_like(kappa, 0.5))
        kappa = np.maximum(kappa - (found - length) / (1 - found**2 - ratio), 0)
    return kappa


def fit_mode(angle: FloatArray, weight: FloatArray) -> tuple[float, float, float]:
    """Return mu and kappa of one von Mises distribution, and the log likelihood."""
    mean = (weight * np.exp(1j * angle)).sum() / weight.sum()
    mu, kappa = float(np.angle(mean)), concentration(np.array(abs(mean)))
    likelihood = weight @ log_density(angle, np.array(mu), kappa)
    return mu, float(kappa), float(likelihood)
