"""What the noise generator can look at: how classes and images look to models."""

from .clip import class_similarity
from .owl import owl_proposals
from .proposals import FoundBoxes, boxes_of_coco, boxes_of_field
from .similarity import ClassSimilarity, read_similarity, write_similarity

__all__ = [
    "ClassSimilarity",
    "FoundBoxes",
    "boxes_of_coco",
    "boxes_of_field",
    "class_similarity",
    "owl_proposals",
    "read_similarity",
    "write_similarity",
]
