"""The operators of @kalos/audit."""

from .build_relabel_queue import BuildRelabelQueue
from .calibrate import Calibrate
from .compare_runs import CompareRuns
from .compute_agreement import ComputeAgreement
from .create_consensus import CreateConsensus
from .delete_run import DeleteRun
from .export_results import ExportResults
from .fit_noise import FitNoise
from .import_annotations import ImportAnnotations
from .load_demo import LoadDemo
from .open_audit import OpenAudit
from .show_disagreement import ShowDisagreement
from .simulate_raters import SimulateRaters
from .stop_run import StopRun

OPERATORS = (
    BuildRelabelQueue,
    Calibrate,
    CompareRuns,
    ComputeAgreement,
    CreateConsensus,
    DeleteRun,
    ExportResults,
    FitNoise,
    ImportAnnotations,
    LoadDemo,
    OpenAudit,
    ShowDisagreement,
    SimulateRaters,
    StopRun,
)
