"""Bootstrap over images from what was summed up per image, not computed anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr, stdtrit

from .alpha import Coincidences
from .arrays import BoolArray, FloatArray, IntArray, by_name
from .column_sums import ColumnSums, Weights, matrix, product
from .intervals import LEVEL

ROUNDS = 100
"""Rounds computed at a time, which bounds the memory."""

REMEMBERED = 1 << 24
"""Images times rounds up to which draws are kept instead of drawn again."""


@dataclass(frozen=True, eq=False, slots=True)
class Resampling:
    """Which images each round draws: the same ones whenever it is asked.

    Two numbers resampled with it vary together, so that their difference can be told
    from zero as well.

    Parameters
    ----------
    drawn_from : (I,) True where an image may be drawn.
    n_boot : number of rounds; 0 for numbers without intervals.
    seed : of the generator that draws.
    names : of the images, by which they are drawn where given, so that the order of
        files does not matter.
    """

    drawn_from: BoolArray
    n_boot: int
    seed: int
    names: tuple[str, ...] = ()
    _drawn: list[Weights] = field(default_factory=list, init=False)

    def weights(self) -> Iterator[Weights]:
        """Yield (I, rounds) how often each round drew each image, in blocks."""
        few = len(self.drawn_from) * self.n_boot <= REMEMBERED
        if few and not self._drawn:
            self._drawn.extend(self._draw())
        yield from self._drawn or self._draw()

    def _draw(self) -> Iterator[Weights]:
        images = np.flatnonzero(self.drawn_from)
        if self.names:
            images = images[by_name([self.names[n] for n in images.tolist()])]
        n, rng = len(images), np.random.default_rng(self.seed)
        each: IntArray = np.empty(n, dtype=np.int64)
        for done in range(0, self.n_boot, ROUNDS):
            size = min(ROUNDS, self.n_boot - done)
            count = np.empty((size, n), dtype=np.float32)
            drawn = rng.integers(0, max(n, 1), (size, n), dtype=np.int32)
            for nth in range(size):  # one at a time, so that counts stay in the cache
                each[:] = drawn[nth]  # what bincount would convert anew
                count[nth] = np.bincount(each, minlength=n)
            weight = np.zeros((len(self.drawn_from), size), dtype=np.float32)
            weight[images] = count.T
            yield weight

    def means(
        self,
        total: FloatArray,
        count: FloatArray,
        image: IntArray,
        column: IntArray,
        n_columns: int,
    ) -> FloatArray:
        """Return (n_boot, K) the mean of each column's numbers in each round.

        Parameters
        ----------
        total, count : (M,) sum and number of the numbers of an image and column.
        image, column : (M,) of each.
        """
        if not self.n_boot:
            return np.empty((0, n_columns))
        shape = (n_columns, len(self.drawn_from))
        totals = matrix(total, column, image, shape)
        counts = matrix(count, column, image, shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            rounds = [product(totals, w) / product(counts, w) for w in self.weights()]
        means: FloatArray = np.concatenate(rounds, axis=1).T
        return means

    def alphas(
        self, sums: Coincidences, image: IntArray, column: IntArray, n_columns: int
    ) -> FloatArray:
        """Return (n_boot, K) alpha of each column's images together in each round.

        Parameters
        ----------
        image, column : (G,) of each group of ``sums``.
        """
        if not self.n_boot:
            return np.empty((0, n_columns))
        columns = ColumnSums(sums, image, column, n_columns, len(self.drawn_from))
        rounds = [columns.alpha(weight) for weight in self.weights()]
        return np.concatenate(rounds, axis=1).T


def interval_of(rounds: FloatArray, n_images: IntArray) -> FloatArray:
    """Return (K, 2) about the middle ``LEVEL`` of the rounds (n_boot, K) with a value.

    Rounds of few images (K,) vary too little, as the variance of a sample is too small
    and no normal curve fits. The part that is cut off is therefore less: that of a
    normal curve where Student's t, widened by sqrt(n / (n - 1)), has its own
    (Hesterberg 2015, expanded percentile interval).
    """
    degrees = np.maximum(n_images - 1, 1)
    far = stdtrit(degrees, (1 + LEVEL) / 2) * np.sqrt((degrees + 1) / degrees)
    cut_off = ndtr(-far)
    ordered = np.sort(rounds.T, axis=1)  # nan comes last
    last = np.maximum((~np.isnan(ordered)).sum(axis=1) - 1, 0)
    each = np.arange(len(ordered))
    ends = []
    for level in (cut_off, 1 - cut_off):
        place, share = np.divmod(last * level, 1)
        low = ordered[each, place.astype(np.int64)]
        high = ordered[each, np.minimum(place.astype(np.int64) + 1, last)]
        ends.append(low * (1 - share) + high * share)
    return np.stack(ends, axis=1)
