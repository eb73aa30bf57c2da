"""Do 95 % intervals cover what they should? Measured on cohorts without number."""

from functools import cache

import numpy as np
import pytest
from cohorts import cohort

from kalos_core import Configuration, compute_agreement
from kalos_core.estimates import estimate_means
from kalos_core.resampling import Resampling

N_REPEATS, N_IMAGES = 1500, 150

FAULTS = {
    "careful": {"miss": (0.05,) * 3, "swap": (0.05,) * 3},
    "careless": {"miss": (0.3,) * 3, "swap": (0.2,) * 3},
    "unlike": {"miss": (0.0, 0.1, 0.4), "swap": (0.3, 0.1, 0.0)},
}


@cache
def simulated(name):
    """Return the true mean alpha, and alpha of so many images that all repeats have.

    All cohorts are parts of one large data set, and the mean of a much larger one is
    the truth.
    """
    truth, alpha = mean_alpha(1, 300_000, name), mean_alpha(2, N_REPEATS * 150, name)
    return truth.mean(), alpha


def mean_alpha(seed, n_images, name):
    made = cohort(seed, n_images, **FAULTS[name], jitter=(0.05,) * 3)
    agreement = compute_agreement(made, Configuration())
    assert not np.isnan(agreement.alpha).any()
    return agreement.alpha


@pytest.mark.parametrize("name", FAULTS)
def test_intervals_of_mean_alpha_cover_the_true_one(name):
    truth, alpha = simulated(name)
    images = np.arange(N_IMAGES)
    covered = 0
    for seed, own in enumerate(alpha.reshape(N_REPEATS, N_IMAGES)):
        rounds = Resampling(np.ones(N_IMAGES, bool), 1000, seed)
        found = estimate_means(rounds, own, images, np.zeros_like(images), 1)
        covered += bool(found.low[0] <= truth <= found.high[0])
    print(f"{name}: {covered} of {N_REPEATS} intervals cover {truth:.4f}")
    assert 0.93 <= covered / N_REPEATS <= 0.97


# The README states what is printed. Repeats share their rounds, so that it is quick.
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize(
    ("n_images", "least"), [(5, 0.85), (10, 0.9), (20, 0.92), (50, 0.93), (150, 0.93)]
)
def test_intervals_of_few_images_cover_it_less_often(name, n_images, least):
    truth, alpha = simulated(name)
    alpha = alpha[: N_REPEATS * n_images]
    repeat, image = np.divmod(np.arange(len(alpha)), n_images)
    rounds = Resampling(np.ones(n_images, bool), 1000, seed=0)
    found = estimate_means(rounds, alpha, image, repeat, N_REPEATS)
    covered = ((found.low <= truth) & (truth <= found.high)).mean()
    lacking = np.isnan(found.low).mean()
    print(f"{name}: {covered:.1%} of {n_images} images ({lacking:.1%} have none)")
    assert covered >= least
