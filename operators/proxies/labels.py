"""The labels of one field, whoever drew them."""

import fiftyone as fo

from ...kalos_core import KalosError
from ..fields import read_annotations
from ..layouts import FieldPerRater
from ..schema import KINDS, label_fields, label_list
from ..views import check_media

SHAPES = {fo.Detections: "boxes", fo.Polylines: "polygons", fo.Keypoints: "keypoints"}
"""What to read; of a mask its box is enough here."""


def read_labels(view, label_field):
    """Return the `Annotations` of a field; images are named by sample id.

    Raises
    ------
    KalosError
        If there is no such field of labels, or a label is unusable.
    """
    check_media(view)
    held = label_list(view, label_field)
    if held is None:
        known = ", ".join(label_fields(view)) or "none"
        raise KalosError(
            f"There is no field '{label_field}' of {KINDS}. Fields with labels: {known}"
        )
    return read_annotations(view, FieldPerRater((label_field,)), SHAPES[held])
