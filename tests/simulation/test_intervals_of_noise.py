"""Intervals on noise: what cannot be told from zero is hardly ever told from it."""

import numpy as np
import pytest

from kalos_core.estimates import estimate_apart, estimate_means
from kalos_core.resampling import Resampling


@pytest.mark.parametrize("n_images", [2, 3, 5, 7, 8, 20])
def test_noise_of_few_images_is_hardly_ever_told_from_zero(n_images):
    rng, image = np.random.default_rng(n_images), np.arange(n_images)
    nowhere = np.zeros(n_images, dtype=np.int64)
    told = [
        bool(found.told_from_zero[0])
        for seed in range(300)
        for found in [
            estimate_means(
                Resampling(np.ones(n_images, bool), 300, seed),
                rng.normal(size=n_images),
                image,
                nowhere,
                1,
            )
        ]
    ]
    assert np.mean(told) < 0.09


def test_of_many_numbers_none_is_told_by_chance():
    rng, image = np.random.default_rng(3), np.repeat(np.arange(40), 12)
    column, any_told, each = np.tile(np.arange(12), 40), [], []
    for seed in range(200):
        rounds = Resampling(np.ones(40, bool), 200, seed)
        value = rng.normal(size=480)
        any_told.append(
            estimate_apart(rounds, value, image, column, 12).told_from_zero.any()
        )
        each.append(
            estimate_means(rounds, value, image, column, 12).told_from_zero.any()
        )
    assert np.mean(any_told) < 0.1
    assert np.mean(each) > 0.25  # without regard for how many there are
