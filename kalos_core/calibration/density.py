"""Gaussian kernel densities of distances, binned and convolved, or summed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import fft

from ..arrays import FloatArray, IntArray
from ..ranges import ranges

GRID: FloatArray = np.linspace(0, 1, 1000).astype(np.float64)
"""Distances at which densities are compared; the reference's."""

FINE = 4
"""Bins per step of the grid."""

N_BINS = FINE * (len(GRID) - 1) + 1

FLAT = 1e-9
"""A sample whose spread is no larger is one value, and has no density."""

NARROW = 4 / (N_BINS - 1)
"""Bandwidth below which bins are too wide for a kernel, and densities are summed."""

REACH = 39
"""Bandwidths from which on a Gaussian is 0 in floating point."""

SPECTRUM = 1.5
"""Frequency, in inverse bandwidths, from which on a Gaussian is but rounding."""

ROUNDING = 1e-13
"""What transforms leave where a density is 0, relative to its highest value."""


@dataclass(frozen=True, eq=False, slots=True)
class Density:
    """A density on ``GRID``, and how to know it better.

    Parameters
    ----------
    values : (G,) the density.
    slack : (G,) how far it may be off.
    exact : places of the grid to the density there, without that error.
    """

    values: FloatArray
    slack: FloatArray
    exact: Callable[[IntArray], FloatArray]


def scott(n: FloatArray, spread: FloatArray) -> FloatArray:
    """Return bandwidths by Scott's rule, as in scipy; nan without spread."""
    with np.errstate(divide="ignore"):
        return np.where(spread > FLAT, spread * n ** (-1 / 5), np.nan)


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


def convolved(counts: FloatArray, bandwidth: FloatArray) -> FloatArray:
    """Return (S, G) densities on ``GRID`` of histograms (S, N_BINS).

    The convolution with each kernel is a product of Fourier transforms. Where the
    bandwidth is nan, so is the density.
    """
    length = fft.next_fast_len(3 * N_BINS, real=True)  # no tail comes around
    spectrum = fft.rfft(counts, length, axis=1)
    frequency = np.arange(spectrum.shape[1]) * (N_BINS - 1) / length
    widest = SPECTRUM / np.nanmin(bandwidth, initial=1)
    end = int(np.searchsorted(frequency, widest))
    wave = np.pi * bandwidth[:, None] * frequency[:end]
    spectrum[:, :end] *= np.exp(-2 * wave**2)
    spectrum[:, end:] = 0
    smooth = fft.irfft(spectrum, length, axis=1)
    smooth = smooth[:, :N_BINS:FINE] * (N_BINS - 1)
    with np.errstate(invalid="ignore"):  # no distance at all
        density: FloatArray = smooth / counts.sum(axis=1)[:, None]
    return density


def summed(
    distance: FloatArray, weight: FloatArray, bandwidth: float, x: FloatArray
) -> FloatArray:
    """Return (P,) the density at ``x`` as the sum of all kernels.

    ``distance`` is ascending. Factors are multiplied in the order of the reference, so
    that the density becomes 0 where its does.
    """
    first = np.searchsorted(distance, x - REACH * bandwidth)
    count = np.searchsorted(distance, x + REACH * bandwidth, side="right") - first
    density, part = np.zeros(len(x)), weight / weight.sum()
    for place, of in ranges(first, count):
        away = (distance[of] - x[place]) / bandwidth
        kernel = np.exp(-away * away / 2) / (np.sqrt(2 * np.pi) * bandwidth)
        density += np.bincount(place, kernel * part[of], len(x))
    return density


def estimated(
    values: FloatArray,
    bandwidth: float,
    sample: Callable[[], tuple[FloatArray, FloatArray]],
    *,
    strict: bool,
) -> Density:
    """Return a density from its ``convolved`` values and the sample it is of.

    Parameters
    ----------
    sample : returns distances, ascending, and their weights, where they are needed.
    strict : whether the error of binning matters, or only that of rounding.
    """

    def exact(place: IntArray) -> FloatArray:
        return summed(*sample(), bandwidth, GRID[place])

    if bandwidth < NARROW:
        return Density(exact(np.arange(len(GRID))), np.zeros(len(GRID)), exact)
    # Sharing a distance by two bins adds at most (z^2 - 1) / 8 squared bins to a kernel
    # z bandwidths away, which is rounding from z = 8 on.
    relative = 8 / (bandwidth * (N_BINS - 1)) ** 2 if strict else 0.0
    values = values.clip(0)
    return Density(values, relative * values + ROUNDING * values.max(), exact)
