"""A sample of distances whose images are drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array

from ..arrays import FloatArray, IntArray
from .density import N_BINS, Density, bins, convolved, estimated, scott


class ByImage:
    """Distances and their images, summed up so that a round need not look at them.

    Parameters
    ----------
    distance : (M,) distances.
    image : (M,) the image of each, from 0 to ``n_images`` - 1.
    """

    def __init__(self, distance: FloatArray, image: IntArray, n_images: int) -> None:
        self.distance, self.image = distance, image
        low, share = bins(distance)
        weight = np.concatenate([1 - share, share])
        place = np.tile(image, 2), np.concatenate([low, low + 1])
        self.counts = csr_array((weight, place), shape=(n_images, N_BINS))
        away = distance - distance.mean()  # small numbers keep their last bits
        self.moments = np.stack(
            [np.bincount(image, away**power, n_images) for power in range(3)], axis=1
        )

    def histograms(self, drawn: FloatArray) -> FloatArray:
        """Return (S, N_BINS) histograms of rounds that drew images (S, I) times."""
        counts = self.counts.T @ drawn.T
        return np.ascontiguousarray(counts.T)  # rows are transformed four times faster

    def densities(self, drawn: FloatArray, counts: FloatArray) -> Iterator[Density]:
        """Yield the density of each round, given its histogram."""
        bandwidth = self._bandwidths(drawn)
        smooth = convolved(counts, bandwidth)
        for values, h, times in zip(smooth, bandwidth, drawn, strict=True):
            yield estimated(values, h, partial(self._weighted, times), strict=False)

    def _bandwidths(self, drawn: FloatArray) -> FloatArray:
        # Not @, for which threads are started that mostly wait for each other.
        n, total, squares = np.einsum("si,im->ms", drawn, self.moments)
        with np.errstate(invalid="ignore", divide="ignore"):  # one distance, or none
            variance = (squares - total**2 / n) / (n - 1)
        return scott(n, np.sqrt(variance.clip(0)))

    def _weighted(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return distances, ascending, and how often each of them is in a round."""
        values, place = self._distinct
        weight = np.bincount(place, times[self.image], len(values))
        return values, weight.astype(np.float64)

    @cached_property
    def _distinct(self) -> tuple[FloatArray, IntArray]:
        values, place = np.unique(self.distance, return_inverse=True)
        return values, place
