"""Multi-graph matching through pylibmgm, the authors' library."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from threading import Lock
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..errors import SolverError
from ..model import CandidatePairs
from .components import by_rater, complete, components

N_STARTS = 3
"""Raters that the heuristic begins with; it adds one after the other, either way."""

_ALONE = Lock()

Costs = dict[tuple[int, int], float]


def mgm(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray, limit: float
) -> IntArray:
    """Return (N,) for each annotation the first annotation of its unit.

    All raters are matched at once under cycle consistency by the heuristic of Kahl
    et al. (2025). The reference starts it from a random order of raters, so that two
    runs may differ; here a few fixed orders are tried and the cheapest result wins.
    """
    unit_of = np.arange(len(annotations))
    with _library_alone():
        for members, costs in components(annotations, pairs, cost):
            if complete(members, costs) and max(costs.values()) < 0:
                unit_of[members] = members[0]  # every pair gains: one unit is cheapest
                continue
            nodes = list(by_rater(annotations, members).values())
            for first, *others in _cheapest(nodes, costs):
                unit_of[others] = first
    return unit_of


@contextmanager
def _library_alone() -> Iterator[None]:
    """Let one thread at a time use the library, which would log each of its steps.

    That took half of its time; and two threads that both log wait for each other
    without end, one for the library's lock and one for Python's.
    """
    _library()  # sets the level when it is imported
    logger = logging.getLogger("libmgm")
    with _ALONE:
        level = logger.level
        logger.setLevel(max(level, logging.WARNING))
        try:
            yield
        finally:
            logger.setLevel(level)


def _cheapest(nodes: list[list[int]], costs: Costs) -> list[list[int]]:
    """Return the cheapest units of ``nodes``, the annotations of each rater."""
    starts = np.linspace(0, len(nodes) - 1, N_STARTS).astype(int).tolist()
    orders = [(nodes[n:] + nodes[:n])[::way] for n in starts for way in (1, -1)]
    different = [order for n, order in enumerate(orders) if order not in orders[:n]]
    found = [_units(order, costs) for order in different]
    return min(found, key=lambda units: _total(units, costs))


def _total(units: list[list[int]], costs: Costs) -> float:
    return sum(costs.get(pair, 0) for unit in units for pair in combinations(unit, 2))


def _units(nodes: list[list[int]], costs: Costs) -> list[list[int]]:
    """Return units of more than one annotation, found in this order of raters."""
    labels = _solve(_model(nodes, costs))
    unit_of = {annotation: annotation for own in nodes for annotation in own}
    for (one, other), matched in sorted(labels.items()):
        for i, j in enumerate(matched):
            if j != -1:
                # By cycle consistency all matches of a unit lead to its first one.
                unit_of[nodes[other][j]] = unit_of[nodes[one][i]]
    units: dict[int, list[int]] = {}
    for annotation in sorted(unit_of):
        units.setdefault(unit_of[annotation], []).append(annotation)
    return [unit for unit in units.values() if len(unit) > 1]


def _model(nodes: list[list[int]], costs: Costs) -> Any:
    """Return the library's model of raters as graphs and pairs as assignments."""
    pylibmgm = _library()
    graphs = [pylibmgm.Graph(n, len(own)) for n, own in enumerate(nodes)]
    model = pylibmgm.MgmModel()
    for one, other in combinations(range(len(nodes)), 2):
        edges = [
            (i, j, costs[min(k, l), max(k, l)])
            for i, k in enumerate(nodes[one])
            for j, l in enumerate(nodes[other])
            if (min(k, l), max(k, l)) in costs
        ]
        pair = pylibmgm.GmModel(graphs[one], graphs[other], len(edges) or 1, 0)
        for i, j, value in edges:
            pair.add_assignment(i, j, value)
        model.add_model(pair)
    return model


def _solve(model: Any) -> dict[tuple[int, int], list[int]]:
    """Return the labelling that ``solve_mgm`` would, from a fixed order of graphs."""
    pylibmgm = _library()
    generator = pylibmgm.SequentialGenerator(model)
    order = generator.init(pylibmgm.MgmGenerator.matching_order.sequential)
    solution = generator.generate()
    search = pylibmgm.GMLocalSearcher(model, order)
    swap = pylibmgm.SwapLocalSearcher(model)
    search.search(solution)
    while swap.search(solution) and search.search(solution):
        pass
    labels: dict[tuple[int, int], list[int]] = solution.labeling()
    return labels


def _library() -> Any:
    try:
        import pylibmgm
    except ImportError as error:
        raise SolverError(
            "solver 'mgm' needs pylibmgm: pip install pylibmgm, or choose another"
        ) from error
    return pylibmgm
