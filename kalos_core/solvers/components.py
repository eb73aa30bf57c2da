"""Groups of annotations that candidate pairs connect; no unit crosses them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..model import CandidatePairs


def components(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray
) -> Iterator[tuple[IntArray, dict[tuple[int, int], float]]]:
    """Yield the annotations of each component, ascending, and the costs of its pairs.

    Annotations without a pair are units of their own and are left out.
    """
    n = len(annotations)
    graph = coo_array((np.ones(len(pairs), np.int8), (pairs.k, pairs.l)), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    of_pair = component[pairs.k]
    by_component = np.argsort(of_pair, kind="stable")
    members = np.argsort(component, kind="stable")
    for number in np.unique(of_pair).tolist():
        start, stop = np.searchsorted(of_pair[by_component], [number, number + 1])
        first, last = np.searchsorted(component[members], [number, number + 1])
        own = by_component[start:stop]
        k, l = pairs.k[own].tolist(), pairs.l[own].tolist()
        costs = dict(zip(zip(k, l, strict=True), cost[own].tolist(), strict=True))
        yield members[first:last], costs
