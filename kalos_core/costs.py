"""Cost functions psi that solvers minimise (paper, Step 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray
from .registry import Registry

Cost = Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray]
"""(d_loc, d_cls) of pairs to their costs; the lower, the sooner they are matched."""


def psi_soft(d_loc: npt.ArrayLike, d_cls: npt.ArrayLike) -> FloatArray:
    """Return -(1 - d_loc), less 1 where the classes are equal.

    Any pair of one class is thereby preferred to every pair of two.
    """
    similarity = 1 - np.asarray(d_loc, dtype=np.float64)
    return np.where(np.asarray(d_cls) == 0, -similarity - 1.0, -similarity)


def psi_neg(d_loc: npt.ArrayLike, d_cls: npt.ArrayLike) -> FloatArray:
    """Return -(1 - d_loc), whatever the classes.

    The paper prints -d_loc, which minimised would prefer distant pairs.
    """
    return -(1 - np.asarray(d_loc, dtype=np.float64))


COSTS: Registry[Cost] = Registry("cost", soft=psi_soft, neg=psi_neg)
