"""Correspondence solvers S: from candidate pairs to units (paper, Step 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..costs import COSTS
from ..errors import SolverError
from ..model import CandidatePairs, Configuration
from ..registry import Registry
from .ahc import ahc
from .greedy import greedy
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
    name = configuration.solver
    solver, psi = SOLVERS[name], COSTS[configuration.psi]
    cost, limit = psi(pairs.d_loc, pairs.d_cls), float(psi(configuration.tau, 0))
    stands_for = solver(annotations, pairs, cost, limit)
    is_first = np.zeros(len(annotations), dtype=bool)
    is_first[stands_for] = True
    unit_of: IntArray = (np.cumsum(is_first) - 1)[stands_for]
    image_of = np.zeros(int(is_first.sum()), dtype=np.int64)
    image_of[unit_of] = annotations.image
    if (image_of[unit_of] != annotations.image).any():
        raise SolverError(f"solver {name!r} joined annotations of two images")
    cell = np.sort(unit_of * annotations.n_raters + annotations.rater)
    if (cell[1:] == cell[:-1]).any():
        raise SolverError(f"solver {name!r} put a rater into one unit twice")
    return unit_of
