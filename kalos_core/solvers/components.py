"""Groups of annotations that candidate pairs connect; no unit crosses them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..model import CandidatePairs


def component_of(n: int, k: IntArray, l: IntArray) -> IntArray:
    """Return (n,) a number for the component of each annotation, by pairs (P,)."""
    graph = coo_array((np.ones(len(k), np.int8), (k, l)), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    numbers: IntArray = component.astype(np.int64)
    return numbers


def components(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray
) -> Iterator[tuple[IntArray, dict[tuple[int, int], float]]]:
    """Yield the annotations of each component, ascending, and the costs of its pairs.

    Annotations without a pair are units of their own and are left out.
    """
    component = component_of(len(annotations), pairs.k, pairs.l)
    of_pair = component[pairs.k]
    by_component = np.argsort(of_pair, kind="stable")
    members = np.argsort(component, kind="stable")
    numbers = np.unique(of_pair)
    pair_ends = _borders(of_pair[by_component], numbers)
    member_ends = _borders(component[members], numbers)
    k, l = pairs.k[by_component].tolist(), pairs.l[by_component].tolist()
    values = cost[by_component].tolist()
    for (start, stop), (first, last) in zip(pair_ends, member_ends, strict=True):
        keys = zip(k[start:stop], l[start:stop], strict=True)
        yield members[first:last], dict(zip(keys, values[start:stop], strict=True))


def complete(members: IntArray, costs: dict[tuple[int, int], float]) -> bool:
    """Return whether every two members are a pair; no rater is then there twice."""
    return len(costs) == len(members) * (len(members) - 1) // 2


def by_rater(annotations: Annotations, members: IntArray) -> dict[int, list[int]]:
    """Return the members of each rater, raters in their order."""
    own: dict[int, list[int]] = {}
    raters = annotations.rater[members].tolist()
    for annotation, rater in zip(members.tolist(), raters, strict=True):
        own.setdefault(rater, []).append(annotation)
    return own


def _borders(column: IntArray, numbers: IntArray) -> list[tuple[int, int]]:
    """Return start and end of each number in a sorted column."""
    starts = np.searchsorted(column, numbers).tolist()
    ends = np.searchsorted(column, numbers, side="right").tolist()
    return list(zip(starts, ends, strict=True))
