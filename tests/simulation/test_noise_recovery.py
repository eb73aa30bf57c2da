"""95 % intervals of every noise law hold the truth in about 95 % of data sets."""

import numpy as np
import pytest

from kalos_core.noise.fitting.beta import fit_beta
from kalos_core.noise.fitting.children import fit_kappa
from kalos_core.noise.fitting.direction import fit_axial, fit_cardinal
from kalos_core.noise.fitting.folded_t import fit_folded_t
from kalos_core.noise.fitting.logistic import fit_logistic
from kalos_core.noise.fitting.poisson import fit_poisson
from kalos_core.noise.fitting.poisson_sampling import sample_poisson
from kalos_core.noise.fitting.proportion import fit_proportion
from kalos_core.noise.laws import (
    AxialVonMises,
    Beta,
    CardinalMixture,
    FoldedT,
    Logistic,
    PoissonRate,
)

N_REPEATS = 100

SHIFT = FoldedT(intercept=0.01, slope=0.05, nu=4.0, sigma=0.004)
SIDES = CardinalMixture((0.4, 0.2, 0.3, 0.1), (8.0, 4.0, 6.0, 10.0))
AXIS = AxialVonMises(0.6, 1.2)
RATE = PoissonRate(-1.0, 0.08)
PRONE = Logistic(-3.5, -0.5)
ANGLE = Beta(4.53, 0.53)
SHRINK = FoldedT(0.9, 0.3, 5.0, 0.4)


def folded_t(rng):
    area = rng.uniform(0.001, 0.5, 800)
    return fit_folded_t(SHIFT.draw(area, rng), area)


def mixture(rng):
    return fit_cardinal(SIDES.draw(500, rng), both_ways=False)


def axis(rng):
    return fit_axial(AXIS.draw(150, rng), both_ways=False)


def counts(rng):
    n = rng.integers(0, 20, 300)
    return rng.poisson(RATE.expected(n)), n, np.ones(300)


def poisson(rng):
    return fit_poisson(*counts(rng))


def logistic(rng):
    area = np.exp(rng.uniform(-8, -1, 600))
    chosen = rng.random(600) < PRONE.chance(area)
    return fit_logistic(area, chosen, np.ones(600), "misses")


def beta(rng):
    return fit_beta(ANGLE.draw(150, rng), np.ones(150))


def kappa(rng):
    area = rng.uniform(0.01, 0.5, 200)
    shrink = SHRINK.draw(area, rng) + SHRINK.draw(area, rng) - 2 * 0.2
    return fit_kappa(shrink, area, SHRINK, SHRINK, rng)


def proportion(rng):
    return fit_proportion(int(rng.binomial(1000, 0.026)), 1000, 50, "pairs")


@pytest.mark.parametrize(
    ("fit", "truth"),
    [
        (folded_t, (0.01, 0.05, 0.004, 4.0)),
        (mixture, (*SIDES.weights, *SIDES.kappas)),
        (axis, (0.6, 1.2)),
        (poisson, (-1.0, 0.08)),
        (logistic, (-3.5, -0.5)),
        (beta, (4.53, 0.53)),
        (kappa, (0.2,)),
        (proportion, (0.026,)),
    ],
)
def test_intervals_hold_the_truth_as_often_as_promised(fit, truth):
    n_repeats = N_REPEATS // 2 if fit is mixture else N_REPEATS  # which takes long
    held = np.array(
        [
            [e.low <= true <= e.high for e, true in zip(found, truth, strict=True)]
            for seed in range(n_repeats)
            for found in [fit(np.random.default_rng(seed)).estimates]
        ]
    )
    coverage = held.mean(axis=0)
    print(fit.__name__, coverage.round(3))
    assert (coverage >= 0.90).all(), coverage
    # An interval that always holds the truth says nothing.
    assert coverage.mean() <= 0.99, coverage


def test_sampling_agrees_with_maximum_likelihood():
    given = counts(np.random.default_rng(0))
    best, fit = fit_poisson(*given), sample_poisson(*given, np.random.default_rng(1))
    for one, other in zip(best.estimates, fit.estimates, strict=True):
        width = one.high - one.low
        assert other.value == pytest.approx(one.value, abs=0.1 * width)
        assert other.high - other.low == pytest.approx(width, rel=0.15)
    assert all(abs(outcome.statistic - 1) < 0.05 for outcome in fit.tests)
    assert fit.verdict == "the chains mixed"
