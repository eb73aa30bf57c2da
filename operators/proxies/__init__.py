"""What the noise generator can look at: how classes and images look to models."""

from .chosen import CLIP, CLIP_MODEL, CLIP_WEIGHTS, similarity_of
from .clip import class_similarity
from .owl import owl_proposals
from .proposals import FoundBoxes, boxes_of_coco, boxes_of_field
from .similarity import ClassSimilarity, read_similarity, write_similarity

__all__ = [
    "CLIP",
    "CLIP_MODEL",
    "CLIP_WEIGHTS",
    "ClassSimilarity",
    "FoundBoxes",
    "boxes_of_coco",
    "boxes_of_field",
    "class_similarity",
    "owl_proposals",
    "read_similarity",
    "similarity_of",
    "write_similarity",
]
