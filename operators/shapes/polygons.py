"""Polygons of polylines: each part is an area, and parts of a label are united."""

import numpy as np

from ...kalos_core import Polygons
from .points import coordinates

CLOSE_IT = (
    "An open line has no area to compare: set closed=True if it is an outline, or "
    "delete it"
)


def polygons(labels):
    """Return the `Polygons` of labels."""
    rings, owner = [], []
    for n, parts in enumerate(labels.attributes["points"]):
        if not (labels.attributes["closed"][n] or labels.attributes["filled"][n]):
            raise labels.fault(n, f"must be closed or filled. {CLOSE_IT}")
        if not parts:
            raise labels.fault(n, "must have a polygon, got no points. Delete it")
        for part in parts:
            rings.append(_ring(labels, n, part))
            owner.append(n)
    made = Polygons.from_rings(rings, owner, len(labels))
    labels.require_near(_reach(rings, owner, len(labels)), "a polygon", made.describe)
    return made


def _ring(labels, n, part):
    if len(part or ()) < 3:
        raise labels.fault(
            n,
            "must have polygons of at least three points in each part, got "
            f"{len(part or ())} points: {part}. Delete that part, or draw it again",
        )
    return coordinates(labels, n, part)


def _reach(rings, owner, n):
    """Return (N, 1) the coordinate of each polygon that is farthest from 0."""
    reach = np.zeros(n)
    if rings:
        points = np.abs(np.concatenate(rings)).max(axis=1)
        points[~np.isfinite(points)] = 0  # the core says what is wrong with these
        np.maximum.at(reach, np.repeat(owner, [len(ring) for ring in rings]), points)
    return reach[:, None]
