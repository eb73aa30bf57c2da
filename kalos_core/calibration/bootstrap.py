"""How stable tau* and KS are: a bootstrap over images (paper, robustness)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, by_name
from ..checks import at_least_one, check_generator, check_type
from ..errors import KalosError
from ..intervals import Interval, percentile_interval
from ..plain import AsJson
from .by_image import ByImage
from .calibrate import Calibration
from .threshold import threshold

BLOCK = 100
"""Rounds computed at a time, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class CalibrationBootstrap(AsJson):
    """Mean and interval of tau* and KS over resampled images.

    Parameters
    ----------
    tau_star, tau_interval : of the rounds that found a threshold; None where half of
        the rounds or more found none.
    ks, ks_interval : of all rounds.
    n_boot, n_determined : rounds, and those that found a threshold.
    """

    tau_star: float | None
    tau_interval: Interval | None
    ks: float
    ks_interval: Interval
    n_boot: int
    n_determined: int


def bootstrap_calibration(
    annotations: Annotations,
    calibration: Calibration,
    *,
    rng: np.random.Generator,
    n_boot: int = 100,
) -> CalibrationBootstrap:
    """Resample images and return what calibrations of them would vary by.

    The distances are those of ``calibration``: each image brings its own, and a round
    weighs images by how often it drew them.

    A density estimate is biased, and percentiles do not mend that. With a few dozen
    images intervals of tau* hold the true crossing in nine studies of ten rather than
    in 95 %, with hundreds in about 95 %. Where D_o is narrow and few distances lie
    near the crossing, tau* is too small by 0.01 to 0.02 and hardly more than half of
    the intervals hold it (``benchmarks/coverage.py``).

    Parameters
    ----------
    rng : draws the images.
    n_boot : rounds. Of fewer than about 100 the ends of the intervals are single
        rounds, and too narrow.
    """
    image = image_numbers(annotations, calibration)
    return bootstrap_samples(
        calibration.d_o,
        image[calibration.annotation_o],
        calibration.d_e,
        image[calibration.annotation_e],
        rng=rng,
        n_boot=n_boot,
    )


def image_numbers(annotations: Annotations, calibration: Calibration) -> IntArray:
    """Return (N,) the image of each annotation, numbered by name.

    Raises
    ------
    KalosError
        If the calibration is of others.
    """
    check_type("annotations", annotations, Annotations)
    check_type("calibration", calibration, Calibration)
    if calibration.n_annotations != len(annotations):
        raise KalosError(
            f"the calibration is of {calibration.n_annotations} annotations, and these "
            f"are {len(annotations)}; give it those that it was made from"
        )
    number: IntArray = np.argsort(by_name(annotations.images))[annotations.image]
    return number


def bootstrap_samples(
    d_o: FloatArray,
    image_o: IntArray,
    d_e: FloatArray,
    image_e: IntArray,
    *,
    rng: np.random.Generator,
    n_boot: int = 100,
) -> CalibrationBootstrap:
    """Return the same for samples of distances and the images that they are of."""
    check_generator(rng)
    at_least_one("n_boot", n_boot)
    images, image = np.unique(np.concatenate([image_o, image_e]), return_inverse=True)
    o = ByImage(d_o, image[: len(d_o)], len(images))
    e = ByImage(d_e, image[len(d_o) :], len(images))
    even = np.full(len(images), 1 / len(images))
    tau_star, ks = [], []
    for done in range(0, n_boot, BLOCK):
        size = min(BLOCK, n_boot - done)
        drawn = rng.multinomial(len(images), even, size).astype(np.float64)
        n_o, n_e = o.histograms(drawn), e.histograms(drawn)
        ks.append(_ks(n_o, n_e))
        both = zip(o.densities(drawn, n_o), e.densities(drawn, n_e), strict=True)
        tau_star += [threshold(*densities)[0] for densities in both]
    found = np.array([tau for tau in tau_star if tau is not None])
    most = len(found) > n_boot / 2
    separation = np.concatenate(ks)
    separation = separation[~np.isnan(separation)]
    return CalibrationBootstrap(
        tau_star=float(found.mean()) if most else None,
        tau_interval=percentile_interval(found) if most else None,
        ks=float(separation.mean()),
        ks_interval=percentile_interval(separation),
        n_boot=n_boot,
        n_determined=len(found),
    )


def _ks(counts_o: FloatArray, counts_e: FloatArray) -> FloatArray:
    """Return (S,) signed KS statistics of histograms, nan where one is empty."""
    with np.errstate(invalid="ignore"):
        difference = counts_o.cumsum(axis=1) / counts_o.sum(
            axis=1, keepdims=True
        ) - counts_e.cumsum(axis=1) / counts_e.sum(axis=1, keepdims=True)
    place = np.abs(difference).argmax(axis=1)
    ks: FloatArray = difference[np.arange(len(difference)), place]
    return ks
