"""The same regression as the paper's: Bayesian, sampled by Markov chains."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IntArray, sum_by
from ...errors import KalosError
from ...intervals import percentile_interval
from ..laws import PoissonRate
from .estimate import Estimate, Fit, Outcome
from .poisson import check_counts, fit_poisson

PRIOR = 10.0
"""Standard deviation of both numbers beforehand: anything that can occur."""

N_CHAINS, N_WALKERS = 4, 8
N_BURN_IN, N_STEPS = 300, 700


def can_sample() -> bool:
    """Return whether emcee is installed."""
    try:
        import emcee  # noqa: F401
    except ImportError:
        return False
    return True


def sample_poisson(
    count: IntArray, n: IntArray, weight: FloatArray, rng: np.random.Generator
) -> Fit[PoissonRate]:
    """Return means and 95 % intervals of the posterior; R-hat is near 1 if it mixed."""
    try:
        import emcee
    except ImportError as error:
        raise KalosError(
            "sampling the unmatched rate needs emcee: pip install -r "
            "requirements-mcmc.txt, or fit with bayesian=False"
        ) from error
    check_counts(count, weight)
    # Counts of equal n can be summed up: the likelihood stays the same.
    size, place = np.unique(n, return_inverse=True)
    total = sum_by(place, weight * count, len(size))
    repeats = sum_by(place, weight, len(size))

    def log_posterior(numbers: FloatArray) -> FloatArray:
        log_rate = numbers @ np.stack([np.ones(len(size)), size])
        likelihood = log_rate @ total - np.exp(np.minimum(log_rate, 700)) @ repeats
        posterior: FloatArray = likelihood - (numbers**2).sum(axis=1) / 2 / PRIOR**2
        return posterior

    best = fit_poisson(count, n, weight)
    # Rounded, so that chains are the same whatever order the counts are summed in.
    start, width = np.array(
        [
            [float(f"{number:.4g}") for number in (each.value, each.high - each.low)]
            for each in best.estimates
        ]
    ).T
    chains = []
    for _ in range(N_CHAINS):
        sampler = emcee.EnsembleSampler(N_WALKERS, 2, log_posterior, vectorize=True)
        seed = int(rng.integers(2**32))
        sampler.random_state = np.random.RandomState(seed).get_state()
        sampler.run_mcmc(
            start + width * rng.normal(size=(N_WALKERS, 2)), N_BURN_IN + N_STEPS
        )
        chains.append(sampler.get_chain(discard=N_BURN_IN, flat=True))
    chain = np.array(chains)
    estimates = tuple(
        _summary(name, chain[:, :, k]) for k, name in enumerate(("intercept", "slope"))
    )
    tests = tuple(
        Outcome(f"R-hat of the {estimate.name}", r_hat(chain[:, :, k]))
        for k, estimate in enumerate(estimates)
    )
    mixed = max(outcome.statistic for outcome in tests) < 1.05
    return Fit(
        PoissonRate(*(estimate.value for estimate in estimates)),
        "Bayesian Poisson regression",
        float(weight.sum()),
        estimates,
        tests,
        "the chains mixed" if mixed else "the chains did not mix: do not rely on it",
    )


def r_hat(chain: FloatArray) -> float:
    """Return the potential scale reduction of chains (M, T), each cut into halves.

    Examples
    --------
    >>> round(r_hat(np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])), 2)
    0.71
    """
    length = chain.shape[1] // 2
    halves = chain[:, : 2 * length].reshape(-1, length)
    within = halves.var(axis=1, ddof=1).mean()
    between = length * halves.mean(axis=1).var(ddof=1)
    return float(np.sqrt(((length - 1) * within + between) / length / within))


def _summary(name: str, chain: FloatArray) -> Estimate:
    interval = percentile_interval(chain)
    return Estimate(name, float(chain.mean()), interval.low, interval.high)
