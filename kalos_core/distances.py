"""Localization distances d_loc (paper, problem formulation)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .geometry import Boxes, FloatArray
from .model import IntArray
from .registry import Registry

Distance = Callable[[Boxes, IntArray, IntArray], FloatArray]
"""(shapes, k, l) to the (P,) distances between shapes k and l, each in [0, 1]."""


def box_iou(boxes: Boxes, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - IoU of the boxes ``k`` and ``l``, 1 where they do not overlap.

    Areas are taken from corners, ((x + w) - x) * ((y + h) - y), as the reference
    does, so that both round alike.

    Examples
    --------
    >>> boxes = Boxes([[0, 0, 0.5, 0.5], [0.25, 0, 0.5, 0.5]])
    >>> box_iou(boxes, np.array([0]), np.array([1])).round(4)
    array([0.6667])
    """
    low, high = boxes.xywh[:, :2], boxes.xywh[:, :2] + boxes.xywh[:, 2:]
    area = (high - low).prod(axis=1)
    side = np.minimum(high[k], high[l]) - np.maximum(low[k], low[l])
    overlap = np.maximum(side, 0).prod(axis=1)
    iou = overlap / (area[k] + area[l] - overlap)
    distance: FloatArray = 1 - np.minimum(iou, 1)
    return distance


DISTANCES: Registry[Distance] = Registry("distance", box_iou=box_iou)
