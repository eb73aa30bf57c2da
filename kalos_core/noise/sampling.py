"""Draws of many things at once: races, partners, classes and turns."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..ranges import runs


def race(group: IntArray, weight: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return (n,) members in the order of their groups, heavier ones rather sooner.

    The first m of a group are m members drawn one after the other without putting them
    back, each time by weight (Efraimidis and Spirakis, 2006).

    Parameters
    ----------
    group : (n,) ascending numbers.
    """
    with np.errstate(divide="ignore"):  # without any weight they come last
        finish = rng.standard_exponential(len(group)) / weight
    order: IntArray = np.lexsort((finish, group))
    return order


def leaders(group: IntArray, most: IntArray) -> BoolArray:
    """Return (n,) which are among the first ``most`` (G,) of their ascending groups.

    Examples
    --------
    >>> leaders(np.array([0, 0, 0, 2]), np.array([2, 5, 0])).tolist()
    [True, True, False, False]
    """
    first, _ = runs(group, len(most))
    among: BoolArray = np.arange(len(group)) - first[group] < most[group]
    return among


def in_turn(n: int, k: IntArray, l: IntArray) -> BoolArray:
    """Return (n,) who is served, one after the other, if pairs exclude each other.

    Whoever comes first in all of their pairs is served whatever happens elsewhere; all
    of these at once make a round, and there are few.

    Examples
    --------
    >>> in_turn(4, np.array([0, 2]), np.array([1, 1])).tolist()
    [True, False, True, True]
    """
    served = np.ones(n, dtype=bool)
    first, later = np.minimum(k, l), np.maximum(k, l)
    while len(first):
        waits = np.zeros(n, dtype=bool)
        waits[later] = True
        served[later[~waits[first]]] = False
        open_ = served[first] & served[later]
        first, later = first[open_], later[open_]
    return served


def best_of(
    group: IntArray, log_weight: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Return for each group of (n,) ascending numbers one member, drawn by weight.

    The largest of log weights and Gumbel noise; groups without any weight are left out.
    """
    key = log_weight + rng.gumbel(size=len(group))
    order = np.lexsort((key, group))
    last = np.ones(len(group), dtype=bool)
    last[:-1] = group[1:] != group[:-1]
    best: IntArray = order[last]
    return best[log_weight[best] > -np.inf]
