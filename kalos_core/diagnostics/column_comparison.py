"""Raters, classes or kinds of two runs on the same images, each with its change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray, sum_by
from ..checks import at_least_one, check_generator
from ..estimates import Estimates, images_behind, with_intervals
from ..plain import AsJson
from ..resampling import Resampling
from .comparison import N_BOOT, common_images
from .per_image import PerImage


@dataclass(frozen=True, eq=False, slots=True)
class Differences(AsJson):
    """K columns that both runs have, by name, and how each of them changed.

    Parameters
    ----------
    names : of the columns, in order.
    a, b : (K,) the mean of each run.
    difference : (K,) b less a, with the same images drawn for both.
    """

    names: tuple[str, ...]
    a: Estimates
    b: Estimates
    difference: Estimates


@dataclass(frozen=True, eq=False, slots=True)
class _Cells:
    """Sums of common columns and images: (M,) key, total and count."""

    key: IntArray
    total: FloatArray
    count: FloatArray

    def where(self, key: IntArray) -> _Cells:
        """Return the sums whose key is among these."""
        kept = np.isin(self.key, key)
        return _Cells(self.key[kept], self.total[kept], self.count[kept])


def compare_columns(
    images_a: Sequence[str],
    columns_a: PerImage,
    images_b: Sequence[str],
    columns_b: PerImage,
    *,
    rng: np.random.Generator,
    n_boot: int = N_BOOT,
    paired: bool = True,
) -> Differences:
    """Compare columns of two runs, on the images that both have.

    Parameters
    ----------
    images_a, images_b : names of the images of each run.
    columns_a, columns_b : sums of each run, in any order of columns.
    rng : draws the seed of the bootstrap.
    paired : only images in which a column has sums in both runs. Without it an image
        whose units are gone still counts in the other run.
    """
    check_generator(rng)
    at_least_one("n_boot", n_boot)
    images, *places = common_images(images_a, images_b)
    names, *columns = common_images(columns_a.names, columns_b.names)
    a, b = (
        _cells(given, place, column)
        for given, place, column in zip(
            (columns_a, columns_b), places, columns, strict=True
        )
    )
    if paired:
        a, b = a.where(b.key), b.where(a.key)
    drawn_from = np.ones(len(images), dtype=bool)
    resampling = Resampling(drawn_from, n_boot, int(rng.integers(2**32)), images)
    before, rounds_a = _means(a, len(names), resampling)
    after, rounds_b = _means(b, len(names), resampling)
    n_a, n_b, n_either = (
        images_behind(key % max(len(images), 1), key // max(len(images), 1), len(names))
        for key in (a.key, b.key, np.concatenate([a.key, b.key]))
    )
    return Differences(
        names,
        with_intervals(before, rounds_a, n_a),
        with_intervals(after, rounds_b, n_b),
        with_intervals(after - before, rounds_b - rounds_a, n_either),
    )


def _cells(given: PerImage, place: IntArray, column: IntArray) -> _Cells:
    """Return the sums of common images and columns, at ``place`` and ``column``."""
    n_own = int(max(given.image.max(initial=-1), place.max(initial=-1))) + 1
    image_of, column_of = np.full(n_own, -1), np.full(len(given.names), -1)
    image_of[place] = np.arange(len(place))
    column_of[column] = np.arange(len(column))
    image, nth = image_of[given.image], column_of[given.column]
    kept = (image >= 0) & (nth >= 0) & (given.count > 0)
    key = nth[kept] * len(place) + image[kept]
    order = np.argsort(key)  # so that sums do not depend on the order of images
    return _Cells(key[order], given.total[kept][order], given.count[kept][order])


def _means(
    cells: _Cells, n_columns: int, resampling: Resampling
) -> tuple[FloatArray, FloatArray]:
    """Return (K,) the mean of each column, and (n_boot, K) those of the rounds."""
    column, image = np.divmod(cells.key, max(len(resampling.drawn_from), 1))
    total = sum_by(column, cells.total, n_columns)
    with np.errstate(invalid="ignore"):
        mean = total / sum_by(column, cells.count, n_columns)
    rounds = resampling.means(cells.total, cells.count, image, column, n_columns)
    return mean, rounds
