"""Cost functions psi that solvers minimise (paper, Step 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .geometry import FloatArray
from .model import CandidatePairs
from .registry import Registry

Cost = Callable[[CandidatePairs], FloatArray]


def psi_soft(pairs: CandidatePairs) -> FloatArray:
    """Return (P,) -(1 - d_loc), less 1 where the classes are equal.

    Any pair of one class is thereby preferred to every pair of two.
    """
    similarity = 1 - pairs.d_loc
    return np.where(pairs.d_cls == 0, -similarity - 1.0, -similarity)


COSTS: Registry[Cost] = Registry("cost", soft=psi_soft)
