"""Where annotations lie: flat arrays of shapes, one class per kind of shape."""

from .boxes import Boxes
from .crops import Crops
from .features import Features
from .keypoints import Keypoints
from .masks import Masks
from .polygons import Polygons
from .shapes import Shapes
from .volumes import Volumes

Regions = Boxes | Polygons | Crops
"""Shapes that cover something, so that two of them can share a part of it."""

__all__ = [
    "Boxes",
    "Features",
    "Keypoints",
    "Masks",
    "Polygons",
    "Regions",
    "Shapes",
    "Volumes",
]
