"""Answers from the reliability matrix: who and what disagrees (paper, Step 3)."""

from .column_comparison import Differences, compare_columns
from .comparison import Comparison, compare
from .diagnose import Diagnosis, diagnose
from .kinds import UnitKinds, unit_kinds
from .per_image import PerImage, classes_per_image, kinds_per_image, raters_per_image
from .queue import Queue, relabel_queue

__all__ = [
    "Comparison",
    "Diagnosis",
    "Differences",
    "PerImage",
    "Queue",
    "UnitKinds",
    "classes_per_image",
    "compare",
    "compare_columns",
    "diagnose",
    "kinds_per_image",
    "raters_per_image",
    "relabel_queue",
    "unit_kinds",
]
