"""Calibration by the size of objects, which IoU is not fair to (paper, robustness)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..plain import AsJson
from .bootstrap import CalibrationBootstrap, bootstrap_samples, image_numbers
from .calibrate import Calibration
from .separation import Separation, separate

PIXELS = 640 * 480
"""Size of the image that COCO's limits are taken relative to."""

LIMITS = {
    "small": (0.0, 32**2 / PIXELS),
    "medium": (32**2 / PIXELS, 96**2 / PIXELS),
    "large": (96**2 / PIXELS, np.inf),
}
"""Relative areas from which on, and below which, an object has that size."""


def size_of(area: FloatArray) -> IntArray:
    """Return (N,) the place of each area's size among ``LIMITS``; -1 where it is nan.

    Examples
    --------
    >>> size_of(np.array([0.5, 0.001, np.nan])).tolist()
    [2, 0, -1]
    """
    size: IntArray = np.full(len(area), -1)
    for number, (low, high) in enumerate(LIMITS.values()):
        size[(area >= low) & (area < high)] = number
    return size


@dataclass(frozen=True, eq=False, slots=True)
class SizeStratum(AsJson):
    """The calibration of the objects of one size, against objects of all sizes.

    Parameters
    ----------
    size : small, medium or large.
    n_annotations : annotations of that size.
    separation, bootstrap : None where they have no two distances that differ.
    """

    size: str
    n_annotations: int
    separation: Separation | None
    bootstrap: CalibrationBootstrap | None


def calibrate_by_size(
    annotations: Annotations,
    calibration: Calibration,
    *,
    rng: np.random.Generator,
    n_boot: int = 100,
) -> tuple[SizeStratum, ...]:
    """Return what the distances of small, medium and large objects say by themselves.

    Sizes are those of the annotation whose distance it is; what it was compared with
    may have any size, so that nothing drops out at the border of two sizes.
    """
    image = image_numbers(annotations, calibration)
    area = annotations.geometry.area()
    found = []
    for size, (low, high) in LIMITS.items():
        chosen = (area >= low) & (area < high)
        in_o = chosen[calibration.annotation_o]
        in_e = chosen[calibration.annotation_e]
        d_o, d_e = calibration.d_o[in_o], calibration.d_e[in_e]
        separation = bootstrap = None
        if len(d_o) and len(d_e) and len(np.unique(np.concatenate([d_o, d_e]))) > 1:
            separation = separate(d_o, d_e)
            bootstrap = bootstrap_samples(
                d_o,
                image[calibration.annotation_o[in_o]],
                d_e,
                image[calibration.annotation_e[in_e]],
                rng=rng,
                n_boot=n_boot,
            )
        found.append(SizeStratum(size, int(chosen.sum()), separation, bootstrap))
    return tuple(found)
