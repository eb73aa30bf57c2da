"""Where annotations lie: flat arrays of shapes, one class per kind of shape."""

from .boxes import Boxes
from .keypoints import Keypoints
from .masks import Masks
from .polygons import Polygons
from .shapes import Shapes
from .volumes import Volumes

__all__ = ["Boxes", "Keypoints", "Masks", "Polygons", "Shapes", "Volumes"]
