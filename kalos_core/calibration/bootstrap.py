"""How stable tau* and KS are: a bootstrap over images (paper, robustness)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..intervals import Interval, percentile_interval
from .calibrate import Calibration
from .density import N_BINS, bins, densities
from .threshold import threshold

BLOCK = 100
"""Rounds computed at a time, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class CalibrationBootstrap:
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
    """
    return bootstrap_samples(
        calibration.d_o,
        annotations.image[calibration.annotation_o],
        calibration.d_e,
        annotations.image[calibration.annotation_e],
        rng=rng,
        n_boot=n_boot,
    )


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
    images, image = np.unique(np.concatenate([image_o, image_e]), return_inverse=True)
    own_o = _histograms(d_o, image[: len(d_o)], len(images))
    own_e = _histograms(d_e, image[len(d_o) :], len(images))
    even = np.full(len(images), 1 / len(images))
    tau_star, ks = [], []
    for done in range(0, n_boot, BLOCK):
        size = min(BLOCK, n_boot - done)
        drawn = rng.multinomial(len(images), even, size).astype(np.float64)
        counts_o, counts_e = (own_o.T @ drawn.T).T, (own_e.T @ drawn.T).T
        ks.append(_ks(counts_o, counts_e))
        f_o, f_e = densities(counts_o)[0], densities(counts_e)[0]
        tau_star += [threshold(o, e)[0] for o, e in zip(f_o, f_e, strict=True)]
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


def _histograms(distance: FloatArray, image: IntArray, n_images: int) -> csr_array:
    """Return (I, N_BINS) the histogram of each image's distances."""
    low, share = bins(distance)
    weight, column = np.concatenate([1 - share, share]), np.concatenate([low, low + 1])
    return csr_array((weight, (np.tile(image, 2), column)), shape=(n_images, N_BINS))


def _ks(counts_o: FloatArray, counts_e: FloatArray) -> FloatArray:
    """Return (S,) signed KS statistics of histograms, nan where one is empty."""
    with np.errstate(invalid="ignore"):
        difference = counts_o.cumsum(axis=1) / counts_o.sum(
            axis=1, keepdims=True
        ) - counts_e.cumsum(axis=1) / counts_e.sum(axis=1, keepdims=True)
    place = np.abs(difference).argmax(axis=1)
    ks: FloatArray = difference[np.arange(len(difference)), place]
    return ks
