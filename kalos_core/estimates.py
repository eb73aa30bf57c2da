"""Numbers with intervals, and the number of images behind each."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np
from scipy.special import stdtrit

from .alpha import Coincidences
from .arrays import BoolArray, FloatArray, IntArray, freeze, sum_by
from .intervals import LEVEL
from .plain import AsJson
from .ranges import different
from .resampling import Resampling, interval_of

FEW = 8
"""Images from which on the percentiles of rounds are an interval."""

ROUNDING = 1e-6
"""What means of the same numbers differ by at most, in single precision as rounds are;
numbers are of the size of alpha."""


@dataclass(frozen=True, eq=False, slots=True)
class Estimates(AsJson):
    """K numbers, each with a 95 % interval over images.

    Parameters
    ----------
    value : (K,) the numbers; nan where undefined.
    low, high : (K,) ends of the intervals; nan where fewer than two images are behind
        a number, which then says nothing about others, and without rounds.
    n_images : (K,) images that each number comes from.
    told_from_zero : (K,) True where the interval leaves 0 out, and, of numbers of which
        none should be told by chance, where one of that width for all of them does.
    by_convention : (K,) True where a number is an alpha of 1 only because disagreement
        had no chance to show, or a difference of two such; it is then not told from
        zero.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    n_images: IntArray
    told_from_zero: BoolArray = field(default_factory=lambda: np.empty(0, np.bool_))
    by_convention: BoolArray = field(default_factory=lambda: np.empty(0, np.bool_))

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            freeze(self, name, np.float64, len(self.value))
        freeze(self, "n_images", np.int64, len(self.value))
        if not len(self.told_from_zero):
            told = (self.low > 0) | (self.high < 0)
            object.__setattr__(self, "told_from_zero", told)
        if not len(self.by_convention):
            object.__setattr__(self, "by_convention", np.zeros(len(self.value), bool))
        freeze(self, "by_convention", np.bool_, len(self.value))
        told = self.told_from_zero & ~self.by_convention
        object.__setattr__(self, "told_from_zero", told)
        freeze(self, "told_from_zero", np.bool_, len(self.value))

    def __len__(self) -> int:
        return len(self.value)

    def within(self, least: float, most: float) -> Estimates:
        """Return the same with no interval beyond what is possible."""
        low, high = self.low.clip(least, most), self.high.clip(least, most)
        return replace(self, low=low, high=high)

    def take(self, index: IntArray) -> Estimates:
        """Return the numbers at ``index``, in that order."""
        return Estimates(*(getattr(self, own.name)[index] for own in fields(self)))

    def with_convention(self, uniform: BoolArray, column: IntArray) -> Estimates:
        """Return the same with marks where all alphas of a column are by convention.

        Parameters
        ----------
        uniform, column : (M,) whether an alpha is, and the column that it is in; those
            that are undefined are left out.
        """
        n_columns = len(self)
        every = np.bincount(column, minlength=n_columns)
        only = np.bincount(column[uniform], minlength=n_columns) == every
        return replace(self, by_convention=only & (every > 0))


def with_intervals(
    value: FloatArray, rounds: FloatArray, n_images: IntArray, family: int = 1
) -> Estimates:
    """Return numbers (K,) with the intervals of their rounds (n_boot, K).

    Rounds never leave the range of the images, which of a few images is far too
    narrow; these get the interval of Student's t instead, and none where nothing varies
    that one could tell from.

    Parameters
    ----------
    family : among so many numbers none should be told from zero by chance.
    """
    nothing = np.full((len(value), 2), np.nan)
    if not len(rounds):
        return Estimates(value, nothing[:, 0], nothing[:, 1], n_images)
    interval, few = interval_of(rounds, n_images), n_images < FEW
    error, degrees = _standard_error(rounds, n_images), np.maximum(n_images - 1, 1)
    far = stdtrit(degrees, (1 + LEVEL) / 2) * np.where(error > 0, error, np.nan)
    interval[few] = np.stack([value - far, value + far], axis=1)[few]
    interval[n_images < 2] = np.nan
    low, high = interval.T
    told = (low > 0) | (high < 0)
    if family > 1:
        told &= np.abs(value) > error * stdtrit(degrees, 1 - (1 - LEVEL) / 2 / family)
    return Estimates(value, low, high, n_images, told)


def _standard_error(rounds: FloatArray, n_images: IntArray) -> FloatArray:
    """Return (K,) what each number varies by, from its rounds with a value."""
    known = ~np.isnan(rounds)
    count = np.maximum(known.sum(axis=0), 2)
    filled = np.where(known, rounds, 0)
    mean = filled.sum(axis=0) / count
    square = (np.where(known, rounds - mean, 0) ** 2).sum(axis=0) / (count - 1)
    # The variance of a sample is too small by one of its n.
    error: FloatArray = np.sqrt(square * n_images / np.maximum(n_images - 1, 1))
    error[error < ROUNDING] = 0
    return error


def estimate_means(
    resampling: Resampling,
    value: FloatArray,
    image: IntArray,
    column: IntArray,
    n_columns: int,
    family: int = 1,
) -> Estimates:
    """Return the mean of each column's values; those that are nan are left out.

    Parameters
    ----------
    value, image, column : (M,) numbers, the image and the column of each.
    family : among so many numbers none should be told from zero by chance.
    """
    return with_intervals(
        *mean_rounds(resampling, value, image, column, n_columns), family
    )


def mean_rounds(
    resampling: Resampling,
    value: FloatArray,
    image: IntArray,
    column: IntArray,
    n_columns: int,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return (K,) the same means, (n_boot, K) their rounds, (K,) the images behind."""
    defined = ~np.isnan(value)
    if not defined.all():
        value, image, column = value[defined], image[defined], column[defined]
    count = np.bincount(column, minlength=n_columns)
    with np.errstate(invalid="ignore"):
        mean = sum_by(column, value, n_columns) / count
    rounds = resampling.means(value, np.ones(len(value)), image, column, n_columns)
    return mean, rounds, images_behind(image, column, n_columns)


def estimate_apart(
    resampling: Resampling,
    value: FloatArray,
    image: IntArray,
    column: IntArray,
    n_columns: int,
) -> Estimates:
    """Return the mean of each column's values less the mean of the image they are of.

    Where columns are alike, chance tells one of them from zero in 5 % of data sets.

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
    return estimate_means(resampling, apart, image, column, n_columns, n_columns)


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
    alpha, uniform = sums.summed(column, n_columns).alpha()
    rounds = resampling.alphas(sums, image, column, n_columns)
    some = sums.n > 0
    found = with_intervals(
        alpha, rounds, images_behind(image[some], column[some], n_columns)
    )
    return replace(found.within(-1, 1), by_convention=uniform)


def estimate_mean_alphas(
    resampling: Resampling,
    sums: Coincidences,
    image: IntArray,
    column: IntArray,
    n_columns: int,
) -> Estimates:
    """Return mean alpha of each column's groups.

    Parameters
    ----------
    image, column : (G,) of each group of ``sums``.
    """
    alpha, uniform = sums.alpha()
    known = ~np.isnan(alpha)
    found = estimate_means(resampling, alpha, image, column, n_columns)
    return found.within(-1, 1).with_convention(uniform[known], column[known])


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
    return (
        estimate_mean_alphas(resampling, sums, image, column, n_columns),
        estimate_alphas(resampling, sums, image, column, n_columns),
    )


def images_behind(image: IntArray, column: IntArray, n_columns: int) -> IntArray:
    """Return (K,) the number of different images of each column."""
    n_images = int(image.max(initial=-1)) + 1
    seen = different(column * n_images + image, n_columns * n_images)
    return np.bincount(seen // max(n_images, 1), minlength=n_columns)
