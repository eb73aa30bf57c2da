"""What labels can be read as: which labels, which of their columns, which shapes."""

from collections.abc import Callable
from dataclasses import dataclass

import fiftyone as fo

from ...kalos_core import Boxes, Keypoints, Masks, Polygons
from ...kalos_core.registry import Registry
from .boxes import boxes
from .grids import METADATA
from .keypoints import keypoints
from .masks import masks
from .polygons import polygons


@dataclass(frozen=True)
class Reading:
    """One way to read labels.

    ``label_list`` is the class of a field's label lists, ``attributes`` are what is
    read of each label and ``of_samples`` of each sample. ``shapes`` turns these
    columns into the geometry, of class ``geometry``.
    """

    label_list: type
    attributes: tuple[str, ...]
    geometry: type
    shapes: Callable
    of_samples: tuple[str, ...] = ()


READINGS = Registry(
    "shapes",
    boxes=Reading(fo.Detections, ("bounding_box",), Boxes, boxes),
    masks=Reading(
        fo.Detections, ("bounding_box", "mask", "mask_path"), Masks, masks, METADATA
    ),
    polygons=Reading(fo.Polylines, ("points", "closed", "filled"), Polygons, polygons),
    keypoints=Reading(fo.Keypoints, ("points",), Keypoints, keypoints),
)
