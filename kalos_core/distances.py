"""Localization distances d_loc (paper, problem formulation and applications)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from .arrays import BoolArray, FloatArray, IntArray
from .errors import KalosError
from .geometry import Boxes, Keypoints, Masks, Polygons, Regions, Shapes, Volumes
from .geometry.crops import Crops
from .registry import Registry

Measure = Callable[[Any, IntArray, IntArray], FloatArray]
"""(shapes, k, l) to (P,) distances between shapes k and l: from 0 to 1, symmetric, 0
for equal shapes, nan where undefined."""

Window = Callable[[Any, float], "FloatArray | None"]
"""(shapes, tau) to (N, 4) boxes such that two shapes within tau have boxes that touch;
None where any two shapes may be that near."""


@dataclass(frozen=True)
class Distance:
    """A measure, the shapes that it measures, and where near ones can lie.

    ``bound`` returns distances that are never too large and quickly found; what they
    rule out is not measured. ``relative`` distances are parts of the image's size, and
    make no sense of pixels.
    """

    measure: Measure
    shapes: type
    window: Window
    bound: Measure | None = None
    relative: bool = False


DISTANCES: Registry[Distance] = Registry("distance")


def anywhere(shapes: Shapes, tau: float) -> FloatArray | None:
    """Return no windows: shapes within tau may lie anywhere."""
    return None


def overlapping(below: float) -> Window:
    """Return windows for distances that reach ``below`` only where shapes overlap."""
    return lambda shapes, tau: shapes.bounds() if tau < below else None


def register_distance(
    name: str,
    shapes: type,
    window: Window = anywhere,
    bound: Measure | None = None,
    *,
    relative: bool = False,
) -> Callable[[Measure], Measure]:
    """Add a distance to ``DISTANCES`` under ``name``, as a decorator.

    Parameters
    ----------
    name : what configurations call it.
    shapes : the class of the shapes that it measures.
    window : (shapes, tau) to boxes outside of which nothing is within tau; without it
        all pairs of an image are measured. ``overlapping(below=1)`` is that of
        distances that are 1 where shapes do not touch.
    bound : a quick distance that is never larger.
    relative : whether coordinates must be relative to the image.

    Examples
    --------
    >>> @register_distance("box_width", Boxes)
    ... def box_width(boxes, k, l):
    ...     return np.abs(boxes.xywh[k, 2] - boxes.xywh[l, 2])
    >>> del DISTANCES["box_width"]
    """
    if not isinstance(name, str) or not isinstance(shapes, type):
        raise KalosError(
            "a distance needs a name and the class of its shapes, such as "
            f"register_distance('mine', Boxes), got {name!r} and {shapes!r}"
        )
    if not callable(window) or not (bound is None or callable(bound)):
        raise KalosError(
            f"window and bound of distance {name!r} must be functions, got "
            f"{window!r} and {bound!r}; leave out what there is none of"
        )
    if name in DISTANCES:
        raise KalosError(f"there is a distance {name!r} already; choose another name")

    def add(measure: Measure) -> Measure:
        DISTANCES[name] = Distance(measure, shapes, window, bound, relative)
        return measure

    return add


def _parts(
    shapes: Regions, k: IntArray, l: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (P,) what shapes ``k`` and ``l`` share, and the extent of both."""
    extent = shapes.extent()
    return shapes.overlap(k, l), extent[k], extent[l]


def _one_minus_iou(
    overlap: FloatArray, one: FloatArray, other: FloatArray
) -> FloatArray:
    """Return 1 - IoU, with the union as A + B - I; rounding may exceed 1."""
    iou: FloatArray = np.minimum(overlap / (one + other - overlap), 1)
    return 1 - iou


def _one_minus_giou(
    overlap: FloatArray, union: FloatArray, hull: FloatArray
) -> FloatArray:
    """Return 1 - (1 + GIoU) / 2; rounding may leave [-1, 1]."""
    giou: FloatArray = overlap / union - (hull - union) / hull
    return 1 - (1 + giou.clip(-1, 1)) / 2


@register_distance("box_iou", Boxes, overlapping(below=1))
def box_iou(boxes: Boxes, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - IoU of boxes.

    Examples
    --------
    >>> boxes = Boxes([[0, 0, 0.5, 0.5], [0.25, 0, 0.5, 0.5]])
    >>> box_iou(boxes, np.array([0]), np.array([1])).round(4)
    array([0.6667])
    """
    return _one_minus_iou(*_parts(boxes, k, l))


def _giou_window(boxes: Boxes, tau: float) -> FloatArray | None:
    """Return boxes, from tau 0.5 on widened by what the box around two may exceed them.

    That box is as high as the higher one, and its area at most (A + B) / (2 - 2 tau);
    so it is at most (w_k + w_l) / (2 - 2 tau) wide, and likewise high.
    """
    if tau >= 1:
        return None
    reach = boxes.xywh[:, 2:] * max(1 / (2 - 2 * tau) - 1, 0)
    low, high = np.split(boxes.bounds(), 2, axis=1)
    return np.hstack([low - reach, high + reach])


@register_distance("box_giou", Boxes, _giou_window)
def box_giou(boxes: Boxes, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - (1 + GIoU) / 2 of boxes, with the smallest box around both."""
    overlap, one, other = _parts(boxes, k, l)
    left, top, right, bottom = boxes.corners
    around = np.maximum(right[k], right[l]) - np.minimum(left[k], left[l])
    around *= np.maximum(bottom[k], bottom[l]) - np.minimum(top[k], top[l])
    return _one_minus_giou(overlap, one + other - overlap, around)


def _polygon_bound(polygons: Polygons, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - IoU as if all that can overlap did: by areas and by bounds."""
    area = polygons.area()
    return _one_minus_iou(polygons.most_overlap(k, l), area[k], area[l])


def _polygon_giou_bound(polygons: Polygons, k: IntArray, l: IntArray) -> FloatArray:
    """Return half of that: GIoU is at most IoU."""
    return _polygon_bound(polygons, k, l) / 2


@register_distance("polygon_iou", Polygons, overlapping(below=1), _polygon_bound)
def polygon_iou(polygons: Polygons, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - IoU of polygons."""
    return _one_minus_iou(*_parts(polygons, k, l))


def _polygon_giou_window(polygons: Polygons, tau: float) -> FloatArray | None:
    """Return bounds, beyond tau 0.5 widened by 1 / (1 - tau) times their size.

    Of two polygons that lie side by side, the hull holds the trapezium between their
    highest chords, h_k and h_l, and its area is at most (A + B) / (2 - 2 tau); so the
    gap is at most (A + B) / (h_k + h_l) / (1 - tau), and A is at most w_k h_k.
    """
    if tau >= 1:
        return None
    low, high = np.split(polygons.bounds(), 2, axis=1)
    reach = (high - low) / (1 - tau) if tau > 0.5 else 0
    return np.hstack([low - reach, high + reach])


@register_distance("polygon_giou", Polygons, _polygon_giou_window, _polygon_giou_bound)
def polygon_giou(polygons: Polygons, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - (1 + GIoU) / 2 of polygons, with the convex hull of both.

    By this definition of the paper a concave polygon is not at distance 0 of itself.
    """
    k, l = polygons.in_order(k, l)
    overlap, one, other = _parts(polygons, k, l)
    used, place = np.unique(np.stack([k, l]), return_inverse=True)
    both = shapely.convex_hull(polygons.shapes[used])[place.reshape(2, -1)]
    hull = shapely.area(shapely.convex_hull(shapely.geometrycollections(both.T)))
    return _one_minus_giou(overlap, one + other - overlap, hull)


def _crop_iou(crops: Crops, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - IoU of cells."""
    return _one_minus_iou(*_parts(crops, k, l))


register_distance("mask_iou", Masks, overlapping(below=1))(_crop_iou)
register_distance("volume_iou", Volumes, overlapping(below=1))(_crop_iou)


def _centre_window(centres: Callable[[Any], FloatArray]) -> Window:
    """Return windows around centres that may be tau * sqrt(2) apart."""

    def window(shapes: Shapes, tau: float) -> FloatArray:
        centre, reach = centres(shapes), tau * np.sqrt(2) / 2
        return np.hstack([centre - reach, centre + reach])

    return window


def _centroid_l2(centre: FloatArray, k: IntArray, l: IntArray) -> FloatArray:
    """Return distances of centres relative to the diagonal of the image."""
    apart: FloatArray = np.hypot(*(centre[k] - centre[l]).T) / np.sqrt(2)
    return apart.clip(0, 1)


def _box_centres(boxes: Boxes) -> FloatArray:
    return boxes.xywh[:, :2] + boxes.xywh[:, 2:] / 2


def _polygon_centres(polygons: Polygons) -> FloatArray:
    centres: FloatArray = shapely.get_coordinates(shapely.centroid(polygons.shapes))
    return centres


@register_distance(
    "box_centroid_l2", Boxes, _centre_window(_box_centres), relative=True
)
def box_centroid_l2(boxes: Boxes, k: IntArray, l: IntArray) -> FloatArray:
    """Return the distance of the centres of boxes, relative to the diagonal."""
    return _centroid_l2(_box_centres(boxes), k, l)


@register_distance(
    "polygon_centroid_l2", Polygons, _centre_window(_polygon_centres), relative=True
)
def polygon_centroid_l2(polygons: Polygons, k: IntArray, l: IntArray) -> FloatArray:
    """Return the distance of the centroids of polygons, relative to the diagonal."""
    return _centroid_l2(_polygon_centres(polygons), k, l)


def _joint_window(keypoints: Keypoints, reach: FloatArray) -> FloatArray:
    """Return windows such that joints within both reaches lie in windows that touch.

    A mean of joints is within tau only if one joint is, and both drew that joint.
    Annotations without a joint touch all, so that two of them are found and refused.
    """
    bounds = keypoints.bounds()
    blind = np.isinf(bounds[:, 0])
    reach = np.where(blind, 0, reach)[:, None]
    low, high = np.split(bounds, 2, axis=1)
    low, high = low - reach, high + reach
    if blind.any():
        low[blind] = low[~blind].min(axis=0, initial=0)
        high[blind] = high[~blind].max(axis=0, initial=0)
    return np.hstack([low, high])


def _mpjpe_window(keypoints: Keypoints, tau: float) -> FloatArray | None:
    reach = np.full(len(keypoints), tau * np.sqrt(2) / 2)
    return _joint_window(keypoints, reach) if tau < 1 else None


@register_distance("keypoint_mpjpe", Keypoints, _mpjpe_window, relative=True)
def keypoint_mpjpe(keypoints: Keypoints, k: IntArray, l: IntArray) -> FloatArray:
    """Return the image-normalised mean error per joint, N-MPJPE.

    Distances are relative to the diagonal of the image. A joint that only one of the
    two drew costs 1, one that neither drew is left out; nan where none is left.
    (The paper prints 1 - N-MPJPE, which is its similarity.)
    """
    error, drawn = np.zeros(len(k)), np.zeros(len(k))
    for one, other, squared in _joints(keypoints, k, l):
        error += np.where(one & other, np.sqrt(squared / 2), one ^ other)
        drawn += one | other
    with np.errstate(invalid="ignore"):
        mean: FloatArray = error / drawn
    return mean.clip(0, 1)


def _joints(
    keypoints: Keypoints, k: IntArray, l: IntArray
) -> Iterator[tuple[BoolArray, BoolArray, FloatArray]]:
    """Yield (P,) who drew the joint and the squared distance, joint by joint."""
    for visible, (x, y) in zip(*keypoints.joints, strict=True):
        yield visible[k], visible[l], (x[k] - x[l]) ** 2 + (y[k] - y[l]) ** 2


OKS_SIGMA = 0.1
"""Falloff of a joint; COCO's lie between 0.025 (eyes) and 0.107 (hips)."""


def _oks_scale(keypoints: Keypoints) -> FloatArray:
    """Return (N,) s^2 (2 sigma)^2, what squared distances are compared with."""
    left, top, right, bottom = keypoints.bounds().T
    with np.errstate(invalid="ignore"):  # no joint at all
        squared = (right - left) ** 2 + (bottom - top) ** 2
        scale: FloatArray = squared / 2 * (2 * OKS_SIGMA) ** 2
    return scale


def _oks_window(keypoints: Keypoints, tau: float) -> FloatArray | None:
    """Return windows of sqrt(-2 s^2 ln(1 - tau)), no less in sum for two raters."""
    if tau >= 1:
        return None
    return _joint_window(keypoints, np.sqrt(-_oks_scale(keypoints) * np.log1p(-tau)))


@register_distance("keypoint_oks", Keypoints, _oks_window)
def keypoint_oks(keypoints: Keypoints, k: IntArray, l: IntArray) -> FloatArray:
    """Return 1 - OKS, object keypoint similarity, symmetric in the two raters.

    As in COCO, exp(-d^2 / (2 s^2 (2 sigma)^2)) with one sigma for all joints. Joints
    have no area, so s^2 is half the squared diagonal of the box around them, which is
    its area where it is square, averaged over the two raters. Visibility counts as in
    ``keypoint_mpjpe``.
    """
    scale = _oks_scale(keypoints)
    twice = scale[k] + scale[l]
    similarity, drawn = np.zeros(len(k)), np.zeros(len(k))
    with np.errstate(invalid="ignore", divide="ignore"):
        for one, other, squared in _joints(keypoints, k, l):
            near = np.where(squared == 0, 1, np.exp(-squared / twice))
            similarity += np.where(one & other, near, 0)
            drawn += one | other
        distance: FloatArray = 1 - similarity / drawn
    return distance
