"""The operators of @kalos/audit."""

from .build_relabel_queue import BuildRelabelQueue
from .compute_agreement import ComputeAgreement
from .create_consensus import CreateConsensus
from .delete_run import DeleteRun
from .import_annotations import ImportAnnotations
from .load_demo import LoadDemo
from .show_disagreement import ShowDisagreement
from .stop_run import StopRun

OPERATORS = (
    BuildRelabelQueue,
    ComputeAgreement,
    CreateConsensus,
    DeleteRun,
    ImportAnnotations,
    LoadDemo,
    ShowDisagreement,
    StopRun,
)
