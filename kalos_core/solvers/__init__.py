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
"""(annotations, pairs, cost, limit) to ``unit_of``, one int per annotation. ``cost``
is that of each pair, ``limit`` what a pair of one class costs at tau."""

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
    units, unit_of = np.unique(
        solver(annotations, pairs, cost, limit), return_inverse=True
    )
    image_of = np.zeros(len(units), dtype=np.int64)
    image_of[unit_of] = annotations.image
    if (image_of[unit_of] != annotations.image).any():
        raise SolverError(f"solver {name!r} joined annotations of two images")
    cell = unit_of * annotations.n_raters + annotations.rater
    if len(np.unique(cell)) < len(cell):
        raise SolverError(f"solver {name!r} put a rater into one unit twice")
    return unit_of
