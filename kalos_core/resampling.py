"""Bootstrap over images from what was summed up per image, not computed anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from .alpha import Coincidences, alpha_of_sums
from .arrays import BoolArray, FloatArray, IntArray
from .intervals import LEVEL

BLOCK = 1 << 22
"""Numbers in memory at a time, per array."""


@dataclass(frozen=True, eq=False, slots=True)
class Resampling:
    """Which images each round draws: the same ones whenever it is asked.

    Two numbers resampled with it vary together, so that their difference can be told
    from zero as well.

    Parameters
    ----------
    drawn_from : (I,) True where an image may be drawn.
    n_boot : number of rounds.
    seed : of the generator that draws.
    """

    drawn_from: BoolArray
    n_boot: int
    seed: int

    def weights(self, n_columns: int = 1) -> Iterator[FloatArray]:
        """Yield (rounds, I) how often each round drew each image, in blocks.

        Blocks are small enough for arrays of ``n_columns`` numbers a round.
        """
        images = np.flatnonzero(self.drawn_from)
        rng, n_images = np.random.default_rng(self.seed), len(self.drawn_from)
        most = max(BLOCK // max(n_images, n_columns, 1), 1)
        for done in range(0, self.n_boot, most):
            size = min(most, self.n_boot - done)
            drawn = images[rng.integers(0, len(images), (size, len(images)))]
            cell = drawn + np.arange(size)[:, None] * n_images
            count = np.bincount(cell.ravel(), minlength=size * n_images)
            yield count.reshape(size, n_images).astype(np.float64)

    def means(
        self, value: FloatArray, image: IntArray, column: IntArray, n_columns: int
    ) -> FloatArray:
        """Return (n_boot, K) the mean of each column's values in each round.

        Parameters
        ----------
        value, image, column : (M,) numbers, the image and the column of each.
        """
        shape = (len(self.drawn_from), n_columns)
        total = csr_array((value, (image, column)), shape=shape)
        count = csr_array((np.ones(len(value)), (image, column)), shape=shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            rounds = [(w @ total) / (w @ count) for w in self.weights(n_columns)]
        return np.concatenate(rounds)

    def alphas(
        self, sums: Coincidences, image: IntArray, column: IntArray, n_columns: int
    ) -> FloatArray:
        """Return (n_boot, K) alpha of each column's images together in each round.

        Parameters
        ----------
        image, column : (G,) of each group of ``sums``.
        """
        n_images = len(self.drawn_from)
        shape = (n_images, n_columns)
        n = csr_array((sums.n, (image, column)), shape=shape)
        o_cc = csr_array((sums.o_cc, (image, column)), shape=shape)
        span = int(sums.value.max(initial=0)) + 2  # from NO_OBJECT, -1
        key, place = np.unique(
            column[sums.group] * span + sums.value + 1, return_inverse=True
        )
        n_c = csr_array(
            (sums.n_c, (image[sums.group], place)), shape=(n_images, len(key))
        )
        of_key = csr_array(
            (np.ones(len(key)), (np.arange(len(key)), key // span)),
            shape=(len(key), n_columns),
        )
        rounds = []
        for weight in self.weights(max(n_columns, len(key))):
            drawn = weight @ n_c
            chance = (drawn * (drawn - 1)) @ of_key
            rounds.append(alpha_of_sums(weight @ n, weight @ o_cc, chance)[0])
        return np.concatenate(rounds)


def interval_of(rounds: FloatArray) -> FloatArray:
    """Return (K, 2) the middle ``LEVEL`` of the rounds (n_boot, K) that are defined."""
    ordered = np.sort(rounds, axis=0)  # nan comes last
    last = (~np.isnan(rounds)).sum(axis=0) - 1
    found = np.full((rounds.shape[1], 2), np.nan)
    for side, level in enumerate(((1 - LEVEL) / 2, (1 + LEVEL) / 2)):
        place = np.maximum(last, 0) * level
        low, share = np.floor(place).astype(np.int64), place % 1
        high = np.minimum(low + 1, np.maximum(last, 0))
        columns = np.arange(rounds.shape[1])
        found[:, side] = ordered[low, columns] * (1 - share) + (
            ordered[high, columns] * share
        )
    return found
