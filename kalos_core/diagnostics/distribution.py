"""How alpha is spread over images, and the worst of them with what is wrong there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray, StrArray, freeze
from ..estimates import Estimates, estimate_means
from ..interpretation import BANDS
from ..model import STATUSES, Agreement
from ..resampling import Resampling
from .kinds import KINDS, UnitKinds

LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Parts of the images below each quantile."""

READINGS = tuple(words for _, words in BANDS)
"""What alpha is read as, best first."""


@dataclass(frozen=True, eq=False, slots=True)
class AlphaDistribution:
    """How alpha is spread over the images in which it is defined.

    Parameters
    ----------
    levels : ``LEVELS``.
    quantiles : (7,) alpha at each level; nan where no image has one.
    readings : ``READINGS``.
    n_images : (5,) images of each reading; undefined ones have none.
    share : (5,) part of the images with each reading.
    statuses : ``STATUSES``.
    n_of_status : (4,) images of each status; only those computed are by the formula.
    """

    levels: tuple[float, ...]
    quantiles: FloatArray
    readings: tuple[str, ...]
    n_images: IntArray
    share: Estimates
    statuses: tuple[str, ...]
    n_of_status: IntArray

    def __post_init__(self) -> None:
        freeze(self, "quantiles", np.float64, len(self.levels))
        freeze(self, "n_images", np.int64, len(self.readings))
        freeze(self, "n_of_status", np.int64, len(self.statuses))


def alpha_distribution(
    agreement: Agreement, resampling: Resampling
) -> AlphaDistribution:
    """Return quantiles of alpha, and how many images have which reading and status."""
    image = np.flatnonzero(~np.isnan(agreement.alpha))
    alpha = agreement.alpha[image]
    n = len(READINGS)
    is_reading = _reading(alpha) == np.arange(n)[:, None]
    status = agreement.status == np.array(STATUSES)[:, None]
    quantiles: FloatArray = np.quantile(
        alpha if len(alpha) else [np.nan], LEVELS
    ).astype(np.float64)
    return AlphaDistribution(
        levels=LEVELS,
        quantiles=quantiles,
        readings=READINGS,
        n_images=is_reading.sum(axis=1),
        share=estimate_means(
            resampling,
            is_reading.ravel().astype(np.float64),
            np.tile(image, n),
            np.repeat(np.arange(n), len(image)),
            n,
        ),
        statuses=STATUSES,
        n_of_status=status.sum(axis=1),
    )


def _reading(alpha: FloatArray) -> IntArray:
    """Return (I,) the place in ``READINGS`` of each alpha."""
    rising = np.array([least for least, _ in BANDS[-2::-1]])
    place: IntArray = len(rising) - np.searchsorted(rising, alpha, side="right")
    return place


@dataclass(frozen=True, eq=False, slots=True)
class WorstImages:
    """The images with the lowest alpha, worst first, and what is wrong in them.

    Parameters
    ----------
    image : (W,) index of the image.
    alpha : (W,) its agreement.
    n_units : (W,) its units.
    kinds : ``KINDS``.
    n_of_kind : (W, 6) its units of each kind.
    unit : (W,) the unit whose repair would raise alpha most.
    unit_kind : (W,) what is wrong with it.
    gain : (W,) by how much.
    """

    image: IntArray
    alpha: FloatArray
    n_units: IntArray
    kinds: tuple[str, ...]
    n_of_kind: IntArray
    unit: IntArray
    unit_kind: StrArray
    gain: FloatArray

    def __post_init__(self) -> None:
        n = len(self.image)
        for name in ("image", "n_units", "unit"):
            freeze(self, name, np.int64, n)
        for name in ("alpha", "gain"):
            freeze(self, name, np.float64, n)
        freeze(self, "n_of_kind", np.int64, n, len(self.kinds))
        freeze(self, "unit_kind", np.str_, n)

    def __len__(self) -> int:
        return len(self.image)


def worst_images(agreement: Agreement, kinds: UnitKinds, most: int = 20) -> WorstImages:
    """Return the images of lowest alpha below 1; of equal ones those of more units."""
    image_of = agreement.reliability.image_of
    n_units = np.bincount(image_of, minlength=len(agreement.alpha))
    order = np.lexsort((-n_units, agreement.alpha))
    image = order[agreement.alpha[order] < 1][:most]
    gravity = (kinds.kind == np.array(KINDS)[:, None]).argmax(axis=0)
    cell = image_of * len(KINDS) + gravity
    n_of_kind = np.bincount(cell, minlength=len(n_units) * len(KINDS))
    # The largest gain last, of equal ones the gravest kind, then the first unit.
    by_gain = np.lexsort((-np.arange(len(image_of)), -gravity, kinds.gain))
    best = np.zeros(len(n_units), dtype=np.int64)
    best[image_of[by_gain]] = by_gain
    unit = best[image]
    return WorstImages(
        image=image,
        alpha=agreement.alpha[image],
        n_units=n_units[image],
        kinds=KINDS,
        n_of_kind=n_of_kind.reshape(-1, len(KINDS))[image],
        unit=unit,
        unit_kind=kinds.kind[unit],
        gain=kinds.gain[unit],
    )
