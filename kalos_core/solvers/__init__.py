"""Correspondence solvers S: from candidate pairs to units (paper, Step 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
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
    cost, limit = psi(pairs.d_loc, pairs.d_cls), float(psi(configuration.tau, 0))
    stands_for = solver(annotations, pairs, cost, limit)
    return _numbered(annotations, stands_for, configuration.solver)


def solve_within(
    annotations: Annotations,
    pairs: CandidatePairs,
    configuration: Configuration,
    taus: Sequence[float],
) -> Iterator[IntArray]:
    """Yield the same for each tau (rising), from the pairs within the largest."""
    within = [is_within(pairs.d_loc, tau) for tau in taus]
    if len(taus) > 1 and SOLVERS[configuration.solver] is greedy:
        cost = COSTS[configuration.psi](pairs.d_loc, pairs.d_cls)
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
