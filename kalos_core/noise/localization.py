"""Errors of place, of labels that are right and of those of a mistaken class."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from .parameters import Category, Localization
from .scene import Scene
from .shift import LONGEST, areas, headings, placed


def misplaced(scene: Scene, magnitude: float) -> IntArray:
    """Return which labels are shifted: all of them, or none without any noise."""
    return np.arange(len(scene.drawn) if magnitude > 0 else 0)


def shifted(
    bounds: FloatArray,
    law: Localization | Category,
    magnitude: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Return (n, 4) boxes shifted, and as likely made larger as smaller.

    The magnitude multiplies all of the fitted shift, not only its residuals, so that
    without noise nothing moves. The area in the trend is the box's own: the average of
    two, as in the paper, is not known before the second one is drawn.
    """
    area, n = areas(bounds), len(bounds)
    angle = law.direction.draw(n, rng)
    length = np.minimum(magnitude * law.shift.translation.draw(area, rng), LONGEST)
    sign = rng.choice((-1.0, 1.0), (n, 2))
    change = [law.shift.width.draw(area, rng), law.shift.height.draw(area, rng)]
    log_ratio = magnitude * sign * np.stack(change, axis=1)
    return placed(bounds, length[:, None] * headings(angle), log_ratio)
