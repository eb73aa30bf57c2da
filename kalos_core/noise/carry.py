"""Shapes that go along with their boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from ..arrays import AnyArray, FloatArray
from ..geometry import Boxes, Keypoints, Polygons

Movable = Boxes | Polygons | Keypoints
"""What the generator can move; masks and volumes lie on the cells of a grid."""

Combinable = Boxes | Polygons
"""What can be split and combined: half of a skeleton is none."""


def carried(shapes: Movable, bounds: FloatArray) -> Movable:
    """Return shapes stretched from their boxes to (N, 4) new ones, cut to the image.

    Joints outside of the image are set to its edge: a joint cannot be cut.
    """
    if isinstance(shapes, Boxes):
        return boxes_within(bounds)
    if isinstance(shapes, Keypoints):
        n_joints = shapes.xy.shape[1]
        owner = np.repeat(np.arange(len(shapes)), n_joints)
        xy = _stretched(shapes.xy.reshape(-1, 2), shapes.bounds()[owner], bounds[owner])
        return Keypoints(xy.clip(0, 1).reshape(-1, n_joints, 2), shapes.visible)
    points, owner = shapely.get_coordinates(shapes.shapes, return_index=True)
    points = _stretched(points, shapes.bounds()[owner], bounds[owner])
    return polygons_within(shapely.set_coordinates(shapes.shapes.copy(), points))


def united(one: Combinable, other: Combinable) -> Combinable:
    """Return shapes of both: the box around boxes, outlines as parts of one polygon."""
    if isinstance(one, Polygons) and isinstance(other, Polygons):
        return polygons_within(shapely.union(one.shapes, other.shapes))
    a, b = one.bounds(), other.bounds()
    low, high = np.minimum(a, b)[:, :2], np.maximum(a, b)[:, 2:]
    return boxes_within(np.hstack([low, high]))


def joined(parts: Sequence[Movable]) -> Movable:
    """Return the shapes of all parts, of which there is one at least."""

    def column(name: str) -> AnyArray:
        return np.concatenate([getattr(part, name) for part in parts])

    if isinstance(parts[0], Boxes):
        return Boxes(column("xywh"))
    if isinstance(parts[0], Keypoints):
        return Keypoints(column("xy"), column("visible"))
    return Polygons(column("shapes"), repaired=True)


def boxes_within(bounds: FloatArray) -> Boxes:
    """Return boxes from left, top, right and bottom, cut to the image."""
    low, high = np.split(bounds.clip(0, 1), 2, axis=1)
    return Boxes(np.hstack([low, high - low]))


def polygons_within(shapes: AnyArray) -> Polygons:
    """Return polygons cut to the image.

    Of a bent one only the empty part of its box may lie in the image. It becomes that
    part, so that no shape is lost.
    """
    bounds = shapely.bounds(shapes).reshape(-1, 4)
    beyond = np.flatnonzero((bounds != bounds.clip(0, 1)).any(axis=1))
    if len(beyond):
        cut = shapely.intersection(shapes[beyond], shapely.box(0, 0, 1, 1))
        cut = shapely.buffer(cut, 0)  # without lines and points on the edge
        # What is cut may leave the image by its last bit.
        shapes[beyond] = shapely.transform(cut, lambda points: points.clip(0, 1))
    polygons = Polygons(shapes)
    gone = np.flatnonzero(~(polygons.area() > 0))
    if len(gone):
        kept = polygons.shapes.copy()
        kept[gone] = shapely.normalize(shapely.box(*bounds[gone].clip(0, 1).T))
        polygons = Polygons(kept, repaired=True)
    return polygons


def _stretched(xy: FloatArray, old: FloatArray, new: FloatArray) -> FloatArray:
    """Return points (M, 2) where they come to lie if their old boxes become new."""
    side = old[:, 2:] - old[:, :2]
    flat = ~(side > 0)  # a single joint, or none, lies in the middle
    part = np.where(flat, 0.5, (xy - old[:, :2]) / np.where(flat, 1, side))
    return new[:, :2] + part * (new[:, 2:] - new[:, :2])
