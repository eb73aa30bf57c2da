"""What a calibration means, in sentences for the person who has to choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..intervals import Interval
from .bootstrap import CalibrationBootstrap
from .calibrate import Calibration
from .strata import SizeStratum
from .threshold import CROSSING, VALLEY

CUSTOMARY = (0.5, 0.75, 0.25, 0.9, 0.1)
"""Similarities that benchmarks of overlap use, the most usual first."""

OVERLAPS = ("iou", "oks")
"""Endings of the distances that these are similarities of."""

FAR_APART = 0.1
"""Difference of two thresholds from which on one for both serves neither."""


CONSTANT = 0.95
"""Part of D_e from which on one value is all that chance has."""


def customary_tau(d_loc: str, interval: Interval | None) -> float | None:
    """Return the most usual threshold in the interval, as a distance, if there is one.

    Examples
    --------
    >>> customary_tau("box_iou", Interval(0.2, 0.3))
    0.25
    """
    if interval is None or d_loc.rsplit("_", 1)[-1] not in OVERLAPS:
        return None
    return next((1 - s for s in CUSTOMARY if 1 - s in interval), None)


def advise(
    calibration: Calibration,
    bootstrap: CalibrationBootstrap,
    strata: Iterable[SizeStratum] = (),
) -> tuple[str, ...]:
    """Return what to make of a calibration, one sentence or two at a time.

    Where raters cannot be told from chance nothing is said of a threshold.
    """
    obstacle = _obstacle(calibration, bootstrap)
    if obstacle:
        return (obstacle,)
    return tuple(
        [
            *_about_tau(calibration, bootstrap),
            *_about_chance(calibration),
            *_about_sizes(strata),
        ]
    )


def _obstacle(calibration: Calibration, bootstrap: CalibrationBootstrap) -> str:
    interval = bootstrap.ks_interval
    if interval.high < 0:
        return (
            f"{calibration.d_loc} is not valid here: what chance brings together is "
            "nearer than what raters drew for one image. Choose another distance."
        )
    if interval.low <= 0:
        return (
            f"By {calibration.d_loc} raters of one image cannot be told from chance "
            f"(KS {calibration.ks:.3f}, 95 % interval {interval}), and no threshold "
            "means anything. Choose another distance, or label more images."
        )
    return ""


def _about_tau(
    calibration: Calibration, bootstrap: CalibrationBootstrap
) -> Iterator[str]:
    tau, interval = calibration.tau_star, bootstrap.tau_interval
    range_ = f" (95 % interval {interval})" if interval else ""
    if calibration.status == CROSSING:
        yield (
            f"tau* = {tau:.3f}{range_}: pairs that are nearer are more often of one "
            "object than of chance."
        )
    elif calibration.status == VALLEY:
        yield (
            f"tau* = {tau:.3f}{range_} is the valley between the two modes: the "
            "densities do not cross after the mode of D_o. Look at them before you use "
            "it."
        )
    else:
        yield (
            "These data determine no threshold: the densities of D_o and D_e do not "
            "cross after the mode of D_o. Choose one yourself; the two samples part "
            f"best at {calibration.ks_at:.3f}."
        )
        return
    if interval and bootstrap.n_determined < bootstrap.n_boot:
        lost = bootstrap.n_boot - bootstrap.n_determined
        yield (
            f"{lost} of {bootstrap.n_boot} resampled data sets determine no threshold, "
            "and the interval is that of the others."
        )
    usual = customary_tau(calibration.d_loc, interval)
    if usual is not None:
        yield (
            f"The customary threshold {1 - usual:g} (tau = {usual:g}) lies in the "
            "interval and may be used instead, so that results compare."
        )


def _about_chance(calibration: Calibration) -> Iterator[str]:
    farthest = calibration.d_e.max()
    share = float((calibration.d_e == farthest).mean())
    if share >= CONSTANT:
        n_near = int((calibration.d_e < farthest).sum())
        yield (
            f"{share:.1%} of D_e is {farthest:g}: chance hardly ever comes nearer, and "
            f"where densities cross is up to {n_near} of {len(calibration.d_e)} "
            "distances. Choose the threshold by how exactly objects must be drawn."
        )


def _about_sizes(strata: Iterable[SizeStratum]) -> Iterator[str]:
    tau = {
        stratum.size: stratum.separation.tau_star
        for stratum in strata
        if stratum.separation is not None and stratum.separation.tau_star is not None
    }
    if len(tau) < 2:
        return
    strict, lenient = min(tau, key=tau.__getitem__), max(tau, key=tau.__getitem__)
    apart = tau[lenient] - tau[strict]
    found = (
        f"By themselves {lenient} objects would give tau* = {tau[lenient]:.3f} and "
        f"{strict} ones {tau[strict]:.3f}, {apart:.3f} apart: "
    )
    if apart < FAR_APART:
        yield found + "one threshold serves both."
    else:
        yield found + (
            f"one threshold is either too strict for {lenient} objects or too lenient "
            f"for {strict} ones."
        )
