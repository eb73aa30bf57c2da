"""Gaussian kernel densities of distances, binned and convolved."""

from __future__ import annotations

import numpy as np
from scipy import fft

from ..arrays import FloatArray, IntArray

GRID = np.linspace(0, 1, 1000)
"""Distances at which densities are compared; the reference's."""

FINE = 4
"""Bins per step of the grid."""

N_BINS = FINE * (len(GRID) - 1) + 1

FLAT = 1e-9
"""A sample whose spread is no larger is one value, and has no density."""


def bins(distance: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return (M,) the bin below each distance, and the share of the one above."""
    place = distance * (N_BINS - 1)
    low = np.minimum(place.astype(np.int64), N_BINS - 2)
    return low, place - low


def histogram(distance: FloatArray) -> FloatArray:
    """Return (N_BINS,) counts; a distance between two bins is shared by both."""
    low, share = bins(distance)
    counts = np.bincount(low, 1 - share, N_BINS).astype(np.float64)
    counts[1:] += np.bincount(low, share, N_BINS - 1)
    return counts


def densities(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (S, G) densities of S samples on ``GRID``, and (S,) their bandwidths.

    Bandwidths are Scott's rule, as in scipy and the reference. The convolution of the
    histograms (S, N_BINS) with the kernel is a product of Fourier transforms. Samples
    without spread get nan.
    """
    x, n = np.linspace(0, 1, N_BINS), counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):  # one distance, or none
        mean = counts @ x / n
        spread = np.sqrt((counts @ x**2 - n * mean**2).clip(0) / (n - 1))
    bandwidth = np.where(spread > FLAT, spread * n ** (-1 / 5), np.nan)
    length = fft.next_fast_len(3 * N_BINS, real=True)  # no tail comes around
    frequency = np.arange(length // 2 + 1) * (N_BINS - 1) / length
    kernel = np.exp(-2 * (np.pi * bandwidth[:, None] * frequency) ** 2)
    smooth = fft.irfft(fft.rfft(counts, length, axis=1) * kernel, length, axis=1)
    density: FloatArray = smooth[:, :N_BINS:FINE] * (N_BINS - 1)
    return density / n[:, None], bandwidth


def exact_density(distance: FloatArray, bandwidth: float, x: float) -> float:
    """Return the density at ``x`` as the sum over all distances."""
    away = (distance - x) / bandwidth
    total = np.exp(-away * away / 2).sum()
    return float(total / (len(distance) * bandwidth * np.sqrt(2 * np.pi)))
