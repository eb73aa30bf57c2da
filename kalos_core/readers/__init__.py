"""Files of annotations by several raters: the reference's formats, and plain COCO."""

from .coco import read_coco
from .coco_per_rater import read_coco_per_rater
from .lidc import read_lidc
from .yolo import read_yolo

__all__ = ["read_coco", "read_coco_per_rater", "read_lidc", "read_yolo"]
