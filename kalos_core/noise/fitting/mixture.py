"""Four von Mises distributions around given directions, by expectation maximisation."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from .von_mises import concentration, log_density, mean_length

MOST_ROUNDS = 5000
NEAR = 1e-6
"""Gain in log likelihood at which it ends. Where directions are nearly uniform it is
slow: at 1e-4 a whole unit may still be missing."""


def fit_mixture(
    angle: FloatArray, weight: FloatArray, mu: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return the share and the kappa of each direction, and the log likelihood."""
    share, kappa = np.full(len(mu), 1 / len(mu)), np.full(len(mu), 2.0)
    cosine, n, before = np.cos(angle[:, None] - mu), weight.sum(), -np.inf
    for _ in range(MOST_ROUNDS):
        _, density, part = _expected(angle, share, mu, kappa)
        total = float(weight @ np.log(density))
        if total - before < NEAR:
            break
        before = total
        count = weight @ part
        share = count / n
        length = (weight @ (part * cosine)) / np.maximum(count, 1e-300)
        kappa = concentration(length)
    return share, kappa, total


def information(
    angle: FloatArray,
    weight: FloatArray,
    share: FloatArray,
    mu: FloatArray,
    kappa: FloatArray,
) -> FloatArray:
    """Return that of all shares but the last, then of all kappas.

    It is the sum of the products of scores, which is never negative.
    """
    likelihood, density, part = _expected(angle, share, mu, kappa)
    by_share = (likelihood[:, :-1] - likelihood[:, -1:]) / density[:, None]
    by_kappa = part * (np.cos(angle[:, None] - mu) - mean_length(kappa))
    score = np.hstack([by_share, by_kappa])
    found: FloatArray = (weight[:, None] * score).T @ score
    return found


def _expected(
    angle: FloatArray, share: FloatArray, mu: FloatArray, kappa: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return densities by direction and of all, and the part that each has."""
    likelihood = np.exp(log_density(angle[:, None], mu, kappa))
    density = likelihood @ share
    return likelihood, density, share * likelihood / density[:, None]
