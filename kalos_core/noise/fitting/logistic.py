"""Which labels are prone to an error, by their size."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ...arrays import BoolArray, FloatArray
from ..laws import Logistic
from .estimate import Fit, Outcome, enough
from .glm import regress

LEAST = 10
"""Labels with the error and labels without it, for two numbers."""


def fit_logistic(
    area: FloatArray, chosen: BoolArray, weight: FloatArray, what: str
) -> Fit[Logistic]:
    """Return the logistic regression of ``chosen`` on the logarithm of the area.

    Mann and Whitney's test takes every label once, whatever its weight.

    Parameters
    ----------
    what : the chosen ones, as errors call them.
    """
    enough(float(weight[chosen].sum()), LEAST, what)
    enough(float(weight[~chosen].sum()), LEAST, f"labels other than {what}")
    rate = float(np.average(chosen, weights=weight))
    estimates = regress(
        np.log(area), chosen.astype(float), weight, _mean, float(special.logit(rate))
    )
    test = stats.mannwhitneyu(area[chosen], area[~chosen])
    # Half of all pairs of labels would have the larger one among the chosen by chance.
    larger = float(test.statistic) / (chosen.sum() * (~chosen).sum()) > 0.5
    told = "larger" if larger else "smaller"
    intercept, slope = estimates
    return Fit(
        Logistic(intercept.value, slope.value),
        "logistic on log area",
        float(weight.sum()),
        estimates,
        (Outcome("Mann-Whitney U", float(test.statistic), float(test.pvalue)),),
        f"{what} are {told}" if test.pvalue < 0.05 else f"{what} are of any size",
    )


def _mean(predictor: FloatArray) -> tuple[FloatArray, FloatArray]:
    chance = special.expit(predictor)
    return chance, chance * (1 - chance)
