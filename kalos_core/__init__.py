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
from .consensus import Consensus, consensus
from .costs import COSTS
from .diagnostics import (
    Comparison,
    Diagnosis,
    Differences,
    PerImage,
    Queue,
    UnitKinds,
    classes_per_image,
    compare,
    compare_columns,
    diagnose,
    kinds_per_image,
    raters_per_image,
    relabel_queue,
    unit_kinds,
)
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
from .rater_weights import rater_weights
from .readers import read_coco, read_coco_per_rater, read_lidc, read_yolo
from .reference_layout import reference_results
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
    "Comparison",
    "Configuration",
    "Consensus",
    "Diagnosis",
    "Differences",
    "Estimates",
    "Features",
    "Interval",
    "KalosError",
    "KalosWarning",
    "Keypoints",
    "Masks",
    "MeasuredPairs",
    "PerImage",
    "Polygons",
    "Queue",
    "ReliabilityMatrix",
    "SizeStratum",
    "SolverError",
    "UnitKinds",
    "Volumes",
    "advise",
    "bootstrap_calibration",
    "calibrate",
    "calibrate_by_size",
    "classes_per_image",
    "compare",
    "compare_columns",
    "compute_agreement",
    "consensus",
    "customary_tau",
    "diagnose",
    "interpret",
    "kinds_per_image",
    "measure_pairs",
    "method",
    "nominal_alpha",
    "overlapping",
    "rank_distances",
    "rater_weights",
    "raters_per_image",
    "read_coco",
    "read_coco_per_rater",
    "read_lidc",
    "read_yolo",
    "reference_results",
    "register_distance",
    "relabel_queue",
    "unit_kinds",
]
