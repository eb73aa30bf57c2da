"""Annotations as FiftyOne stores labels.

Documents are filled into one that FiftyOne made. Constructing a label object for each
annotation and serializing it takes ten times as long.
"""

import fiftyone as fo
import fiftyone.core.utils as fou
import numpy as np
import shapely
from bson import ObjectId

from ..kalos_core import Boxes, KalosError, Keypoints, Masks, Polygons


class LabelDocuments:
    """The labels of annotations, one at a time.

    ``container`` is the FiftyOne type of the field, ``root`` its list of labels.

    Parameters
    ----------
    more : further attributes: kind, description and the values of all annotations, by
        name.
    kept : what to store, by number, in place of the shapes of some annotations.
    """

    def __init__(self, annotations, rater_attribute=None, more=None, kept=None):
        self._rater_attribute, self._more = rater_attribute, more or {}
        self._kept = kept or {}
        self._rater = [annotations.raters[n] for n in annotations.rater.tolist()]
        self._class = [annotations.classes[n] for n in annotations.label.tolist()]
        self.container, label, self._shape = as_labels(annotations.geometry)
        self.root = self.container._LABEL_LIST_FIELD
        self._empty = self.container().to_dict()
        self._template = label.to_dict()
        if rater_attribute in (*label.field_names, *self._more):
            raise KalosError(
                f"'{rater_attribute}' is an attribute of every {type(label).__name__} "
                "here; choose another one for the rater."
            )

    def declared(self, field):
        """Return path, kind and description of the further attributes of a field."""
        return [
            (f"{field}.{self.root}.{name}", kind, words)
            for name, (kind, words, _) in self._more.items()
        ]

    def collect(self, numbers):
        """Return one field's value with the annotations of these numbers."""
        return {**self._empty, self.root: [self._label(n) for n in numbers]}

    def _label(self, n):
        label = {
            **self._template,
            "_id": ObjectId(),
            "label": self._class[n],
            **(self._kept[n] if n in self._kept else self._shape(n)),
            **{name: values[n] for name, (_, _, values) in self._more.items()},
        }
        if self._rater_attribute:
            label[self._rater_attribute] = self._rater[n]
        return label


def as_labels(geometry):
    """Return container, example of a label, and a function for the n-th shape."""
    if isinstance(geometry, Boxes):
        return fo.Detections, fo.Detection(), _box(geometry)
    if isinstance(geometry, Masks):
        return fo.Detections, fo.Detection(), _mask(geometry)
    if isinstance(geometry, Polygons):
        return fo.Polylines, fo.Polyline(closed=True, filled=True), _polygon(geometry)
    if isinstance(geometry, Keypoints):
        return fo.Keypoints, fo.Keypoint(), _joints(geometry)
    raise KalosError(f"{type(geometry).__name__} cannot be labels of single images.")


def _box(boxes):
    xywh = boxes.xywh.tolist()
    return lambda n: {"bounding_box": xywh[n]}


def _mask(masks):
    corner, size = masks.corner / masks.grid, masks.sizes() / masks.grid
    xywh = np.hstack([corner[:, ::-1], size[:, ::-1]]).tolist()

    def shape(n):
        mask = fou.serialize_numpy_array(masks.crops[n])
        return {"bounding_box": xywh[n], "mask": mask}

    return shape


def _polygon(polygons):
    parts, owner = _outlines(polygons.shapes)
    points, ring = shapely.get_coordinates(
        shapely.get_exterior_ring(parts), return_index=True
    )
    first = np.searchsorted(ring, np.arange(len(parts) + 1)).tolist()
    first_part = np.searchsorted(owner, np.arange(len(polygons) + 1)).tolist()
    points = points.tolist()

    def shape(n):
        own = range(first_part[n], first_part[n + 1])
        # The last point of a ring is its first one.
        return {"points": [points[first[p] : first[p + 1] - 1] for p in own]}

    return shape


def _outlines(shapes):
    """Return polygons without holes that cover the shapes, and whose part each is.

    FiftyOne fills every list of points, so a hole is cut open along its middle.
    """
    parts, owner = shapely.get_parts(shapes, return_index=True)
    areas = shapely.get_dimensions(parts) == 2  # repairing may leave lines, too
    parts, owner = parts[areas], owner[areas]
    pierced = shapely.get_num_interior_rings(parts) > 0
    if not pierced.any():
        return parts, owner
    halves, half_of = _outlines([h for part in parts[pierced] for h in _halves(part)])
    parts = np.concatenate([parts[~pierced], halves])
    owner = np.concatenate([owner[~pierced], owner[pierced][half_of // 2]])
    order = np.argsort(owner, kind="stable")
    return parts[order], owner[order]


def _halves(polygon):
    """Return what lies left and right of the middle of a polygon's first hole."""
    middle = shapely.Polygon(polygon.interiors[0]).centroid.x
    left, top, right, bottom = polygon.bounds
    return [
        shapely.intersection(polygon, shapely.box(start, top, end, bottom))
        for start, end in ((left, middle), (middle, right))
    ]


def _joints(keypoints):
    points = np.where(keypoints.visible[..., None], keypoints.xy, np.nan).tolist()
    return lambda n: {"points": points[n]}
