"""Are angles uniform? Two tests for observations on a circle."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from .estimate import Outcome


def rayleigh_test(angle: FloatArray) -> Outcome:
    """Test uniformity against one direction: the length of the mean vector.

    The p value is the approximation of Wilkie (1983), good from ten angles on.

    Examples
    --------
    >>> rayleigh_test(np.array([0.0, np.pi / 2, np.pi, 3 * np.pi / 2])).p_value
    1.0
    """
    n = len(angle)
    length = float(np.abs(np.exp(1j * angle).mean()))
    root = np.sqrt(1 + 4 * n + 4 * n**2 * (1 - length**2))
    return Outcome("Rayleigh", length, min(float(np.exp(root - (1 + 2 * n))), 1.0))


def kuiper_test(angle: FloatArray) -> Outcome:
    """Test uniformity against anything: the largest distances above and below.

    The p value is that of Stephens (1970).
    """
    n = len(angle)
    part = np.sort(angle % (2 * np.pi)) / (2 * np.pi)
    step = np.arange(n + 1) / n
    statistic = float((step[1:] - part).max() + (part - step[:-1]).max())
    scaled = (np.sqrt(n) + 0.155 + 0.24 / np.sqrt(n)) * statistic
    square = (np.arange(1, 101) * scaled) ** 2
    p_value = 2 * float(((4 * square - 1) * np.exp(-2 * square)).sum())
    # Of small statistics the series does not converge, and nothing is to be told.
    return Outcome("Kuiper", statistic, min(p_value, 1.0) if scaled > 0.4 else 1.0)
