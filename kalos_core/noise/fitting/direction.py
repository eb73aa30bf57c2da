"""Directions of shifts: along the axes of the image, or along an axis of their own."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
from scipy import special

from ...arrays import FloatArray
from ...intervals import LEVEL
from ..laws import CARDINAL, AxialVonMises, CardinalMixture
from .circular_tests import kuiper_test, rayleigh_test
from .estimate import (
    Estimate,
    Fit,
    Outcome,
    enough,
    wald,
)
from .mixture import fit_mixture
from .mixture_intervals import intervals
from .von_mises import concentration, fit_mode, mean_length

LEAST_FOR_FOUR = 50
"""Directions for seven numbers, about a dozen for each side."""

LEAST_FOR_AXIS = 20
"""Directions for two numbers."""

N_BINS = 7200
"""Bins of 1/20 degree for more angles than that, far finer than any concentration."""

NO_AXIS = 4.0
"""Standard errors of the mean vector, in each direction, up to which it has none that
is worth an interval: of what is told apart by luck it would be too narrow."""

WEAK = 0.25
"""Length of the mean vector, of a kappa of 0.5, up to which vectors vary about as those
of a uniform law."""

SIDES = ("right", "down", "left", "up")

Weighted = tuple[FloatArray, FloatArray]


def fit_cardinal(angle: FloatArray, *, both_ways: bool) -> Fit[CardinalMixture]:
    """Return four von Mises distributions around right, down, left and up.

    Parameters
    ----------
    both_ways : whether each angle stands for its opposite as well, with weight 1/2;
        intervals are then wider than they need to be.

    Of angles that a uniform law describes as well, intervals are all but everything.
    """
    enough(len(angle), LEAST_FOR_FOUR, "directions")
    turned, weight = _ways(angle, both_ways)
    mu = np.array(CARDINAL)
    share, kappa, likelihood = fit_mixture(turned, weight, mu)
    names = [f"{what} {side}" for what in ("weight", "kappa") for side in SIDES]
    found = [*share.tolist(), *kappa.tolist()]
    ends = intervals(turned, weight, mu, share, kappa)
    tests, verdict = _tested(angle, turned, weight, likelihood)
    return Fit(
        CardinalMixture(tuple(share.tolist()), tuple(kappa.tolist())),
        "four von Mises at the axes",
        len(angle),
        tuple(
            Estimate(name, value, *both)
            for name, value, both in zip(names, found, ends, strict=True)
        ),
        tests,
        verdict,
    )


def fit_axial(angle: FloatArray, *, both_ways: bool) -> Fit[AxialVonMises]:
    """Return the von Mises distribution of the doubled angles, as ``fit_cardinal``.

    Kappa has an interval in any case, from 0 where there may be no axis; mu only where
    there clearly is one.
    """
    enough(len(angle), LEAST_FOR_AXIS, "directions")
    doubled, kappa, _ = fit_mode(2 * angle, np.ones(len(angle)))
    mu = doubled / 2 % np.pi
    length = float(mean_length(np.array(kappa)))
    turned, weight = _ways(angle, both_ways)
    _, _, at_axes = fit_mixture(turned, weight, np.array(CARDINAL))
    spread = 1 / sqrt(len(angle) * max(kappa * length, 1e-12)) / 2
    tests, verdict = _tested(angle, turned, weight, at_axes)
    if not _clear(length, len(angle)):
        spread = np.nan
    return Fit(
        AxialVonMises(mu, kappa),
        "von Mises of the doubled angle",
        len(angle),
        (
            wald("mu", mu, spread),
            _concentrated(kappa, length, len(angle)),
        ),
        tests,
        verdict,
    )


def _clear(length: float, n: int) -> bool:
    """Return whether the mean of n unit vectors is clearly not none by its length."""
    return 2 * n * length**2 >= NO_AXIS**2


def _concentrated(kappa: float, length: float, n: int) -> Estimate:
    """Return kappa with its interval, ``length`` being that of the mean of n vectors.

    Near uniform its square is noncentral chi-square distributed, with 2 degrees of
    freedom, which tells what is not above 0; Wald's interval would not.
    """
    if length >= WEAK and _clear(length, n):
        variance = 1 - length**2 - length / kappa
        found = wald("kappa", kappa, 1 / sqrt(n * variance))
        return replace(found, low=max(found.low, 0.0))
    square = 2 * n * length**2
    tail = (1 - LEVEL) / 2
    ends = special.chndtrinc(square, 2, np.array([1 - tail, tail]))
    least = special.chdtr(2, square) < [1 - tail, tail]  # nor is it likely without any
    low, high = concentration(np.sqrt(np.where(least, 0, ends) / (2 * n))).tolist()
    return Estimate("kappa", kappa, low, high)


def _ways(angle: FloatArray, both: bool) -> Weighted:
    """Return the angles with weights, each with its opposite if so; many in bins."""
    ways = [angle, angle + np.pi] if both else [angle]
    turned = np.concatenate(ways) % (2 * np.pi)
    if len(turned) <= N_BINS:
        return turned, np.full(len(turned), 1 / len(ways))
    place = (turned * (N_BINS / (2 * np.pi))).astype(np.int64) % N_BINS
    count = np.bincount(place, minlength=N_BINS) / len(ways)
    some = np.flatnonzero(count)
    middle = some.astype(np.float64) + 0.5
    return middle * (2 * np.pi / N_BINS), count[some]


def _tested(
    angle: FloatArray, turned: FloatArray, weight: FloatArray, at_axes: float
) -> tuple[tuple[Outcome, ...], str]:
    """Return tests of uniformity, AIC of five laws, and which is best.

    Uniformity is tested of multiples of the angle, for which it does not matter which
    of two raters comes first: Rayleigh's of the fourfold one, in which a bias to the
    axes is a single direction, and Kuiper's of the doubled one.

    Parameters
    ----------
    at_axes : log likelihood of the mixture of four at the axes.
    """
    _, _, between = fit_mixture(turned, weight, np.array(CARDINAL) + np.pi / 4)
    _, _, axial = fit_mode(2 * turned, weight)
    _, _, unimodal = fit_mode(turned, weight)
    uniform = -len(angle) * float(np.log(2 * np.pi))
    aic = {
        "cardinal": 2 * (7 - at_axes),
        "quadrant": 2 * (7 - between),
        "axial": 2 * (2 - axial),
        "unimodal": 2 * (2 - unimodal),
        "uniform": -2 * uniform,
    }
    tests = (
        rayleigh_test(4 * angle),
        kuiper_test(2 * angle),
        *(Outcome(f"AIC {law}", value) for law, value in aic.items()),
    )
    best = min(aic, key=lambda law: aic[law])
    return tests, f"lowest AIC: {best}"
