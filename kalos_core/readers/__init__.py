"""Files of annotations by several raters, in the formats of the reference."""

from .coco import read_coco
from .lidc import read_lidc
from .yolo import read_yolo

__all__ = ["read_coco", "read_lidc", "read_yolo"]
