"""Correspondence solvers S: from candidate pairs to units (paper, Step 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, as_array
from ..costs import COSTS
from ..errors import SolverError
from ..model import CandidatePairs, Configuration
from ..pairs import is_within
from ..ranges import counted
from ..registry import Registry
from .ahc import ahc
from .greedy import greedy, greedy_within
from .mgm import mgm
from .shm import shm

Solver = Callable[[Annotations, CandidatePairs, FloatArray, float], IntArray]
"""(annotations, pairs, cost, limit) to one annotation of each annotation's unit, the
same one for all of them. ``cost`` is that of each pair, ``limit`` what a pair of one
class costs at tau."""

SOLVERS: Registry[Solver] = Registry("solver", greedy=greedy, shm=shm, ahc=ahc, mgm=mgm)


def solve(
    annotations: Annotations, pairs: CandidatePairs, configuration: Configuration
) -> IntArray:
    """Return ``unit_of`` (N,) of that configuration, numbered in canonical order.

    Raises
    ------
    SolverError
        If a unit spans two images or holds two annotations of one rater.
    """
    solver, psi = SOLVERS[configuration.solver], COSTS[configuration.psi]
    cost, limit = _costs(pairs, configuration.psi), float(psi(configuration.tau, 0))
    stands_for = solver(annotations, pairs, cost, limit)
    return _numbered(annotations, stands_for, configuration.solver)


def _costs(pairs: CandidatePairs, name: str) -> FloatArray:
    """Return (P,) what each pair costs, or raise for what is no number."""
    cost = as_array(COSTS[name](pairs.d_loc, pairs.d_cls), np.float64, f"cost {name!r}")
    if cost.shape != pairs.d_loc.shape or not np.isfinite(cost).all():
        raise SolverError(
            f"cost {name!r} must be one finite number for each of {len(pairs)} pairs, "
            f"got shape {cost.shape}"
            + ("" if np.isfinite(cost).all() else " with values that are not finite")
        )
    return cost


def solve_within(
    annotations: Annotations,
    pairs: CandidatePairs,
    configuration: Configuration,
    taus: Sequence[float],
) -> Iterator[IntArray]:
    """Yield the same for each tau (rising), from the pairs within the largest."""
    within = [is_within(pairs.d_loc, tau) for tau in taus]
    if len(taus) > 1 and SOLVERS[configuration.solver] is greedy:
        cost = _costs(pairs, configuration.psi)
        for stands_for in greedy_within(annotations, pairs, cost, within):
            yield _numbered(annotations, stands_for, configuration.solver)
        return
    for tau, near in zip(taus, within, strict=True):
        some = CandidatePairs(
            pairs.k[near], pairs.l[near], pairs.d_loc[near], pairs.d_cls[near]
        )
        yield solve(annotations, some, replace(configuration, tau=tau))


def _numbered(annotations: Annotations, stands_for: IntArray, name: str) -> IntArray:
    """Return units (N,) of a solver, numbered in canonical order and checked."""
    n = len(annotations)
    stands_for = as_array(stands_for, np.int64, f"solver {name!r}")
    if stands_for.shape != (n,) or (
        n and not 0 <= stands_for.min() <= stands_for.max() < n
    ):
        raise SolverError(
            f"solver {name!r} must return the number of an annotation, from 0 to "
            f"{n - 1}, for each of {n}; got shape {stands_for.shape}"
        )
    is_first = np.zeros(len(annotations), dtype=bool)
    is_first[stands_for] = True
    unit_of: IntArray = (np.cumsum(is_first) - 1)[stands_for]
    image_of = np.zeros(int(is_first.sum()), dtype=np.int64)
    image_of[unit_of] = annotations.image
    if (image_of[unit_of] != annotations.image).any():
        raise SolverError(f"solver {name!r} joined annotations of two images")
    cell = unit_of * annotations.n_raters + annotations.rater
    _, count = counted(cell, len(image_of) * annotations.n_raters)
    if (count > 1).any():
        raise SolverError(f"solver {name!r} put a rater into one unit twice")
    return unit_of
