"""What the noise generator can look at: how classes and images look to models."""

from .clip import class_similarity
from .similarity import ClassSimilarity, read_similarity, write_similarity

__all__ = [
    "ClassSimilarity",
    "class_similarity",
    "read_similarity",
    "write_similarity",
]
