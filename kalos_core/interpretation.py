"""What a value of alpha means in words (paper, Step 3)."""

from __future__ import annotations

import math

BANDS = (
    (0.8, "near-perfect agreement"),
    (0.6, "substantial agreement"),
    (0.4, "moderate agreement"),
    (0.0, "weak agreement"),
    (-math.inf, "systematic disagreement"),
)
"""Least alpha of each band, best first."""


def interpret(alpha: float | None) -> str:
    """Return the plain-word reading of ``alpha``; ``None`` and nan are undefined.

    Examples
    --------
    >>> interpret(0.8), interpret(-0.1), interpret(None)
    ('near-perfect agreement', 'systematic disagreement', 'undefined')
    """
    if alpha is None or math.isnan(alpha):
        return "undefined"
    return next(words for least, words in BANDS if alpha >= least)
