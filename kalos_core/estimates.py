"""Numbers with intervals, and the number of images behind each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .alpha import Coincidences
from .arrays import BoolArray, FloatArray, IntArray, freeze, sum_by
from .ranges import counted, grouped
from .resampling import Resampling, interval_of


@dataclass(frozen=True, eq=False, slots=True)
class Estimates:
    """K numbers, each with a 95 % interval over images.

    Parameters
    ----------
    value : (K,) the numbers; nan where undefined.
    low, high : (K,) ends of the intervals; nan where fewer than two images are behind
        a number, which then says nothing about others, and without rounds.
    n_images : (K,) images that each number comes from.
    told_from_zero : (K,) True where the interval leaves 0 out.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    n_images: IntArray
    told_from_zero: BoolArray = field(init=False)

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            freeze(self, name, np.float64, len(self.value))
        freeze(self, "n_images", np.int64, len(self.value))
        told = (self.low > 0) | (self.high < 0)
        object.__setattr__(self, "told_from_zero", told)
        freeze(self, "told_from_zero", np.bool_, len(self.value))

    def __len__(self) -> int:
        return len(self.value)

    def take(self, index: IntArray) -> Estimates:
        """Return the numbers at ``index``, in that order."""
        return Estimates(
            self.value[index], self.low[index], self.high[index], self.n_images[index]
        )


def with_intervals(
    value: FloatArray, rounds: FloatArray, n_images: IntArray
) -> Estimates:
    """Return numbers (K,) with the intervals of their rounds (n_boot, K)."""
    nothing = np.full((len(value), 2), np.nan)
    interval = interval_of(rounds, n_images) if len(rounds) else nothing
    interval[n_images < 2] = np.nan
    return Estimates(value, interval[:, 0], interval[:, 1], n_images)


def estimate_means(
    resampling: Resampling,
    value: FloatArray,
    image: IntArray,
    column: IntArray,
    n_columns: int,
) -> Estimates:
    """Return the mean of each column's values; those that are nan are left out.

    Parameters
    ----------
    value, image, column : (M,) numbers, the image and the column of each.
    """
    defined = np.flatnonzero(~np.isnan(value))
    n_images = max(len(resampling.drawn_from), 1)
    cell = column[defined] * n_images + image[defined]
    # One cell per image and column, however many numbers they have.
    some, place = grouped(cell, n_columns * n_images)
    count = sum_by(place, np.ones(len(cell)), len(some))
    total = sum_by(place, value[defined], len(some))
    column, image = np.divmod(some, n_images)
    with np.errstate(invalid="ignore"):
        mean = sum_by(column, total, n_columns) / sum_by(column, count, n_columns)
    return with_intervals(
        mean,
        resampling.means(total, count, image, column, n_columns),
        np.bincount(column, minlength=n_columns),
    )


def estimate_apart(
    resampling: Resampling,
    value: FloatArray,
    image: IntArray,
    column: IntArray,
    n_columns: int,
) -> Estimates:
    """Return the mean of each column's values less the mean of the image they are of.

    Parameters
    ----------
    value, image, column : (M,) numbers, the image and the column of each; nan is left
        out.
    """
    known = ~np.isnan(value)
    value, image, column = value[known], image[known], column[known]
    n_images = len(resampling.drawn_from)
    total = sum_by(image, value, n_images)
    count = np.bincount(image, minlength=n_images)
    apart = value - total[image] / count[image]
    return estimate_means(resampling, apart, image, column, n_columns)


def estimate_alphas(
    resampling: Resampling,
    sums: Coincidences,
    image: IntArray,
    column: IntArray,
    n_columns: int,
) -> Estimates:
    """Return alpha of each column's images together.

    Parameters
    ----------
    image, column : (G,) of each group of ``sums``.
    """
    alpha, _ = sums.summed(column, n_columns).alpha()
    rounds = resampling.alphas(sums, image, column, n_columns)
    some = sums.n > 0
    return with_intervals(
        alpha, rounds, images_behind(image[some], column[some], n_columns)
    )


def estimate_both(
    resampling: Resampling,
    sums: Coincidences,
    image: IntArray,
    column: IntArray,
    n_columns: int,
) -> tuple[Estimates, Estimates]:
    """Return mean alpha of each column's groups, and alpha of them together.

    Parameters
    ----------
    image, column : (G,) of each group of ``sums``.
    """
    alpha, _ = sums.alpha()
    return (
        estimate_means(resampling, alpha, image, column, n_columns),
        estimate_alphas(resampling, sums, image, column, n_columns),
    )


def images_behind(image: IntArray, column: IntArray, n_columns: int) -> IntArray:
    """Return (K,) the number of different images of each column."""
    n_images = int(image.max(initial=-1)) + 1
    seen, _ = counted(column * n_images + image, n_columns * n_images)
    return np.bincount(seen // max(n_images, 1), minlength=n_columns)
