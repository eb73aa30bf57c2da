"""Synthetic raters that err like people: the paper's empirical noise generator."""

from .drawn import ERRORS
from .generator import simulate_raters
from .proposals import Proposals, moved_proposals
from .signal_loss import SignalLoss, signal_loss
from .simulated import Simulated

__all__ = [
    "ERRORS",
    "Proposals",
    "SignalLoss",
    "Simulated",
    "moved_proposals",
    "signal_loss",
    "simulate_raters",
]
