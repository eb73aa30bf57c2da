"""Class recognition difficulty: alpha of the units that mention a class."""

from __future__ import annotations

import numpy as np

from ..alpha import nominal_alpha
from ..arrays import FloatArray
from ..model import ReliabilityMatrix


def class_difficulty(reliability: ReliabilityMatrix, n_classes: int) -> FloatArray:
    """Return (C,) alpha of the units in which at least one rater said the class.

    All other cells stay as they are, as in the reference. nan where no such unit has
    two values to pair.
    """
    rater, unit = np.nonzero(reliability.values >= 0)
    key = np.unique(reliability.values[rater, unit] * reliability.n_units + unit)
    label, unit = np.divmod(key, max(reliability.n_units, 1))
    alpha, _ = nominal_alpha(reliability.values[:, unit], label, n_classes)
    return alpha
