"""The Kolmogorov-Smirnov distance between D_o and D_e."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray


def kolmogorov_smirnov(d_o: FloatArray, d_e: FloatArray) -> tuple[float, float]:
    """Return the two-sided KS statistic with its sign, and where it is attained.

    It is positive where raters on one image are nearer to each other than chance, as a
    valid distance has it, and negative where chance is nearer. (The reference takes the
    supremum of the positive side only.)

    Parameters
    ----------
    d_o, d_e : samples, ascending.

    Examples
    --------
    >>> kolmogorov_smirnov(np.array([0.1, 0.2]), np.array([0.2, 0.9]))
    (0.5, 0.1)
    >>> kolmogorov_smirnov(np.array([0.9]), np.array([0.2]))
    (-1.0, 0.2)
    """
    value = np.concatenate([d_o, d_e])
    order = np.argsort(value, kind="stable")  # merges two sorted runs
    value = value[order]
    is_o = order < len(d_o)
    del order  # samples are large, and five arrays of their size are enough
    difference = np.cumsum(is_o) / len(d_o)
    difference -= np.cumsum(~is_o) / len(d_e)
    difference[:-1][value[1:] == value[:-1]] = 0  # after the last of equal values only
    place = int(np.abs(difference).argmax())
    return float(difference[place]), float(value[place])
