"""Which labels of an image are chosen, given how many: by their size."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special, stats

from ...arrays import BoolArray, FloatArray, IntArray, sum_by
from ...errors import FitError
from ..laws import Logistic
from .estimate import Estimate, Fit, Outcome, enough, wald

LEAST = 10
"""Labels that were chosen and labels that were not, where there are both."""

N_NODES = 32
"""Of the integral, which is then exact to six digits."""

STEEPEST = 20.0
"""Slope by a standard deviation of log area, beyond which all are told apart."""

STEP = 1e-3
"""For the second difference of the likelihood."""


def fit_selection(
    area: FloatArray, chosen: BoolArray, block: IntArray, what: str
) -> Fit[Logistic]:
    """Return the logistic law by whose odds labels (N,) were chosen from blocks (N,).

    The likelihood is that of drawing as many as were chosen in each block, one after
    the other by their odds, as the generator does. There the intercept cancels out; it
    is given so that all blocks together have as many as were chosen, and without an
    interval. A plain regression would mix up who is chosen with how many are.

    Parameters
    ----------
    what : the chosen ones, as errors call them.
    """
    _, block = np.unique(block, return_inverse=True)
    n = int(block.max(initial=-1)) + 1
    size, taken = (
        np.bincount(block, minlength=n),
        np.bincount(block[chosen], minlength=n),
    )
    told = (taken > 0) & (taken < size)
    among = told[block]
    enough(float(taken[told].sum()), LEAST, f"{what} beside others in their image")
    log_area = np.log(area)
    centre, scale = float(log_area[among].mean()), float(log_area[among].std())
    if scale < 1e-12:
        raise FitError(f"all {int(among.sum())} labels are of one size: no slope")
    x = (log_area[among] - centre) / scale
    likelihood = _Likelihood(x, chosen[among], block[among], n)
    best = optimize.minimize_scalar(
        likelihood.loss, bounds=(-STEEPEST, STEEPEST), method="bounded"
    )
    if abs(best.x) > STEEPEST - 0.1:
        raise FitError(f"no finite slope fits {int(among.sum())} labels best")
    less, more = (likelihood.loss(best.x + step) for step in (-STEP, STEP))
    information = (less - 2 * float(best.fun) + more) / STEP**2
    slope = float(best.x) / scale
    error = 1 / np.sqrt(max(information, 1e-12)) / scale
    test = stats.mannwhitneyu(area[chosen], area[~chosen])
    # Half of all pairs of labels would have the larger one among the chosen by chance.
    larger = float(test.statistic) / (chosen.sum() * (~chosen).sum()) > 0.5
    told_apart = f"{what} are {'larger' if larger else 'smaller'}"
    intercept = _intercept(slope * log_area, float(chosen.mean()))
    return Fit(
        Logistic(intercept, slope),
        "logistic on log area, given the number",
        float(len(area)),
        (Estimate("intercept", intercept), wald("slope", slope, float(error))),
        (Outcome("Mann-Whitney U", float(test.statistic), float(test.pvalue)),),
        told_apart if test.pvalue < 0.05 else f"{what} are of any size",
    )


class _Likelihood:
    """Of a slope, by x (N,) of which some are ``chosen`` from blocks."""

    def __init__(
        self, x: FloatArray, chosen: BoolArray, block: IntArray, n: int
    ) -> None:
        self.x, self.chosen, self.block, self.n = x, chosen, block, n
        self.there = np.unique(block)
        self.node, self.weight = special.roots_laguerre(N_NODES)

    def loss(self, slope: float) -> float:
        """Return the negative log likelihood.

        All chosen ones come before all others in a race of exponential times: the
        integral of the density of the others' first time times the chance that all
        chosen ones are earlier.
        """
        odds = np.exp(slope * self.x)
        others = sum_by(self.block[~self.chosen], odds[~self.chosen], self.n)
        place = self.block[self.chosen]
        rate = odds[self.chosen] / others[place]
        earlier = np.log(-np.expm1(-rate[:, None] * self.node))
        in_block = np.stack([sum_by(place, each, self.n) for each in earlier.T], axis=1)
        return -float(np.log(np.exp(in_block[self.there]) @ self.weight).sum())


def _intercept(predictor: FloatArray, rate: float) -> float:
    """Return what makes the mean chance that rate."""
    reach = 50 + float(np.abs(predictor).max())
    return float(
        optimize.brentq(
            lambda at: float(special.expit(at + predictor).mean()) - rate, -reach, reach
        )
    )
