"""Which class is taken for which."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, FloatArray, IntArray, as_array
from ..errors import KalosError

ALMOST_ONE = 1 - 1e-9
"""Below the end of a row of chances, whatever its number is rounded to."""


class Confusable:
    """Draws of the class that a class is mistaken for.

    Parameters
    ----------
    transition : (C, C) chances; rows sum to 1, or to 0 where a class is never mistaken,
        and no class is mistaken for itself.
    """

    def __init__(self, transition: npt.ArrayLike, n_classes: int) -> None:
        chances: FloatArray = as_array(transition, np.float64, "transition")
        if chances.shape != (n_classes, n_classes):
            raise KalosError(
                f"transition must have shape ({n_classes}, {n_classes}), one row for "
                f"each class, got {chances.shape}"
            )
        total = chances.sum(axis=1)
        right = np.isclose(total, 1, atol=1e-6) | (total == 0)
        if not (right.all() and (chances >= 0).all() and not np.diag(chances).any()):
            raise KalosError(
                "transition must have rows of chances that sum to 1, or to 0 for a "
                "class that is never mistaken, and 0 on its diagonal, got sums from "
                f"{total.min():g} to {total.max():g}"
            )
        self.possible: BoolArray = total > 0
        ends = np.cumsum(chances, axis=1) / np.where(self.possible, total, 1)[:, None]
        self._ends = (ends + np.arange(n_classes)[:, None]).ravel()

    def draw(self, label: IntArray, rng: np.random.Generator) -> IntArray:
        """Return (n,) other classes; those that are never mistaken stay."""
        part = np.minimum(rng.random(len(label)), ALMOST_ONE)
        place = np.searchsorted(self._ends, label + part, side="right")
        other = place - label * len(self.possible)
        drawn: IntArray = np.where(self.possible[label], other, label)
        return drawn
