"""How often something happens, with Wilson's interval."""

from __future__ import annotations

import numpy as np

from .estimate import NORMAL, Estimate, Fit, enough


def fit_proportion(count: float, n: float, least: int, what: str) -> Fit[float]:
    """Return the part of ``n`` that ``count`` is; ``what`` names all of them.

    Examples
    --------
    >>> [estimate] = fit_proportion(2, 20, 1, "labels").estimates
    >>> print(estimate)
    rate 0.1 (0.02787 to 0.301)
    """
    enough(n, least, what)
    rate, square = count / n, NORMAL**2 / n
    centre = (rate + square / 2) / (1 + square)
    reach = np.sqrt(square * (rate * (1 - rate) + square / 4)) / (1 + square)
    low, high = float(centre - reach), float(centre + reach)
    return Fit(rate, "binomial", n, (Estimate("rate", rate, low, high),))
