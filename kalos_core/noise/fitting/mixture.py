"""Four von Mises distributions around given directions, by maximum likelihood."""

from __future__ import annotations

import numpy as np
from scipy import optimize
from scipy.special import softmax

from ...arrays import FloatArray
from .von_mises import MOST_KAPPA, concentration, log_density, mean_length

N_ROUNDS = 30
"""Rounds of expectation maximisation. They come near the maximum quickly, and then, of
directions that are nearly uniform, take thousands more; its gradient leads there."""

KAPPA = (1e-3, MOST_KAPPA)
"""Below that a direction is uniform."""

LEAST_DENSITY = 1e-300
"""Where concentrations that the search only tries leave out an angle altogether."""


def fit_mixture(
    angle: FloatArray, weight: FloatArray, mu: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return the share and the kappa of each direction, and the log likelihood."""
    share, kappa = np.full(len(mu), 1 / len(mu)), np.full(len(mu), 2.0)
    cosine, n = np.cos(angle[:, None] - mu), weight.sum()
    for _ in range(N_ROUNDS):
        _, _, part = _expected(angle, share, mu, kappa)
        count = np.maximum(weight @ part, 1e-9)
        share = count / count.sum()
        kappa = concentration((weight @ (part * cosine)) / count).clip(*KAPPA)

    def loss(numbers: FloatArray) -> tuple[float, FloatArray]:
        share, kappa = softmax(numbers[: len(mu)]), np.exp(numbers[len(mu) :])
        _, density, part = _expected(angle, share, mu, kappa)
        by_share = weight @ part - n * share
        by_kappa = kappa * (weight @ (part * (cosine - mean_length(kappa))))
        gradient = np.concatenate([by_share, by_kappa])
        return -float(weight @ np.log(density)), -gradient

    best = optimize.minimize(
        loss,
        np.log(np.concatenate([share, kappa])),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * len(mu) + [tuple(np.log(KAPPA))] * len(mu),
    )
    return softmax(best.x[: len(mu)]), np.exp(best.x[len(mu) :]), -float(best.fun)


def _expected(
    angle: FloatArray, share: FloatArray, mu: FloatArray, kappa: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return densities by direction and of all, and the part that each has."""
    likelihood = np.exp(log_density(angle[:, None], mu, kappa))
    density = np.maximum(likelihood @ share, LEAST_DENSITY)
    return likelihood, density, share * likelihood / density[:, None]
