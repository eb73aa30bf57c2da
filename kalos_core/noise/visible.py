"""Between which ends a shift leaves two boxes similar enough to be matched."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import FloatArray

N_HALVINGS = 40
"""Each doubles the precision of an end."""

FARTHEST = 4.0
"""Steps of so many sides of the image, and ratios of e to that, are never matched."""

Overlap = Callable[[FloatArray], FloatArray]
"""(M,) values of one part of a shift, the others as they are, to (M,) IoU."""


def matched_ranges(
    side: FloatArray,
    step: FloatArray,
    log_ratio: FloatArray,
    least: float,
    directed: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (M, 2) ends of length, |log width| and |log height| that are matched.

    Each for the other two, the direction and the signs as they are. The likelihood of
    what is seen needs them: a wider shift would have been two unmatched labels.

    Parameters
    ----------
    side : (M, 2) width and height of the first box.
    step : (M, 2) from its centre to that of the second.
    log_ratio : (M, 2) logarithm of the second's width and height over the first's.
    least : the IoU from which on boxes are matched.
    directed : whether the first box stays as it is, or the one in the middle of both.
    """
    part = 1.0 if directed else 0.5
    side = side * np.exp((1 - part) * log_ratio)
    length = np.hypot(*step.T)
    towards = step / np.where(length > 0, length, 1)[:, None]
    sign = np.where(log_ratio < 0, -1.0, 1.0)

    def by_length(value: FloatArray) -> FloatArray:
        return _iou(side, value[:, None] * towards, log_ratio, part)

    def by_side(axis: int) -> Overlap:
        def overlap(value: FloatArray) -> FloatArray:
            changed = log_ratio.copy()
            changed[:, axis] = sign[:, axis] * value
            return _iou(side, step, changed, part)

        return overlap

    width, height = np.abs(log_ratio).T
    return (
        _ends(by_length, length, least),
        _ends(by_side(0), width, least),
        _ends(by_side(1), height, least),
    )


def _iou(
    side: FloatArray, step: FloatArray, log_ratio: FloatArray, part: float
) -> FloatArray:
    """Return (M,) the IoU of boxes, of which the second has ``part`` of the ratio."""
    one, other = (side * np.exp(by * log_ratio) for by in (part - 1, part))
    shared = np.minimum((one + other) / 2 - np.abs(step), np.minimum(one, other))
    both = shared.clip(0).prod(axis=1)
    iou: FloatArray = both / (one.prod(axis=1) + other.prod(axis=1) - both)
    return iou


def _ends(overlap: Overlap, value: FloatArray, least: float) -> FloatArray:
    """Return (M, 2) the ends around values, between which the IoU is large enough.

    It has one maximum, so that no value between the ends falls below.
    """
    zero = np.zeros(len(value))
    low = np.where(overlap(zero) >= least, zero, _crossing(overlap, value, zero, least))
    high = _crossing(overlap, value, np.maximum(value, FARTHEST), least)
    return np.stack([np.minimum(low, value), np.maximum(high, value)], axis=1)


def _crossing(
    overlap: Overlap, inside: FloatArray, outside: FloatArray, least: float
) -> FloatArray:
    """Return where the IoU falls below between values inside and outside."""
    for _ in range(N_HALVINGS):
        middle = (inside + outside) / 2
        enough = overlap(middle) >= least
        inside = np.where(enough, middle, inside)
        outside = np.where(enough, outside, middle)
    return inside
