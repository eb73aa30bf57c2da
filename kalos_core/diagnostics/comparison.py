"""Two runs on the same images: what got better, what got worse, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, FloatArray, IntArray, freeze
from ..checks import at_least_one, check_generator
from ..errors import KalosError
from ..estimates import Estimates, estimate_means
from ..plain import AsJson
from ..resampling import Resampling

N_BOOT = 1000
"""Rounds of the bootstrap over images."""

SAME = 1e-9
"""Alphas no farther apart are equal; they differ by rounding."""

MOST = 20
"""Images that are listed of those that changed most."""


@dataclass(frozen=True, eq=False, slots=True)
class Comparison(AsJson):
    """Run b against run a on the images that both have.

    Parameters
    ----------
    images : names of the M common images, in order.
    a, b : (M,) their indices in each run.
    change : (M,) alpha in b less that in a; nan where either is undefined.
    mean_a, mean_b : mean alpha of each run where both are defined, one number each.
    difference : of these, b less a, with the same images drawn for both.
    better, worse : indices into ``images`` of those that changed most, most first and
        equal ones by name.
    n_better, n_worse, n_equal : common images by what became of their alpha.
    n_undefined_a, n_undefined_b, n_undefined_both : common images undefined in only
        that run, or in both.
    n_only_a, n_only_b : images that only one run has.
    seed, n_boot : of the bootstrap.
    """

    images: tuple[str, ...]
    a: IntArray
    b: IntArray
    change: FloatArray
    mean_a: Estimates
    mean_b: Estimates
    difference: Estimates
    better: IntArray
    worse: IntArray
    n_better: int
    n_worse: int
    n_equal: int
    n_undefined_a: int
    n_undefined_b: int
    n_undefined_both: int
    n_only_a: int
    n_only_b: int
    seed: int
    n_boot: int

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            freeze(self, name, np.int64, len(self.images))
        freeze(self, "change", np.float64, len(self.images))
        for name in ("better", "worse"):
            freeze(self, name, np.int64, None)


def compare(
    images_a: Sequence[str],
    alpha_a: npt.ArrayLike,
    images_b: Sequence[str],
    alpha_b: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_boot: int = N_BOOT,
    most: int = MOST,
) -> Comparison:
    """Compare the agreement of two runs, image by image.

    Images vary more than runs do, so the difference is that of the same images, drawn
    together: far surer than two intervals beside each other.

    Parameters
    ----------
    images_a, images_b : names of the images of each run, in any order.
    alpha_a, alpha_b : alpha of each of them; nan where undefined.
    rng : draws the seed of the bootstrap.
    most : how many of the images that changed are listed, in either direction.
    """
    check_generator(rng)
    at_least_one("n_boot", n_boot)
    names, a, b = common_images(images_a, images_b)
    before = _alphas(alpha_a, images_a, "alpha_a")[a]
    after = _alphas(alpha_b, images_b, "alpha_b")[b]
    change = after - before
    known = ~np.isnan(change)
    seed = int(rng.integers(2**32))
    resampling = Resampling(known, n_boot, seed, names)
    image, column = np.flatnonzero(known), np.zeros(int(known.sum()), np.int64)
    mean_a, mean_b, difference = (
        estimate_means(resampling, value[known], image, column, 1)
        for value in (before, after, change)
    )
    better, worse = change > SAME, change < -SAME
    no_a, no_b = np.isnan(before), np.isnan(after)
    return Comparison(
        images=names,
        a=a,
        b=b,
        change=change,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=difference,
        better=_largest(change, better)[:most],
        worse=_largest(-change, worse)[:most],
        n_better=int(better.sum()),
        n_worse=int(worse.sum()),
        n_equal=int((known & ~better & ~worse).sum()),
        n_undefined_a=int((no_a & ~no_b).sum()),
        n_undefined_b=int((no_b & ~no_a).sum()),
        n_undefined_both=int((no_a & no_b).sum()),
        n_only_a=len(images_a) - len(names),
        n_only_b=len(images_b) - len(names),
        seed=seed,
        n_boot=n_boot,
    )


def _alphas(alpha: npt.ArrayLike, images: Sequence[str], what: str) -> FloatArray:
    given: FloatArray = np.asarray(alpha, dtype=np.float64)
    if given.shape != (len(images),):
        raise KalosError(
            f"{what} must be a number for each of {len(images)} images, got shape "
            f"{given.shape}"
        )
    return given


def _largest(value: FloatArray, chosen: BoolArray) -> IntArray:
    """Return the chosen, largest first; of equal ones, rounded, by name."""
    place = np.flatnonzero(chosen)  # images are in the order of names
    return place[np.argsort(-np.rint(value[place] / SAME), kind="stable")]


def common_images(
    images_a: Sequence[str], images_b: Sequence[str]
) -> tuple[tuple[str, ...], IntArray, IntArray]:
    """Return the names that both runs have, in order, and their indices in each.

    Examples
    --------
    >>> names, a, b = common_images(["y", "x", "z"], ["x", "y"])
    >>> names, a.tolist(), b.tolist()
    (('x', 'y'), [1, 0], [0, 1])
    """
    places = []
    for what, images in (("images_a", images_a), ("images_b", images_b)):
        place = {name: n for n, name in enumerate(images)}
        if len(place) < len(images):
            twice = next(name for name in images if list(images).count(name) > 1)
            raise KalosError(f"{what} must be unique, got {twice!r} twice")
        places.append(place)
    names = tuple(sorted(places[0].keys() & places[1].keys()))
    a, b = (np.array([p[name] for name in names], dtype=np.int64) for p in places)
    return names, a, b
