"""What to do within a budget: steps of most gain for what they cost."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray, sum_by

ROUNDING = 1e-9
"""Gains, costs and their ratios that differ by less are equal."""


def within_budget(
    chain: IntArray, gain: FloatArray, cost: FloatArray, budget: float
) -> IntArray:
    """Return which steps to do, in that order, so that their gain is large.

    The steps of a chain come one after the other, and those that only pay together
    are taken together: each chain is cut where its gain per cost falls, and the parts
    are taken by gain per cost as long as they fit. Where the one best beginning of a
    chain that fits is worth more than all of that, it comes first instead. The gain is
    at least half of the largest that is possible, and lacks at most that of the first
    part that did not fit; nothing, where all steps cost the same and none gains more
    than the one before it.

    Parameters
    ----------
    chain : (S,) ascending; of equal steps those of the first chain are taken.
    gain, cost : (S,) of each step once those before it in its chain are done. Costs
        are not below 0.
    budget : what all costs together may not exceed.
    """
    plain = _by_ratio(chain, gain, cost, np.arange(len(chain)), budget)
    best = _best_beginning(chain, gain, cost, budget)
    rest = np.setdiff1d(np.arange(len(chain)), best)
    left = budget - float(cost[best].sum())
    other = np.concatenate([best, _by_ratio(chain, gain, cost, rest, left)])
    more = gain[other].sum() > gain[plain].sum() + ROUNDING
    return other if more else plain


def _by_ratio(
    chain: IntArray, gain: FloatArray, cost: FloatArray, left: IntArray, budget: float
) -> IntArray:
    """Return steps among those ``left``, by falling gain per cost."""
    done: list[IntArray] = [left[:0]]
    while True:
        # What is too far down its chain to be reached is not waited for.
        left = left[_along(chain[left], cost[left]) <= budget + ROUNDING]
        block = _blocks(chain[left], gain[left], cost[left])
        n_blocks = int(block.max(initial=-1)) + 1
        worth, price = (sum_by(block, x[left], n_blocks) for x in (gain, cost))
        order = np.lexsort((np.arange(n_blocks), -_rounded(_ratio(worth, price))))
        order = order[worth[order] > ROUNDING]
        spent = np.cumsum(price[order])
        n = int(np.searchsorted(spent, budget + ROUNDING, side="right"))
        if not n:
            return np.concatenate(done)
        place = np.full(n_blocks, n_blocks)
        place[order[:n]] = np.arange(n)
        nth = place[block]
        taken = nth < n
        done.append(left[taken][np.argsort(nth[taken], kind="stable")])
        left = left[~taken]
        budget -= float(spent[n - 1])


def _best_beginning(
    chain: IntArray, gain: FloatArray, cost: FloatArray, budget: float
) -> IntArray:
    """Return the first steps of the one chain that gain most within the budget."""
    reached = _along(chain, cost) <= budget + ROUNDING
    total = np.where(reached, _along(chain, gain), 0)
    if not (total > ROUNDING).any():
        return np.empty(0, np.int64)
    last = int(_rounded(total).argmax())
    first = int(np.searchsorted(chain, chain[last]))
    return np.arange(first, last + 1)


def _along(chain: IntArray, value: FloatArray) -> FloatArray:
    """Return (S,) the sum of the values of a chain up to each step."""
    total = np.cumsum(value)
    first = np.searchsorted(chain, chain)
    along: FloatArray = total - (total - value)[first]
    return along


def _blocks(chain: IntArray, gain: FloatArray, cost: FloatArray) -> IntArray:
    """Return (S,) numbers of parts of chains, in each of which gain per cost falls.

    Two parts in a row of which the second has the higher ratio are one, until there
    are none.

    Examples
    --------
    >>> gain = np.array([0.25, 1.0, 0.1, 0.5])
    >>> _blocks(np.array([0, 0, 0, 1]), gain, np.ones(4)).tolist()
    [0, 0, 1, 2]
    """
    block: IntArray = np.arange(len(chain))
    while len(chain):
        n_blocks = int(block[-1]) + 1
        worth, price = (sum_by(block, x, n_blocks) for x in (gain, cost))
        ratio = _rounded(_ratio(worth, price))
        of = np.empty(n_blocks, dtype=np.int64)
        of[block] = chain
        one = np.zeros(n_blocks, dtype=bool)
        # Rounded as where parts are ordered, so that none overtakes the one before.
        one[1:] = (of[1:] == of[:-1]) & (ratio[1:] > ratio[:-1])
        if not one.any():
            break
        block = (np.cumsum(~one) - 1)[block]
    return block


def _ratio(gain: FloatArray, cost: FloatArray) -> FloatArray:
    """Return gain by cost; without any cost, without end, or 0 for no gain."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: FloatArray = gain / cost
    return np.where(cost > 0, ratio, np.where(gain > ROUNDING, np.inf, 0))


def _rounded(value: FloatArray) -> FloatArray:
    rounded: FloatArray = np.rint(value / ROUNDING)
    return rounded
