"""Raters who are simulated by half of a fit agree as those that were fitted."""

from dataclasses import replace

import numpy as np
import pytest
from recovery import KNOWN, scattered, similarity

from kalos_core import compute_agreement
from kalos_core.model import Configuration
from kalos_core.noise import (
    default_parameters,
    fit_noise,
    simulate_raters,
    transition_from_similarity,
)
from kalos_core.noise.laws import Logistic

N_IMAGES = 500

FEW_SPLITS = replace(
    KNOWN, topology=replace(KNOWN.topology, susceptibility=Logistic(-2.5, 0.5))
)
"""Without a reference, half of the splits come back as combinations, which mostly find
no partner where objects of a class are rare: of many splits agreement rises."""


def pairwise_alpha(made):
    agreement = compute_agreement(made.annotations(), Configuration(tau=0.5))
    return agreement.mean_alpha


def alphas(parameters, seed, magnitude):
    """Return alpha of two raters, and of others by half and by all of their fit."""
    rng = np.random.default_rng(seed)
    truth, near = scattered(rng, N_IMAGES), similarity(rng)
    transition = transition_from_similarity(near)
    options = {"n_raters": 2, "rng": rng}
    people = simulate_raters(
        truth, parameters, transition=transition, magnitude=magnitude, **options
    )
    fit = fit_noise(people.annotations(), bayesian=False)
    made = [
        simulate_raters(truth, law, transition=fit.transition, **options)
        for law in (fit.parameters.halved(), fit.parameters)
    ]
    return [pairwise_alpha(each) for each in (people, *made)]


@pytest.mark.parametrize("magnitude", [0.5, 1.0])
@pytest.mark.parametrize("name", ["known", "defaults"])
def test_half_of_a_fit_brings_back_the_agreement(name, magnitude):
    parameters = FEW_SPLITS if name == "known" else default_parameters()
    found = np.array([alphas(parameters, seed, magnitude) for seed in range(2)])
    people, half, whole = found.mean(axis=0)
    print(name, magnitude, found.mean(axis=0).round(3), (found[:, 1] - found[:, 0]))
    assert half == pytest.approx(people, abs=0.04)
    assert whole < half - 0.05
