"""How boxes lie to others that they come from."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..geometry import Boxes

ROUNDING = 1e-9
"""Centres no farther apart lie at one place, and in no direction."""


class Moved:
    """Boxes ``target`` (M,) as seen from boxes ``source`` (M,).

    Attributes
    ----------
    side : (M, 2) width and height of the source.
    step : (M, 2) from its centre to the target's.
    log_ratio : (M, 2) logarithm of the target's width and height over the source's.
    translation : (M,) length of the step.
    angle : (M,) its direction, from 0 to 2 pi; nan where there is none.
    width, height : (M,) columns of ``log_ratio``.
    reach : (M,) from the centre of the source to its edge in that direction.
    """

    def __init__(self, boxes: Boxes, source: IntArray, target: IntArray) -> None:
        sides = boxes.xywh[:, 2:]
        centre = boxes.xywh[:, :2] + sides / 2
        self.side = sides[source]
        self.step = centre[target] - centre[source]
        self.log_ratio: FloatArray = np.log(sides[target] / self.side)
        self.width, self.height = self.log_ratio.T
        x, y = self.step.T
        self.translation: FloatArray = np.hypot(x, y)
        there = self.translation > ROUNDING
        self.angle = np.where(there, np.arctan2(y, x) % (2 * np.pi), np.nan)
        away = np.where(there, self.translation, np.inf)[:, None]
        with np.errstate(divide="ignore"):  # along an axis the other edges are not met
            each = self.side / 2 / np.abs(self.step / away)
        self.reach: FloatArray = each.min(axis=1, initial=np.inf)
