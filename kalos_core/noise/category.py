"""Errors of class."""

from __future__ import annotations

import numpy as np

from ..arrays import IntArray
from .confusable import Confusable
from .parameters import Category
from .scene import Scene


def mistaken(
    scene: Scene,
    law: Category,
    confusable: Confusable,
    magnitude: float,
    rng: np.random.Generator,
) -> IntArray:
    """Return which labels get another class; the size does not matter.

    Classes that are never mistaken are left out.
    """
    chosen = rng.random(len(scene.drawn)) < magnitude * law.rate
    return np.flatnonzero(chosen & confusable.possible[scene.drawn.label])
