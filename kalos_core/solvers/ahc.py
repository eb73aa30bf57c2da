"""Agglomerative clustering with complete linkage (an earlier method)."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..model import CandidatePairs
from .components import complete, components

APART = 100.0
"""Distance of annotations that must not be joined."""


def ahc(
    annotations: Annotations, pairs: CandidatePairs, cost: FloatArray, limit: float
) -> IntArray:
    """Return (N,) for each annotation the first annotation of its unit.

    Clusters are joined up to ``limit``, so that every two annotations of a unit are a
    candidate pair. As in the reference, with psi_soft that is the cost of a pair of
    one class, and pairs of two classes are never joined.
    """
    unit_of = np.arange(len(annotations))
    near = cost <= limit
    kept = CandidatePairs(
        pairs.k[near], pairs.l[near], pairs.d_loc[near], pairs.d_cls[near]
    )
    for members, costs in components(annotations, kept, cost[near]):
        if complete(members, costs):
            unit_of[members] = members[0]  # all are within the limit of each other
            continue
        place = {annotation: n for n, annotation in enumerate(members.tolist())}
        lowest = min(costs.values())
        apart = np.full((len(members), len(members)), APART)
        for (k, l), value in costs.items():
            apart[place[k], place[l]] = value - lowest
        tree = linkage(apart[np.triu_indices(len(members), 1)], method="complete")
        cluster = fcluster(tree, limit - lowest, criterion="distance")
        _, first = np.unique(cluster, return_index=True)
        unit_of[members] = members[first[cluster - 1]]
    return unit_of
