"""Annotations as FiftyOne stores labels.

Documents are filled into one that FiftyOne made. Constructing a label object for each
annotation and serializing it takes ten times as long.
"""

import fiftyone as fo
import numpy as np
import shapely
from bson import ObjectId

from ..kalos_core import Boxes, KalosError, Keypoints, Masks, Polygons


class LabelDocuments:
    """The labels of annotations, one at a time.

    ``container`` is the FiftyOne type of the field, ``root`` its list of labels.
    """

    def __init__(self, annotations, rater_attribute=None):
        self._rater_attribute = rater_attribute
        self._rater = [annotations.raters[n] for n in annotations.rater.tolist()]
        self._class = [annotations.classes[n] for n in annotations.label.tolist()]
        self.container, label, self._shape = as_labels(annotations.geometry)
        self.root = self.container._LABEL_LIST_FIELD
        self._empty = self.container().to_dict()
        self._template = label.to_dict()
        if rater_attribute in label.field_names:
            raise KalosError(
                f"'{rater_attribute}' is an attribute of every {type(label).__name__}; "
                "choose another one for the rater."
            )

    def collect(self, numbers):
        """Return one field's value with the annotations of these numbers."""
        return {**self._empty, self.root: [self._label(n) for n in numbers]}

    def _label(self, n):
        label = {
            **self._template,
            "_id": ObjectId(),
            "label": self._class[n],
            **self._shape(n),
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
        label = fo.Detection(bounding_box=xywh[n], mask=np.array(masks.crops[n]))
        return {"bounding_box": xywh[n], "mask": label.to_dict()["mask"]}

    return shape


def _polygon(polygons):
    return lambda n: {"points": [_points(p) for p in _outlines(polygons.shapes[n])]}


def _points(polygon):
    return shapely.get_coordinates(polygon.exterior)[:-1].tolist()  # it is closed


def _outlines(shape):
    """Return polygons without holes that cover a shape.

    FiftyOne fills every list of points, so a hole is cut open along its middle.
    """
    parts = [p for p in shapely.get_parts(shape) if p.geom_type == "Polygon"]
    whole = [part for part in parts if not len(part.interiors)]
    for part in (part for part in parts if len(part.interiors)):
        middle = shapely.centroid(shapely.Polygon(part.interiors[0])).x
        left, top, right, bottom = part.bounds
        for start, end in ((left, middle), (middle, right)):
            half = shapely.box(start, top, end, bottom)
            whole += _outlines(shapely.intersection(part, half))
    return whole


def _joints(keypoints):
    points = np.where(keypoints.visible[..., None], keypoints.xy, np.nan).tolist()
    return lambda n: {"points": points[n]}
