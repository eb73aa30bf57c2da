"""Principled configuration: choose the distance and tau from the data (Step 1)."""

from .advice import advise, customary_tau
from .bootstrap import CalibrationBootstrap, bootstrap_calibration
from .calibrate import Calibration, calibrate, rank_distances
from .strata import SizeStratum, calibrate_by_size

__all__ = [
    "Calibration",
    "CalibrationBootstrap",
    "SizeStratum",
    "advise",
    "bootstrap_calibration",
    "calibrate",
    "calibrate_by_size",
    "customary_tau",
    "rank_distances",
]
