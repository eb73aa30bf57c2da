"""Boxes that are moved and resized."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray

SHORTEST = 1e-6
"""Part of the image that a moved side has at least: less is no shape any more."""

LONGEST = 2.0
"""A side of two images covers the image wherever its centre lies in it, and a step as
long leaves it."""


def areas(bounds: FloatArray) -> FloatArray:
    """Return (n,) the areas of boxes, at least those of the smallest moved ones.

    Joints on a line have a box without an area, of which no logarithm is known.
    """
    sides = (bounds[:, 2:] - bounds[:, :2]).clip(SHORTEST)
    area: FloatArray = sides[:, 0] * sides[:, 1]
    return area


def placed(bounds: FloatArray, step: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Return (n, 4) boxes moved and resized.

    The centre is kept in the image. What lies outside is not yet cut off.

    Parameters
    ----------
    bounds : (n, 4) left, top, right and bottom.
    step : (n, 2) by how much the centre moves, in parts of the image.
    log_ratio : (n, 2) logarithm of new to old width and height.
    """
    low, high = bounds[:, :2], bounds[:, 2:]
    centre = ((low + high) / 2 + step).clip(0, 1)
    ratio = np.exp(log_ratio.clip(-100, 100))
    half = ((high - low) * ratio).clip(SHORTEST, LONGEST) / 2
    return np.hstack([centre - half, centre + half])


def headings(angle: FloatArray) -> FloatArray:
    """Return (n, 2) steps of length one towards the angles."""
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
