"""Planted facts about raters are found, and on noise none of them is claimed."""

from dataclasses import replace

import numpy as np
import pytest
from cohorts import cohort
from diagnosing import find_schools, find_vitality, resampling

from kalos_core import Configuration, compute_agreement
from kalos_core.diagnostics.looseness import looseness

N_SEEDS = 40


def raters(seed, faults, n_images=40):
    """Return raters who miss objects and name other classes at the same rate."""
    return cohort(seed, n_images, faults, faults, [0.02] * len(faults))


def conventions(seed, n_first, n_second):
    """Return two schools; the second calls class 0 class 1."""
    made = raters(seed, [0.1] * (n_first + n_second))
    other = (made.rater >= n_first) & (made.label == 0)
    return replace(made, label=np.where(other, 1, made.label))


def test_a_careless_rater_has_the_lowest_vitality():
    for seed in range(20):
        found = find_vitality(raters(seed, [0.05, 0.05, 0.3, 0.05, 0.05]), n_boot=200)
        assert found.mean.value.argmin() == 2
        assert found.overall.value.argmin() == 2
        assert found.relative.high[2] < 0
        assert found.overall.high[2] < 0


def test_vitality_of_equal_raters_is_told_from_zero_by_chance_only():
    found = [
        find_vitality(raters(seed, [0.1] * 5, 150), n_boot=400) for seed in range(100)
    ]
    # Fewer raters are at one more often, whoever is left out: the mean is below 0.
    assert np.mean([one.mean.value for one in found]) < -0.02
    assert abs(np.mean([one.relative.value for one in found])) < 1e-9
    # 5 of 100 are expected; 13 or more come once in 700 times.
    assert sum(one.relative.told_from_zero.any() for one in found) < 13
    assert np.mean([one.overall.told_from_zero for one in found]) < 0.1


def drawn_by(seed, jitter, n_images=60):
    """Return how loosely raters draw who differ in nothing else."""
    still = [0.05] * len(jitter)
    made = cohort(seed, n_images, still, still, jitter)
    agreement = compute_agreement(made, Configuration())
    return looseness(made, agreement, resampling(made, 400))


def test_a_loose_rater_falls_first_and_is_told_from_the_others():
    for seed in range(20):
        found = drawn_by(seed, [0.03, 0.03, 0.12, 0.03])
        assert found.cliff.argmax() == 2
        assert found.distance.value.argmax() == 2
        assert found.relative.low[2] > 0
        assert (found.relative.high[[0, 1, 3]] < 0).all()


def test_nobody_is_called_loose_where_all_draw_alike():
    found = [drawn_by(seed, [0.08] * 4, 150) for seed in range(100)]
    assert np.mean([one.relative.told_from_zero.any() for one in found]) < 0.1


@pytest.mark.parametrize("sizes", [(2, 2), (3, 3), (4, 2), (5, 3)])
def test_two_conventions_are_two_schools(sizes):
    found = [find_schools(conventions(seed, *sizes), seed) for seed in range(20)]
    right = [0] * sizes[0] + [1] * sizes[1]
    assert np.mean([one.school.tolist() == right for one in found]) >= 0.8
    assert all(one.school.tolist() in (right, []) for one in found)


@pytest.mark.parametrize(
    "faults",
    [
        [0.1] * 6,
        [0.6] * 8,  # noise
        [0.5, 0.05, 0.05, 0.05, 0.05, 0.05],
        [0.5, 0.05, 0.05, 0.05],
        [0.5, 0.5, 0.05, 0.05, 0.05, 0.05],
        [0.02, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5],
    ],
    ids=["equal", "noise", "careless", "careless of four", "two careless", "all kinds"],
)
def test_no_schools_are_claimed_where_there_are_none(faults):
    claims = [
        len(find_schools(raters(seed, faults), seed).school) > 0
        for seed in range(N_SEEDS)
    ]
    assert sum(claims) <= N_SEEDS // 10


def test_p_values_of_equal_raters_are_spread_evenly():
    p = [
        find_schools(raters(seed, [0.15] * 5, 25), seed).p_value for seed in range(100)
    ]
    assert np.mean(np.array(p) < 0.05) <= 0.1
    assert 0.35 < np.mean(np.array(p) < 0.5) < 0.65
