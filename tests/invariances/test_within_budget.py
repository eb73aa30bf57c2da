"""Steps within a budget, against trying everything."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kalos_core.diagnostics.within_budget import _blocks, within_budget


def best(chains, budget):
    """Return the largest gain of any choice of beginnings of the chains."""
    found = 0.0
    for lengths in itertools.product(*(range(len(c) + 1) for c in chains)):
        done = [s for c, n in zip(chains, lengths, strict=True) for s in c[:n]]
        if sum(cost for _, cost in done) <= budget + 1e-9:
            found = max(found, sum(gain for gain, _ in done))
    return found


def flat(chains):
    chain = np.repeat(np.arange(len(chains)), [len(c) for c in chains])
    steps = np.array([s for c in chains for s in c], dtype=float).reshape(-1, 2)
    return chain, steps[:, 0], steps[:, 1]


def check(chains, budget):
    """Return gains, ours and the best, after checking that ours is allowed."""
    chain, gain, cost = flat(chains)
    done = within_budget(chain, gain, cost, budget)
    assert len(set(done.tolist())) == len(done)
    assert cost[done].sum() <= budget + 1e-6
    for own in range(len(chains)):  # each chain from its beginning, in order
        steps = done[chain[done] == own]
        assert steps.tolist() == np.flatnonzero(chain == own)[: len(steps)].tolist()
    return gain[done].sum(), best(chains, budget)


gains = st.integers(-4, 12).map(lambda n: n / 8)
costs = st.integers(1, 9).map(lambda n: n / 2)
one_step = st.lists(st.tuples(gains, costs), min_size=1, max_size=1)
several = st.lists(st.tuples(gains, costs), min_size=1, max_size=4)
budgets = st.integers(0, 30).map(lambda n: n / 2)


@settings(max_examples=400)
@given(st.lists(one_step, max_size=8), budgets)
def test_single_steps_gain_half_of_the_best_at_least(chains, budget):
    found, most = check(chains, budget)
    assert found >= most / 2 - 1e-9
    left_out = max((g for c in chains for g, _ in c), default=0)
    assert found >= most - max(left_out, 0) - 1e-9


@settings(max_examples=400)
@given(st.lists(several, max_size=4), budgets)
def test_chains_gain_half_of_the_best_at_least(chains, budget):
    found, most = check(chains, budget)
    assert found >= most / 2 - 1e-9


@settings(max_examples=200)
@given(st.lists(st.lists(gains, max_size=4), max_size=4), st.integers(0, 12))
def test_equal_costs_and_falling_gains_are_the_best(chains, budget):
    falling = [[(gain, 1.0) for gain in sorted(c, reverse=True)] for c in chains]
    found, most = check(falling, budget)
    assert found == pytest.approx(most)


def test_without_end_all_that_gains_is_done():
    chains = [[(-0.25, 1), (1, 1)], [(0.5, 1), (-1, 1)], [(-1, 1), (0.5, 1)]]
    chain, gain, cost = flat(chains)
    # Steps 0 and 1 gain 0.75 together, 0.375 each; step 2 gains 0.5.
    assert within_budget(chain, gain, cost, np.inf).tolist() == [2, 0, 1]


def test_what_only_pays_together_is_taken_together():
    chain, gain, cost = flat([[(0.25, 1), (1, 1)], [(0.5, 1)]])
    assert within_budget(chain, gain, cost, 2).tolist() == [0, 1]
    # With one step left the first of two still beats nothing, but not the single one.
    assert within_budget(chain, gain, cost, 1).tolist() == [2]
    assert within_budget(chain, gain, cost, 3).tolist() == [0, 1, 2]
    assert within_budget(chain[:2], gain[:2], cost[:2], 1).tolist() == [0]


def test_one_large_gain_beats_a_small_one_of_better_ratio():
    # By ratio the first is taken, 0.2 in 1 minute, and then 1.0 in 10 does not fit.
    chain, gain, cost = flat([[(0.2, 1)], [(1.0, 10)]])
    assert within_budget(chain, gain, cost, 10).tolist() == [1]
    assert within_budget(chain, gain, cost, 11).tolist() == [0, 1]


def test_ties_go_to_the_first_chain_and_costs_may_be_nothing():
    chain, gain, cost = flat([[(0.1 + 0.2, 1)], [(0.3, 1)], [(0.3, 1)]])
    assert within_budget(chain, gain, cost, 2).tolist() == [0, 1]
    chain, gain, cost = flat([[(0.2, 1), (0.1, 0), (0.0, 0)]])
    assert within_budget(chain, gain, cost, 1).tolist() == [0, 1]
    assert len(within_budget(chain[:0], gain[:0], cost[:0], 1)) == 0


@settings(max_examples=100)
@given(st.lists(several, max_size=4))
def test_parts_of_chains_fall_and_none_could_be_cut_better(chains):
    chain, gain, cost = flat(chains)
    block = _blocks(chain, gain, cost)
    n = int(block.max(initial=-1)) + 1
    worth, price = (np.bincount(block, x, n) for x in (gain, cost))
    for k in range(n):
        own = np.flatnonzero(block == k)
        assert len(set(chain[own].tolist())) == 1
        # No beginning of a part has a higher ratio than the part.
        begin = np.cumsum(gain[own]) / np.cumsum(cost[own])
        assert (begin <= worth[k] / price[k] + 1e-8).all()
        if k and chain[own[0]] == chain[own[0] - 1]:
            assert worth[k] / price[k] <= worth[k - 1] / price[k - 1] + 1e-8
