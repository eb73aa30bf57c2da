"""How far observed and expected disagreement lie apart, and where they part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, freeze
from .density import FINE, GRID, densities, exact_density, histogram
from .ks import kolmogorov_smirnov
from .threshold import threshold


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Separation:
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
    ks, ks_at = kolmogorov_smirnov(d_o, d_e)
    (f_o, f_e), (h_o, h_e) = densities(np.stack([histogram(d_o), histogram(d_e)]))

    def difference(x: float) -> float:
        return exact_density(d_o, h_o, x) - exact_density(d_e, h_e, x)

    # What binning adds to a Gaussian, up to six of its widths away.
    uncertain = 4 / (FINE * (len(GRID) - 1) * min(h_o, h_e)) ** 2
    tau_star, status = threshold(f_o, f_e, uncertain, difference)
    return Separation(
        ks=ks,
        ks_at=ks_at,
        tau_star=tau_star,
        status=status,
        grid=GRID,
        density_o=f_o,
        density_e=f_e,
    )
