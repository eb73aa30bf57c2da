"""Each law is found again in what is drawn from it, within the stated intervals."""

import sys

import numpy as np
import pytest
from scipy import stats

from kalos_core.errors import FitError, KalosError
from kalos_core.noise.fitting.beta import fit_beta
from kalos_core.noise.fitting.children import fit_kappa
from kalos_core.noise.fitting.circular_tests import kuiper_test, rayleigh_test
from kalos_core.noise.fitting.direction import fit_axial, fit_cardinal
from kalos_core.noise.fitting.estimate import covariance, enough
from kalos_core.noise.fitting.folded_t import fit_folded_t
from kalos_core.noise.fitting.logistic import fit_logistic
from kalos_core.noise.fitting.poisson import fit_poisson
from kalos_core.noise.fitting.poisson_sampling import r_hat, sample_poisson
from kalos_core.noise.fitting.proportion import fit_proportion
from kalos_core.noise.fitting.selection import fit_selection
from kalos_core.noise.fitting.temperature import fit_temperature
from kalos_core.noise.fitting.von_mises import concentration, mean_length
from kalos_core.noise.laws import (
    AxialVonMises,
    Beta,
    CardinalMixture,
    FoldedT,
    Logistic,
    PoissonRate,
)
from kalos_core.noise.transition import nearest_classes, transition_from_similarity

SHIFT = FoldedT(intercept=0.01, slope=0.05, nu=4.0, sigma=0.004)
SIDES = CardinalMixture((0.4, 0.2, 0.3, 0.1), (8.0, 4.0, 6.0, 10.0))


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def holds(fit, *truth):
    """Return whether each interval holds the truth and is finite."""
    return [
        e.low <= true <= e.high < np.inf
        for e, true in zip(fit.estimates, truth, strict=True)
    ]


def test_folded_t_is_found_again(rng):
    area = rng.uniform(0.001, 0.5, 1500)
    fit = fit_folded_t(SHIFT.draw(area, rng), area)
    assert all(holds(fit, 0.01, 0.05, 0.004, 4.0))
    assert fit.law.areas == (area.min(), area.max())
    ks_t, ks_normal, gain = fit.tests
    assert ks_t.statistic < ks_normal.statistic
    assert gain.p_value < 1e-6
    assert fit.verdict == "heavier tails than normal"


def test_a_folded_normal_is_told_from_heavy_tails(rng):
    area = rng.uniform(0.001, 0.5, 600)
    fit = fit_folded_t(np.abs(0.03 + rng.normal(0, 0.01, 600)), area)
    assert fit.verdict == "tails as of a normal"
    # The normal's own maximum is known: the fit has to have its likelihood.
    assert fit.law.nu > 10
    assert fit.law.sigma == pytest.approx(0.01, rel=0.1)


def test_the_fold_matters(rng):
    """The mean of what is folded is far from the trend, which is found even so."""
    area = rng.uniform(0.0, 0.5, 3000)
    value = FoldedT(0.05, 0.0, 5.0, 0.05).draw(area, rng)
    assert value.mean() > 0.06
    fit = fit_folded_t(value, area)
    assert fit.law.trend(np.array([0.25])) == pytest.approx(0.05, abs=0.008)
    assert holds(fit, 0.05, 0.0, 0.05, 5.0)[2:] == [True, True]


def test_of_one_size_there_is_no_slope(rng):
    fit = fit_folded_t(SHIFT.draw(np.full(500, 0.1), rng), np.full(500, 0.1))
    slope = fit.estimates[1]
    assert (slope.value, np.isnan(slope.low)) == (0, True)
    assert fit.law.trend(np.array([0.1])) == pytest.approx(0.015, abs=0.001)


def test_values_that_are_mostly_equal_are_refused(rng):
    value = np.where(rng.random(100) < 0.6, 0, rng.random(100))
    with pytest.raises(FitError, match="more than half of 100 values are 0"):
        fit_folded_t(value, rng.random(100))


def test_the_mixture_is_found_again(rng):
    fit = fit_cardinal(SIDES.draw(1000, rng), both_ways=False)
    assert all(holds(fit, *SIDES.weights, *SIDES.kappas))
    assert fit.verdict == "lowest AIC: cardinal"
    rayleigh, kuiper, *_ = fit.tests
    assert rayleigh.p_value < 1e-6
    assert kuiper.p_value < 1e-6


def test_both_ways_the_mixture_is_symmetric(rng):
    law = CardinalMixture((0.6, 0.3, 0.0, 0.1), (8.0, 5.0, 8.0, 5.0))
    fit = fit_cardinal(law.draw(800, rng), both_ways=True)
    right, down, left, up = fit.law.weights
    assert (right, down) == (pytest.approx(left, abs=1e-6), pytest.approx(up, abs=1e-6))
    assert right == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize("both_ways", [False, True])
def test_many_directions_are_fitted_in_bins(rng, monkeypatch, both_ways):
    angle = SIDES.draw(900, rng)
    exact = fit_cardinal(angle, both_ways=both_ways)
    monkeypatch.setattr("kalos_core.noise.fitting.direction.N_BINS", 720)
    binned = fit_cardinal(angle, both_ways=both_ways)
    for one, other in zip(exact.estimates, binned.estimates, strict=True):
        width = one.high - one.low
        assert other.value == pytest.approx(one.value, abs=0.05 * width)
        assert other.low == pytest.approx(one.low, abs=0.05 * width)


@pytest.mark.parametrize("name", ["quadrant", "axial", "unimodal", "uniform"])
def test_other_directions_are_told_from_cardinal_ones(rng, name):
    angle = {
        "quadrant": SIDES.draw(600, rng) + np.pi / 4,
        "axial": AxialVonMises(0.6, 1.5).draw(600, rng),
        "unimodal": rng.vonmises(0.8, 1.0, 600),
        "uniform": rng.uniform(0, 2 * np.pi, 600),
    }[name]
    fit = fit_cardinal(angle % (2 * np.pi), both_ways=False)
    assert fit.verdict == f"lowest AIC: {name}"


def test_the_axis_is_found_again(rng):
    fit = fit_axial(AxialVonMises(0.6, 1.2).draw(300, rng), both_ways=True)
    assert all(holds(fit, 0.6, 1.2))
    assert fit.verdict == "lowest AIC: axial"


def test_concentrations_are_capped():
    assert concentration(np.array([1.0])) == pytest.approx(500)
    kappa = np.array([0.01, 1.0, 80.0])
    np.testing.assert_allclose(concentration(mean_length(kappa)), kappa, rtol=1e-6)


def test_rayleigh_against_a_worked_example():
    """Zar, Biostatistical Analysis, example 27.1: n = 8, r = 0.82522, P about 0.002."""
    angle = np.radians([45, 55, 81, 96, 110, 117, 132, 154])
    outcome = rayleigh_test(angle)
    assert outcome.statistic == pytest.approx(0.82522, abs=1e-4)
    assert 0.001 < outcome.p_value < 0.002


def test_kuiper_at_its_critical_values():
    """Stephens (1970): the scaled statistic is 1.747 at 5 % and 2.001 at 1 %."""
    n = 400
    factor = np.sqrt(n) + 0.155 + 0.24 / np.sqrt(n)
    for critical, level in ((1.747, 0.05), (2.001, 0.01)):
        # All angles are pushed ahead so that the distance above is as wanted.
        part = np.maximum((np.arange(n) + 1) / n - critical / factor, 0)
        outcome = kuiper_test(2 * np.pi * part)
        assert outcome.statistic * factor == pytest.approx(critical, rel=1e-6)
        assert outcome.p_value == pytest.approx(level, rel=0.02)


def test_uniform_angles_are_rejected_as_often_as_promised(rng):
    angle = rng.uniform(0, 2 * np.pi, (400, 60))
    for test in (rayleigh_test, kuiper_test):
        rejected = np.mean([test(sample).p_value < 0.05 for sample in angle])
        assert 0.02 < rejected < 0.08


def poisson_counts(rng, law, n_pairs=400):
    n = rng.integers(0, 20, n_pairs)
    return rng.poisson(law.expected(n)), n, np.ones(n_pairs)


def test_the_poisson_rate_is_found_again(rng):
    law = PoissonRate(-1.0, 0.08)
    fit = fit_poisson(*poisson_counts(rng, law))
    assert all(holds(fit, -1.0, 0.08))
    slope, pearson = fit.tests
    assert slope.p_value < 1e-6
    assert pearson.p_value > 0.01


def test_sampling_follows_the_seed(rng, monkeypatch):
    for name, few in (("N_CHAINS", 2), ("N_BURN_IN", 5), ("N_STEPS", 40)):
        monkeypatch.setattr(f"kalos_core.noise.fitting.poisson_sampling.{name}", few)
    counts = poisson_counts(rng, PoissonRate(-1.0, 0.08))
    once, again, other = (
        sample_poisson(*counts, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert once == again != other


def test_chains_that_differ_have_a_large_r_hat(rng):
    chain = rng.normal(size=(4, 500))
    assert r_hat(chain) == pytest.approx(1, abs=0.02)
    assert r_hat(chain + np.arange(4)[:, None]) > 1.5


def test_without_emcee_it_says_what_to_install(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "emcee", None)
    with pytest.raises(KalosError, match=r"pip install -r requirements-mcmc\.txt"):
        sample_poisson(*poisson_counts(rng, PoissonRate(0.0, 0.0)), rng)


def test_the_logistic_is_found_again(rng):
    law, area = Logistic(-3.5, -0.5), np.exp(rng.uniform(-8, -1, 900))
    fit = fit_logistic(area, rng.random(900) < law.chance(area), np.ones(900), "misses")
    assert all(holds(fit, -3.5, -0.5))
    assert fit.verdict == "misses are smaller"
    assert fit.tests[0].p_value < 1e-6


def test_sizes_that_tell_all_apart_have_no_finite_slope():
    area = np.linspace(0.01, 0.5, 60)
    with pytest.raises(FitError, match="no finite numbers fit 60 observations best"):
        fit_logistic(area, area > 0.25, np.ones(60), "parents")


def test_weights_count_like_repeats(rng):
    area = np.exp(rng.uniform(-8, -1, 200))
    chosen, weight = rng.random(200) < 0.3, rng.integers(1, 4, 200)
    weighted = fit_logistic(area, chosen, weight.astype(float), "misses").law
    repeated = fit_logistic(
        np.repeat(area, weight),
        np.repeat(chosen, weight),
        np.ones(weight.sum()),
        "misses",
    ).law
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-6)


def test_the_angle_between_children_is_found_again(rng):
    fit = fit_beta(Beta(4.53, 0.53).draw(400, rng), np.ones(400))
    assert all(holds(fit, 4.53, 0.53))
    assert fit.tests[0].p_value > 0.01


def test_the_beta_is_the_one_that_scipy_finds(rng):
    part = Beta(2.0, 3.0).draw(200, rng)
    a, b, _, _ = stats.beta.fit(part, floc=0, fscale=1)
    fit = fit_beta(part, np.ones(200))
    assert (fit.law.a, fit.law.b) == (
        pytest.approx(a, rel=1e-3),
        pytest.approx(b, rel=1e-3),
    )


def test_opposite_halves_have_a_finite_law():
    fit = fit_beta(np.array([1.0] * 25 + [0.9] * 5), np.ones(30))
    assert np.isfinite([fit.law.a, fit.law.b]).all()
    assert fit.verdict == "100% lie on opposite sides"


def test_kappa_makes_synthetic_children_as_large_as_real_ones(rng):
    side, area = FoldedT(0.9, 0.3, 5.0, 0.4), rng.uniform(0.01, 0.5, 400)
    shrink = side.draw(area, rng) + side.draw(area, rng) - 2 * 0.2
    fit = fit_kappa(shrink, area, side, side, rng)
    assert all(holds(fit, 0.2))
    assert fit.estimates[0].high - fit.estimates[0].low < 0.15


def test_the_papers_medians_give_the_papers_kappa(rng):
    half = -np.log(0.059) / 2
    certain = FoldedT(half, 0.0, 5.0, 0.0)
    fit = fit_kappa(
        np.full(40, -np.log(0.088)), np.full(40, 0.1), certain, certain, rng
    )
    assert fit.law == pytest.approx(0.20, abs=0.001)


def test_wilsons_interval_against_a_worked_example():
    """Wilson's interval of 81 in 263 (Newcombe 1998): 0.2553 to 0.3662."""
    [estimate] = fit_proportion(81, 263, 1, "cases").estimates
    assert estimate.low == pytest.approx(0.2553, abs=5e-5)
    assert estimate.high == pytest.approx(0.3662, abs=5e-5)


def test_too_few_are_counted():
    with pytest.raises(FitError, match="there are 4 splits, and a fit needs 20"):
        enough(4, 20, "splits")


NEAR = np.array([[1, 0.9, 0.7, 0.1], [0.9, 1, 0.6, 0], [0.7, 0.6, 1, 0.3]])
NEAR = np.vstack([NEAR, [0.1, 0, 0.3, 1]])


def test_the_temperature_is_found_again(rng):
    chances = transition_from_similarity(NEAR, temperature=0.2)
    counts = np.array([rng.multinomial(150, row) for row in chances]).astype(float)
    fit = fit_temperature(counts, NEAR, nearest_classes(NEAR, 10))
    assert all(holds(fit, 0.2))
    assert fit.estimates[0].high / fit.estimates[0].low < 2


def test_mistakes_for_the_nearest_class_alone_have_no_temperature():
    counts = np.where(nearest_classes(NEAR, 1), 20.0, 0.0)
    with pytest.raises(FitError, match="no temperature fits 80 category mistakes"):
        fit_temperature(counts, NEAR, nearest_classes(NEAR, 10))


def test_who_is_chosen_is_found_again_whatever_the_number(rng):
    """Twice as many are chosen where all are small: a plain fit takes that for size."""
    law, n = Logistic(0.0, -0.7), 400
    level = np.repeat(rng.uniform(-7, -2, n), 6)
    area, block = np.exp(level + rng.normal(0, 1, 6 * n)), np.repeat(np.arange(n), 6)
    order = np.lexsort((rng.exponential(size=6 * n) / law.odds(area), block))
    place = np.empty_like(order)
    place[order] = np.tile(np.arange(6), n)
    chosen = place < np.where(level < -4.5, 2, 1)
    fit = fit_selection(area, chosen, block, "misses")
    assert holds(fit, np.nan, -0.7)[1]
    plain = fit_logistic(area, chosen, np.ones(6 * n), "misses")
    assert not holds(plain, np.nan, -0.7)[1]
    mean = fit.law.chance(area).mean()
    assert mean == pytest.approx(chosen.mean(), abs=1e-6)


def test_values_beyond_the_ends_do_not_bias(rng):
    law, n = FoldedT(0.01, 0.05, 3.0, 0.006), 3000
    area, high = rng.uniform(0.001, 0.5, n), rng.uniform(0.015, 0.05, n)
    value = law.draw(area, rng)
    seen = value < high
    truth = (0.01, 0.05, 0.006, 3.0)
    ends = np.stack([np.zeros(n), high], axis=1)
    cut = fit_folded_t(value[seen], area[seen], limits=ends[seen])
    assert all(holds(cut, *truth))
    assert not all(holds(fit_folded_t(value[seen], area[seen]), *truth))
    at_most = fit_folded_t(np.minimum(value, high), area, ceiling=high)
    assert all(holds(at_most, *truth))


def test_a_law_with_more_beyond_the_ends_than_there_are_is_not_taken(rng):
    """Small objects have small shifts here, which a trend in the area cannot follow."""
    side = np.exp(rng.uniform(np.log(0.01), np.log(0.3), 800))
    value = np.abs(rng.normal(0, 0.15 * side))
    ends = np.stack([np.zeros(800), 0.4 * side], axis=1)
    value = np.minimum(value, ends[:, 1])
    wide = fit_folded_t(value, side**2, limits=ends)
    narrow = fit_folded_t(value, side**2, limits=ends, most_cut=20)
    assert narrow.law == fit_folded_t(value, side**2).law != wide.law
    assert narrow.verdict.endswith("of those that were matched")


@pytest.mark.parametrize("both_ways", [True, False])
def test_directions_that_tell_little_have_wide_intervals(both_ways):
    """Of few uniform ones, sides share what any of them could have."""
    angle = np.random.default_rng(1).uniform(0, 2 * np.pi, 50)
    found = fit_cardinal(angle, both_ways=both_ways).estimates
    assert all(one.low <= one.value <= one.high for one in found)
    weights, kappas = found[:4], found[4:]
    assert np.mean([one.high - one.low for one in weights]) > 0.5
    assert max(one.high for one in kappas) == 500  # the largest that there is
    assert min(one.low for one in kappas) == 0


def test_of_two_clear_sides_the_others_have_hardly_anything():
    sides = CardinalMixture((0.6, 0.0, 0.4, 0.0), (20.0, 1.0, 20.0, 1.0))
    angle = sides.draw(300, np.random.default_rng(0))
    drawn = np.mean(np.cos(angle) > 0)
    right, down, left, up, *_ = fit_cardinal(angle, both_ways=False).estimates
    assert right.low < drawn < right.high < right.low + 0.15
    assert left.low < 1 - drawn < left.high < left.low + 0.15
    assert max(down.low, up.low) < 0.01
    assert max(down.high, up.high) < 0.1


def test_a_search_that_tries_too_narrow_sides_returns():
    angle = np.random.default_rng(53).random(60) * 2 * np.pi
    law = fit_cardinal(angle, both_ways=False).law
    assert np.isfinite(np.log(law.density(angle))).all()


def test_information_that_rounding_makes_singular_tells_nothing():
    score = np.array([[1.0, 1.0, 2.0], [3.0, 3.0 + 1e-15, 1.0], [2.0, 2.0, 5.0]])
    assert np.isnan(covariance(score.T @ score)).all()
    for nothing in (0.0, 1e-320):
        assert np.isnan(covariance(np.diag([1.0, nothing]))).all()
    # Numbers of very different units are not singular.
    np.testing.assert_allclose(
        covariance(np.diag([1e-20, 1e20])), np.diag([1e20, 1e-20])
    )
