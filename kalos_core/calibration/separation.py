"""How far observed and expected disagreement lie apart, and where they part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..arrays import FloatArray, freeze
from ..plain import AsJson
from .density import GRID, Density, convolved, estimated, histogram, scott
from .ks import kolmogorov_smirnov
from .threshold import threshold


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Separation(AsJson):
    """What two samples of distances say about a threshold.

    Parameters
    ----------
    ks : two-sided Kolmogorov-Smirnov statistic, negative where D_e is the smaller.
    ks_at : the distance at which it is attained, which estimates the same crossing
        without a density estimate.
    tau_star : where the densities cross; None where ``status`` is undetermined.
    status : how it was found: crossing, valley or undetermined.
    grid : (G,) distances from 0 to 1 that the densities are given at, for drawing.
    density_o, density_e : (G,) densities, nan where a sample is one value.
    """

    ks: float
    ks_at: float
    tau_star: float | None
    status: str
    grid: FloatArray
    density_o: FloatArray
    density_e: FloatArray

    def __post_init__(self) -> None:
        for name in ("grid", "density_o", "density_e"):
            freeze(self, name, np.float64, len(GRID))

    @property
    def valid(self) -> bool:
        """Whether raters of one image are nearer to each other than chance is."""
        return self.ks > 0


def separate(d_o: FloatArray, d_e: FloatArray) -> Separation:
    """Return how well two samples part, neither of them empty."""
    d_o, d_e = np.sort(d_o), np.sort(d_e)
    ks, ks_at = kolmogorov_smirnov(d_o, d_e)
    o, e = smooth(d_o), smooth(d_e)
    tau_star, status = threshold(o, e)
    return Separation(
        ks=ks,
        ks_at=ks_at,
        tau_star=tau_star,
        status=status,
        grid=GRID,
        density_o=o.values,
        density_e=e.values,
    )


def smooth(distance: FloatArray) -> Density:
    """Return the density of a sample, ascending, nan if it is one value."""
    n = np.array([float(len(distance))])
    spread = distance.std(ddof=1, keepdims=True) if len(distance) > 1 else np.zeros(1)
    bandwidth = scott(n, spread)

    @cache
    def distinct() -> tuple[FloatArray, FloatArray]:
        last = np.flatnonzero(np.append(distance[1:] != distance[:-1], True))
        return distance[last], np.diff(last, prepend=-1).astype(np.float64)

    values = convolved(histogram(distance)[None], bandwidth)[0]
    return estimated(values, float(bandwidth[0]), distinct, strict=True)
