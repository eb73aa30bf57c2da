"""Correspondence solvers S: from candidate pairs to units (paper, Step 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import SolverError
from ..geometry import FloatArray
from ..model import Annotations, CandidatePairs, IntArray
from ..registry import Registry
from .greedy import greedy

Solver = Callable[[Annotations, CandidatePairs, FloatArray], IntArray]
"""(annotations, pairs, cost of each pair) to ``unit_of``, one int per annotation."""

SOLVERS: Registry[Solver] = Registry("solver", greedy=greedy)


def solve(
    solver: str, annotations: Annotations, pairs: CandidatePairs, cost: FloatArray
) -> IntArray:
    """Return ``unit_of`` (N,) of that solver, numbered in canonical order.

    Raises
    ------
    SolverError
        If a unit spans two images or holds two annotations of one rater.
    """
    units, unit_of = np.unique(
        SOLVERS[solver](annotations, pairs, cost), return_inverse=True
    )
    image_of = np.zeros(len(units), dtype=np.int64)
    image_of[unit_of] = annotations.image
    if (image_of[unit_of] != annotations.image).any():
        raise SolverError(f"solver {solver!r} joined annotations of two images")
    cell = unit_of * annotations.n_raters + annotations.rater
    if len(np.unique(cell)) < len(cell):
        raise SolverError(f"solver {solver!r} put a rater into one unit twice")
    return unit_of
