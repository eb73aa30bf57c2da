"""Calibration beside the authors' implementation, kalos 0.8.0."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from kalos.iaa import empirical_disagreement
from kalos.iaa.principled_configuration import (
    calculate_ks_statistic,
    find_bayesian_boundary,
)
from kalos.iaa.similarity_functions import SIMILARITY_FUNCTIONS
from reading import DATA, needs_data
from reference import SIMILARITIES, ours, random_rows, theirs
from scipy.stats import gaussian_kde

from kalos_core import (
    Configuration,
    bootstrap_calibration,
    calibrate,
    compute_agreement,
    read_lidc,
)
from kalos_core.calibration.disagreement import draw
from kalos_core.calibration.separation import separate

# The reference fills two whole grids for a pair of volumes.
CASES = [
    (d_loc, seed)
    for d_loc in SIMILARITIES
    for seed in range(3 if d_loc == "volume_iou" else 20)
]
PER_CASE = 4


class Replay:
    """Stands for the module ``random``: what was drawn, one after the other."""

    def __init__(self, drawn):
        self.drawn = iter(drawn)

    def choice(self, _):
        return next(self.drawn)


def drawn_for_reference(made, seed):
    """Yield image and rater of our draws as the reference asks for them.

    It goes through images and those who drew, which is the order of our blocks, and
    ``theirs`` numbers the raters of an image from 0, those who drew first.
    """
    draws = draw(made, np.random.default_rng(seed), 1)
    _, first = np.unique(made.block, return_index=True)
    for block in draws.block[first]:
        image, rater = draws.image[0, block], draws.rater[0, block]
        drew = np.unique(made.rater[made.image == image]).tolist()
        others = np.flatnonzero(made.assigned[image]).tolist()
        yield int(image)
        yield (drew + [r for r in others if r not in drew]).index(rater)


def reference_samples(monkeypatch, made, data, d_loc, seed):
    for image in data.values():
        drew = image["annotations_by_rater"]
        image["annotations_by_rater"] = defaultdict(list, drew)
    replay = Replay(drawn_for_reference(made, seed))
    monkeypatch.setattr(empirical_disagreement, "random", replay)
    similarity = SIMILARITY_FUNCTIONS[SIMILARITIES[d_loc]]
    found = empirical_disagreement.calculate_do_de(data, similarity)
    assert next(replay.drawn, None) is None
    return np.sort(found["d_o"]), np.sort(found["d_e"])


def data_sets(d_loc, seed):
    """Yield data sets in which two raters of an image and two images compare."""
    rng = np.random.default_rng([11, seed, *map(ord, d_loc)])
    for _ in range(PER_CASE):
        n_seen, rows = np.zeros(1), []
        while sum(n_seen > 0) < 2 or sum(n_seen[row[0]] > 1 for row in rows) < 3:
            assigned, rows = random_rows(d_loc, rng)
            n_seen = assigned.sum(axis=1)
        yield ours(d_loc, assigned, rows), theirs(d_loc, assigned, rows)


def test_there_are_enough_data_sets():
    assert len(CASES) * PER_CASE >= 300


@pytest.mark.parametrize(("d_loc", "seed"), CASES)
def test_samples_and_results_are_equal(monkeypatch, d_loc, seed):
    for made, data in data_sets(d_loc, seed):
        found = calibrate(made, d_loc, rng=np.random.default_rng(seed))
        d_o, d_e = reference_samples(monkeypatch, made, data, d_loc, seed)
        assert np.sort(found.d_o) == pytest.approx(d_o, abs=1e-9)
        assert np.sort(found.d_e) == pytest.approx(d_e, abs=1e-9)
        check_results(found, found.d_o, found.d_e)


def check_results(found, d_o, d_e):
    """Compare KS and tau* of two samples with the reference's."""
    ks = calculate_ks_statistic(d_o, d_e)
    if found.ks > 0:
        assert found.ks == pytest.approx(ks, abs=1e-12)
    else:  # by decision: KS is two-sided, and this side has the smaller supremum
        assert ks <= -found.ks + 1e-12
    tau_star = find_bayesian_boundary(d_o, d_e)
    if found.status == "crossing" or (
        found.status == "valley" and not in_void(d_o, d_e, tau_star)
    ):
        assert found.tau_star == tau_star


def in_void(d_o, d_e, tau_star):
    """Return whether both densities are 0 there; by decision they do not cross then.

    Kernels are summed for it, since transforms leave other roundings on each machine.
    """
    density = sum(gaussian_kde(sample)(tau_star + 0.001)[0] for sample in (d_o, d_e))
    return density < 1e-200


def mixture(rng, n):
    """Return Betas of any shape, often with some or most distances 0 or 1."""
    n_parts = int(rng.integers(1, 4))
    parts = [rng.beta(*np.exp(rng.uniform(-1, 4, 2)), n) for _ in range(n_parts)]
    sample = np.choose(rng.integers(0, n_parts, n), parts)
    for atom in (0, 1):
        if rng.random() < 0.4:
            sample[rng.random(n) < rng.choice([0.05, 0.3, 0.8, 0.98])] = atom
    return sample * rng.choice([1, 1, 1, rng.uniform(0.001, 1)])


def mixtures(seed, n_pairs=25):
    rng = np.random.default_rng([12, seed])
    for number in range(n_pairs):
        most = 20_000 if number == 0 else 2_000  # theirs takes a second for 20,000
        n = np.exp(rng.uniform(np.log(20), np.log(most), 2)).astype(int)
        yield [mixture(rng, size) for size in n]


@pytest.mark.parametrize("seed", range(12))
def test_thresholds_of_any_samples_are_equal(seed):
    status = Counter()
    for d_o, d_e in mixtures(seed):
        found = separate(d_o, d_e)
        check_results(found, d_o, d_e)
        status[found.status] += 1
    assert status["crossing"] > 5


def test_densities_that_nearly_touch_are_told_apart():
    for seed in range(60):
        rng = np.random.default_rng([13, seed])
        d_o = rng.beta(3, 6, 300)
        d_e = (d_o + rng.normal(0, 1e-5, 300)).clip(0, 1)
        check_results(separate(d_o, d_e), d_o, d_e)


def test_the_higher_of_two_modes_that_are_nearly_equal_is_found():
    for seed in range(40):
        rng = np.random.default_rng([14, seed])
        one = rng.beta(8, 25, 300)
        d_o = np.r_[one, 1 - one + rng.normal(0, 1e-5, 300)]
        d_e = rng.uniform(0, 1, 300)
        check_results(separate(d_o, d_e), d_o, d_e)


# Where DESIGN decides otherwise, the difference is stated.


def test_half_is_what_the_reference_says_where_nothing_is_determined():
    rng = np.random.default_rng(0)
    one_value, others = np.ones(100), rng.beta(2, 5, 100)
    heavy = rng.beta(5, 0.5, (2, 500))
    heavy[:, :250] = 1
    for d_o, d_e in [(others, one_value), (one_value, others), heavy]:
        assert separate(d_o, d_e).status == "undetermined"
        assert find_bayesian_boundary(d_o, d_e) == 0.5


def test_a_mode_is_no_valley():
    # D_o is the higher one from its mode on, and the sum rises up to there.
    rng = np.random.default_rng(1)
    d_o, d_e = rng.beta(9, 2, 1000), rng.beta(7, 3, 1000)
    found = separate(d_o, d_e)
    assert (found.tau_star, found.status) == (None, "undetermined")
    mode = found.grid[found.density_e.argmax()]
    assert find_bayesian_boundary(d_o, d_e) == mode


def test_numbers_that_become_zero_do_not_cross():
    # Behind D_o both densities are too small for floating point; D_e lies before it.
    rng = np.random.default_rng(2)
    d_o, d_e = rng.normal(0.3, 0.01, 500), rng.normal(0.2, 0.01, 500)
    found = separate(d_o, d_e)
    assert found.status != "crossing"
    theirs = find_bayesian_boundary(d_o, d_e)
    assert 0.4 < theirs < 0.6
    assert found.density_o[round(theirs * 999)] == pytest.approx(0, abs=1e-12)


def test_chance_that_is_nearer_has_a_sign():
    rng = np.random.default_rng(3)
    d_o, d_e = rng.beta(5, 2, 300), rng.beta(2, 5, 300)
    found = separate(d_o, d_e)
    assert found.ks == pytest.approx(-calculate_ks_statistic(d_e, d_o))
    assert not found.valid
    assert calculate_ks_statistic(d_o, d_e) < 0.02


LIDC = DATA / "lidc_sample" / "annotations.json"


@needs_data
def test_nodules_leave_chance_almost_constant():
    made = read_lidc(LIDC)
    rng = np.random.default_rng(0)
    found = calibrate(made, "volume_iou", rng=rng, n_draws=10)
    assert (len(found.d_o), len(found.d_e), found.n_images) == (1527, 5090, 54)
    assert (found.d_e == 1).mean() > 0.99
    assert found.status == "crossing"
    assert (found.ks, found.ks_at) == pytest.approx((0.755, 0.972), abs=5e-4)
    check_results(found, found.d_o, found.d_e)
    # The nearest that chance came is all that tau* depends on.
    assert found.tau_star == pytest.approx(found.d_e.min(), abs=2e-3)
    assert found.tau_star == pytest.approx(0.804, abs=5e-4)
    interval = bootstrap_calibration(made, found, rng=rng).tau_interval
    assert (interval.low, interval.high) == pytest.approx((0.803, 0.999), abs=5e-4)


@needs_data
def test_agreement_on_nodules_hardly_depends_on_the_threshold():
    made = read_lidc(LIDC)
    for tau in (0.5, 0.6, 0.7, 0.8, 0.97):
        found = compute_agreement(made, Configuration("volume_iou", tau=tau))
        assert 0.42 < found.mean_alpha < 0.4402


@needs_data
def test_the_threshold_of_nodules_is_where_chance_happens_to_fall():
    made, tau_star = read_lidc(LIDC), []
    for seed in range(60):
        found = calibrate(made, "volume_iou", rng=np.random.default_rng(seed))
        if found.status == "undetermined":  # no two scans overlap, and theirs is 0.5
            assert find_bayesian_boundary(found.d_o, found.d_e) == 0.5
        else:
            assert found.status == "crossing"
            tau_star.append(found.tau_star)
    assert len(tau_star) == 54
    assert (min(tau_star), max(tau_star)) == pytest.approx((0.76, 0.999), abs=0.002)
