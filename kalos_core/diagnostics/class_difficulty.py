"""Class recognition difficulty: alpha of the units that mention a class.

All other cells of these units stay as they are, as in the reference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray, freeze
from ..class_sums import ALL, ClassSums, class_sums
from ..estimates import Estimates, estimate_both
from ..model import ReliabilityMatrix
from ..resampling import Resampling


@dataclass(frozen=True, eq=False, slots=True)
class ClassDifficulty:
    """Agreement on each class; nan from 0 images where nothing can be paired.

    Parameters
    ----------
    mean : (C,) over images with a unit that mentions the class.
    overall : (C,) of these units of all images together.
    n_units : (C,) how many of them have at least two values.
    """

    mean: Estimates
    overall: Estimates
    n_units: IntArray

    def __post_init__(self) -> None:
        freeze(self, "n_units", np.int64, len(self.mean))


def difficulty_of_classes(
    found: ClassSums, n_classes: int, resampling: Resampling
) -> ClassDifficulty:
    """Return how well raters agree on each class, from the sums of all images."""
    of_class = np.flatnonzero(found.label != ALL)
    label, image = found.label[of_class], found.image[of_class]
    mean, overall = estimate_both(
        resampling, found.sums.take(of_class), image, label, n_classes
    )
    n_units = np.bincount(label, found.n_units[of_class], n_classes)
    return ClassDifficulty(mean, overall, n_units.astype(np.int64))


def class_difficulty(reliability: ReliabilityMatrix, n_classes: int) -> FloatArray:
    """Return (C,) alpha of the units in which at least one rater said the class.

    nan where no such unit has two values to pair.
    """
    found = class_sums(reliability)
    return found.sums.summed(found.label + 1, n_classes + 1).alpha()[0][1:]
