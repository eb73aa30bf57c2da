"""Synthetic raters that err like people: the paper's empirical noise generator."""

from .confusion_tests import confusion_permutation_test, mantel_test
from .differences import Differences, extract_differences
from .fit import fit_noise
from .fit_table import NoiseFit
from .transition import transition_from_confusion, transition_from_similarity

__all__ = [
    "Differences",
    "NoiseFit",
    "confusion_permutation_test",
    "extract_differences",
    "fit_noise",
    "mantel_test",
    "transition_from_confusion",
    "transition_from_similarity",
]
