"""Looseness: how far each rater's labels lie from those that they match."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, freeze, sum_by
from ..estimates import Estimates, estimate_apart, estimate_means
from ..model import Agreement
from ..pairs import ROUNDING, measured
from ..ranges import pairs_in_groups
from ..resampling import Resampling

GRID: FloatArray = np.linspace(0, 1, 21).astype(np.float64)
"""Thresholds at which matches are counted."""

FINE = 1000
"""Bins of distances, so that thresholds are told apart to a thousandth."""


@dataclass(frozen=True, eq=False, slots=True)
class Looseness:
    """Distances between the labels of each rater and the others' in the same units.

    Of two raters who disagree on a border it cannot be told who is looser; of three
    or more the one who is far from all others stands out.

    Parameters
    ----------
    distance : mean distance of each rater (R,), images weighing alike.
    relative : (R,) the same less that of all raters of the image; above 0 for whoever
        draws more loosely than the others, and about 0 for raters who are alike.
    tau : (T,) thresholds.
    kept : (R, T) the share of the rater's matches that are within each threshold.
    cliff : (R,) the threshold at which half of them are lost, nan without a match.
    """

    distance: Estimates
    relative: Estimates
    tau: FloatArray
    kept: FloatArray
    cliff: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "tau", np.float64, None)
        freeze(self, "kept", np.float64, len(self.distance), len(self.tau))
        freeze(self, "cliff", np.float64, len(self.distance))


def looseness(
    annotations: Annotations, agreement: Agreement, resampling: Resampling
) -> Looseness:
    """Return how loosely each rater draws, by the units of ``agreement``."""
    n_raters, n_images = annotations.n_raters, annotations.n_images
    total, count = np.zeros(n_images * n_raters), np.zeros(n_images * n_raters)
    fine = np.zeros((n_raters, FINE + 1))
    d_loc, shapes = agreement.configuration.d_loc, annotations.geometry
    for k, l in pairs_in_groups(agreement.reliability.unit_of):
        d = measured(annotations, d_loc, shapes, k, l)
        for one in (k, l):
            rater = annotations.rater[one]
            cell = annotations.image[one] * n_raters + rater
            total += sum_by(cell, d, len(total))
            count += np.bincount(cell, minlength=len(count))
            bin_of = np.ceil((d - ROUNDING) * FINE).astype(np.int64)
            place = rater * (FINE + 1) + np.maximum(bin_of, 0)
            fine += np.bincount(place, minlength=fine.size).reshape(fine.shape)
    cell = np.flatnonzero(count)
    image, rater = np.divmod(cell, n_raters)
    drawn = (total[cell] / count[cell], image, rater, n_raters)
    return Looseness(
        estimate_means(resampling, *drawn),
        estimate_apart(resampling, *drawn),
        GRID,
        *_kept(fine),
    )


def _kept(fine: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (R, T) shares within thresholds, and (R,) where half are lost."""
    within = fine.cumsum(axis=1)
    with np.errstate(invalid="ignore"):
        share = within / within[:, -1:]
    half = (share >= 0.5).argmax(axis=1) / FINE
    kept = share[:, np.round(GRID * FINE).astype(np.int64)]
    return kept, np.where(within[:, -1] > 0, half, np.nan)
