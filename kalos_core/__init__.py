"""KαLOS without a framework: Krippendorff's alpha after localization first."""

from .agreement import compute_agreement
from .alpha import nominal_alpha
from .costs import COSTS
from .distances import DISTANCES, register_distance
from .errors import AnnotationError, CalibrationError, KalosError, SolverError
from .geometry import Boxes, Keypoints, Masks, Polygons, Volumes
from .interpretation import interpret
from .model import (
    NO_OBJECT,
    STATUSES,
    UNASSIGNED,
    Agreement,
    Annotations,
    CandidatePairs,
    Configuration,
    ReliabilityMatrix,
)
from .solvers import SOLVERS

__all__ = [
    "COSTS",
    "DISTANCES",
    "NO_OBJECT",
    "SOLVERS",
    "STATUSES",
    "UNASSIGNED",
    "Agreement",
    "AnnotationError",
    "Annotations",
    "Boxes",
    "CalibrationError",
    "CandidatePairs",
    "Configuration",
    "KalosError",
    "Keypoints",
    "Masks",
    "Polygons",
    "ReliabilityMatrix",
    "SolverError",
    "Volumes",
    "compute_agreement",
    "interpret",
    "nominal_alpha",
    "register_distance",
]
