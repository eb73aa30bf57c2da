"""Boxes, polygons and keypoints of COCO annotations, relative to their images."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..checks import shown
from ..geometry import Boxes, Keypoints, Polygons, Shapes
from ..geometry.keypoints import VISIBILITIES
from ..registry import Registry
from .table import Table


def _boxes(table: Table, size: FloatArray) -> Shapes:
    boxes = table.lists("bbox")
    for row, box in enumerate(boxes):
        if len(box) != 4:
            raise table.error(
                row, f"must have a bbox of x, y, width and height, got {shown(box)}"
            )
    xywh = table.finite(boxes, range(len(boxes)), "a bbox").reshape(-1, 4)
    return Boxes(xywh / np.tile(size, 2))


def _polygons(table: Table, size: FloatArray) -> Shapes:
    for row, entry in enumerate(table.entry):
        if isinstance(entry.get("segmentation"), dict):
            raise table.error(
                row,
                "has a mask (RLE) as segmentation, and masks are not read from COCO "
                "yet; convert it to polygons, or read shapes='boxes'",
            )
    parts, owner = [], []
    for row, polygon in enumerate(table.lists("segmentation")):
        if not polygon:
            raise table.error(row, "must have a polygon, got no part")
        for part in polygon:
            if not isinstance(part, list) or len(part) < 6 or len(part) % 2:
                raise table.error(
                    row,
                    "must have polygons [x1, y1, x2, y2, x3, y3, ...] of at least "
                    f"three points, got {_length(part)}{shown(part)}",
                )
            parts.append(part)
            owner.append(row)
    pixels = table.finite(parts, owner, "polygons").reshape(-1, 2)
    lengths = np.array([len(part) for part in parts], dtype=np.int64) // 2
    points = pixels / size[np.repeat(np.array(owner, dtype=np.int64), lengths)]
    rings = np.split(points, np.cumsum(lengths)[:-1]) if parts else []
    return Polygons.from_rings(rings, owner, len(table))


def _length(part: object) -> str:
    return f"{len(part)} coordinates: " if isinstance(part, list) else ""


def _keypoints(table: Table, size: FloatArray) -> Shapes:
    lists = table.lists("keypoints")
    length = len(lists[0]) if lists else 0
    for row, values in enumerate(lists):
        if not values or len(values) % 3:
            raise table.error(
                row,
                f"must have keypoints x, y, v of each joint, got {len(values)} numbers",
            )
        if len(values) != length:
            first, image = table.annotation_id[0], table.images[table.image[0]]
            raise table.error(
                row,
                "must have keypoints x, y, v of as many joints as the first "
                f"annotation ({length} numbers), got {len(values)} numbers; the first "
                f"is {first!r} (image {image!r})",
            )
    xyv = table.finite(lists, range(len(lists)), "keypoints")
    xyv = xyv.reshape(len(lists), -1, 3) if lists else xyv.reshape(0, 0, 3)
    seen = xyv[:, :, 2]
    wrong = ~np.isin(seen, VISIBILITIES)
    if wrong.any():
        row, joint = np.argwhere(wrong)[0].tolist()
        raise table.error(
            row,
            "must have keypoints with a visibility v of 0, 1 or 2, got "
            f"{seen[row, joint]:g} for joint {joint}",
        )
    return Keypoints(xyv[:, :, :2] / size[:, None], seen > 0)


SHAPES = Registry("shapes", boxes=_boxes, polygons=_polygons, keypoints=_keypoints)
