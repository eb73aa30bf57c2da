"""What a value of alpha means in words (paper, Step 3)."""

from __future__ import annotations

import math

from .errors import KalosError

BANDS = (
    (0.8, "near-perfect agreement"),
    (0.6, "substantial agreement"),
    (0.4, "moderate agreement"),
    (0.0, "weak agreement"),
    (-math.inf, "systematic disagreement"),
)
"""Least alpha of each band, best first."""

ROUNDING = 1e-9
"""What an alpha of 1 may be off by."""


def interpret(alpha: float | None) -> str:
    """Return the plain-word reading of ``alpha``; ``None`` and nan are undefined.

    No alpha exceeds 1, but for rounding.

    Examples
    --------
    >>> interpret(0.8), interpret(-0.1), interpret(None)
    ('near-perfect agreement', 'systematic disagreement', 'undefined')
    """
    number = hasattr(alpha, "__float__") and not isinstance(alpha, bool)
    if alpha is not None and (not number or alpha > 1 + ROUNDING):
        raise KalosError(f"alpha must be a number of at most 1, got {alpha!r}")
    if alpha is None or math.isnan(alpha):
        return "undefined"
    return next(words for least, words in BANDS if alpha >= least)
