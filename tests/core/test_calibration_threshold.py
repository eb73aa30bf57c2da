"""KS and tau* of samples whose truth is known."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, gaussian_kde

from kalos_core.calibration.density import NARROW
from kalos_core.calibration.ks import kolmogorov_smirnov
from kalos_core.calibration.separation import separate


def test_ks_by_hand():
    # Below 0.3 lie three of four and one of five: 0.75 - 0.2.
    d_o, d_e = np.array([0.3, 0.1, 0.2, 0.9]), np.array([0.2, 0.4, 0.5, 1, 1])
    assert kolmogorov_smirnov(d_o, d_e) == pytest.approx((0.55, 0.3))
    assert kolmogorov_smirnov(d_e, d_o) == pytest.approx((-0.55, 0.3))


def test_ks_goes_by_whole_ties():
    # Between the two equal values one sample has risen and the other not: no gap.
    half = np.array([0.5])
    assert kolmogorov_smirnov(half, half)[0] == 0
    assert kolmogorov_smirnov(np.array([0.2, 0.5]), half)[0] == 0.5


def test_the_larger_of_two_gaps_has_its_sign():
    # D_o is ahead by 1/4 at first, then behind by 1/2.
    d_o, d_e = np.array([0.1, 0.8, 0.8, 0.8]), np.array([0.5, 0.5, 0.5, 0.9])
    assert kolmogorov_smirnov(d_o, d_e) == (-0.5, 0.5)


@pytest.mark.parametrize(
    ("signal", "chance"), [((2, 8), (8, 2)), ((3, 9), (12, 3)), ((2, 5), (6, 2))]
)
def test_the_crossing_of_two_betas_is_recovered(signal, chance):
    crossing = brentq(lambda x: beta.pdf(x, *signal) - beta.pdf(x, *chance), 0.2, 0.9)
    rng = np.random.default_rng([*signal, *chance])
    found = [
        separate(rng.beta(*signal, 2000), rng.beta(*chance, 2000)) for _ in range(100)
    ]
    assert {one.status for one in found} == {"crossing"}
    off = np.array([one.tau_star for one in found]) - crossing
    assert (np.abs(off) < 0.03).sum() >= 95
    # The place of KS estimates the same without a density.
    at = np.array([one.ks_at for one in found]) - crossing
    assert (np.abs(at) < 0.06).sum() >= 95


def test_heavy_tails_with_both_modes_at_one_determine_nothing():
    rng = np.random.default_rng(0)
    for _ in range(20):
        d_o, d_e = rng.beta(1, 1, 2000), rng.beta(4, 0.7, 2000)
        d_o[:1000] = 1
        d_e[:1700] = 1
        found = separate(d_o, d_e)
        assert (found.tau_star, found.status) == (None, "undetermined")
        assert found.ks > 0.2
        assert 0 < found.ks_at < 1


def test_without_a_crossing_the_valley_is_taken():
    # Behind its mode D_o is the higher one to the end. Both fall alike towards 0.5.
    rng = np.random.default_rng(0)
    d_o, d_e = rng.normal(0.7, 0.08, 4000), rng.normal(0.3, 0.08, 4000)
    found = separate(d_o.clip(0, 1), d_e.clip(0, 1))
    assert found.status == "valley"
    assert found.tau_star == pytest.approx(0.5, abs=0.03)
    assert not found.valid


@pytest.mark.parametrize("n", [1, 2, 50])
def test_one_value_has_no_density(n):
    found = separate(np.full(n, 0.3), np.linspace(0, 1, 50))
    assert np.isnan(found.density_o).all()
    assert (found.tau_star, found.status) == (None, "undetermined")


@pytest.mark.parametrize("spread", [0.2, 0.02, 0.002])
def test_densities_are_those_of_scipy(spread):
    # The narrowest is summed, the others are binned and convolved.
    rng = np.random.default_rng(0)
    d_o, d_e = rng.normal(0.5, spread, (2, 200)).clip(0, 1)
    found = separate(d_o, d_e)
    kernel = gaussian_kde(d_o)
    assert (kernel.factor * d_o.std(ddof=1) < NARROW) == (spread == 0.002)
    expected = kernel(found.grid)
    assert found.density_o == pytest.approx(expected, abs=expected.max() / 500)


def test_a_narrow_bump_of_chance_is_not_lost_between_bins():
    # All of D_e is 1 but for one distance: the first place where D_e is the higher.
    rng = np.random.default_rng(0)
    d_o, d_e = rng.beta(2, 6, 1500), np.r_[np.ones(500), 0.8]
    found = separate(d_o, d_e)
    assert found.status == "crossing"
    assert 0.77 < found.tau_star < 0.8
