"""Do 95 % intervals cover what they should? Measured on cohorts without number."""

import numpy as np
import pytest
from cohorts import cohort

from kalos_core import Configuration, compute_agreement
from kalos_core.estimates import estimate_means
from kalos_core.resampling import Resampling

N_REPEATS, N_IMAGES = 1500, 150


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("careful", {"miss": (0.05,) * 3, "swap": (0.05,) * 3}),
        ("careless", {"miss": (0.3,) * 3, "swap": (0.2,) * 3}),
        ("unlike", {"miss": (0.0, 0.1, 0.4), "swap": (0.3, 0.1, 0.0)}),
    ],
)
def test_intervals_of_mean_alpha_cover_the_true_one(name, faults):
    # All cohorts are parts of one large data set, and the mean of a much larger one is
    # the truth.
    faults = {**faults, "jitter": (0.05,) * 3}
    truth = mean_alpha(1, 300_000, faults).mean()
    alpha = mean_alpha(2, N_REPEATS * N_IMAGES, faults).reshape(N_REPEATS, N_IMAGES)
    images = np.arange(N_IMAGES)
    covered = 0
    for seed, own in enumerate(alpha):
        rounds = Resampling(np.ones(N_IMAGES, bool), 1000, seed)
        found = estimate_means(rounds, own, images, np.zeros_like(images), 1)
        covered += bool(found.low[0] <= truth <= found.high[0])
    print(f"{name}: {covered} of {N_REPEATS} intervals cover {truth:.4f}")
    assert 0.93 <= covered / N_REPEATS <= 0.97


def mean_alpha(seed, n_images, faults):
    agreement = compute_agreement(cohort(seed, n_images, **faults), Configuration())
    assert not np.isnan(agreement.alpha).any()
    return agreement.alpha
