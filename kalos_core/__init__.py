"""KαLOS without a framework: Krippendorff's alpha after localization first."""

from .agreement import compute_agreement
from .alpha import nominal_alpha
from .annotations import Annotations
from .calibration import (
    Calibration,
    CalibrationBootstrap,
    SizeStratum,
    advise,
    bootstrap_calibration,
    calibrate,
    calibrate_by_size,
    customary_tau,
    rank_distances,
)
from .costs import COSTS
from .diagnostics import Diagnosis, diagnose
from .distances import DISTANCES, overlapping, register_distance
from .errors import (
    AnnotationError,
    CalibrationError,
    KalosError,
    KalosWarning,
    SolverError,
)
from .estimates import Estimates
from .geometry import Boxes, Features, Keypoints, Masks, Polygons, Volumes
from .interpretation import interpret
from .intervals import Interval
from .measured import MeasuredPairs, measure_pairs
from .methods import METHODS, method
from .model import (
    NO_OBJECT,
    STATUSES,
    UNASSIGNED,
    Agreement,
    CandidatePairs,
    Configuration,
    ReliabilityMatrix,
)
from .readers import read_coco, read_coco_per_rater, read_lidc, read_yolo
from .solvers import SOLVERS

__all__ = [
    "COSTS",
    "DISTANCES",
    "METHODS",
    "NO_OBJECT",
    "SOLVERS",
    "STATUSES",
    "UNASSIGNED",
    "Agreement",
    "AnnotationError",
    "Annotations",
    "Boxes",
    "Calibration",
    "CalibrationBootstrap",
    "CalibrationError",
    "CandidatePairs",
    "Configuration",
    "Diagnosis",
    "Estimates",
    "Features",
    "Interval",
    "KalosError",
    "KalosWarning",
    "Keypoints",
    "Masks",
    "MeasuredPairs",
    "Polygons",
    "ReliabilityMatrix",
    "SizeStratum",
    "SolverError",
    "Volumes",
    "advise",
    "bootstrap_calibration",
    "calibrate",
    "calibrate_by_size",
    "compute_agreement",
    "customary_tau",
    "diagnose",
    "interpret",
    "measure_pairs",
    "method",
    "nominal_alpha",
    "overlapping",
    "rank_distances",
    "read_coco",
    "read_coco_per_rater",
    "read_lidc",
    "read_yolo",
    "register_distance",
]
