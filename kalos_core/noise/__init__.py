"""Synthetic raters that err like people: the paper's empirical noise generator."""

from .confusion_tests import confusion_permutation_test, mantel_test
from .differences import Differences, extract_differences
from .drawn import ERRORS
from .fit import fit_differences, fit_noise
from .fit_table import NoiseFit
from .generator import simulate_raters
from .known import differences_of
from .parameters import NoiseParameters, default_parameters
from .proposals import Proposals, moved_proposals
from .signal_loss import SignalLoss, signal_loss
from .simulated import Simulated
from .transition import transition_from_confusion, transition_from_similarity

__all__ = [
    "ERRORS",
    "Differences",
    "NoiseFit",
    "NoiseParameters",
    "Proposals",
    "SignalLoss",
    "Simulated",
    "confusion_permutation_test",
    "default_parameters",
    "differences_of",
    "extract_differences",
    "fit_differences",
    "fit_noise",
    "mantel_test",
    "moved_proposals",
    "signal_loss",
    "simulate_raters",
    "transition_from_confusion",
    "transition_from_similarity",
]
