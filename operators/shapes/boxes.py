"""Bounding boxes of detections."""

import numpy as np

from ...kalos_core import Boxes


def boxes(labels):
    """Return the `Boxes` of labels."""
    column = labels.attributes["bounding_box"]
    try:
        made = Boxes(column)
    except (TypeError, ValueError):
        for n, box in enumerate(column):
            if np.shape(box) != (4,):
                problem = f"must have a box [x, y, w, h], got {box}"
                raise labels.fault(n, problem) from None
        raise
    labels.require_near(made.xywh, "a box", made.describe)
    return made
