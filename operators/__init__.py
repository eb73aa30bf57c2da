"""The operators of @kalos/audit."""

from .compute_agreement import ComputeAgreement
from .delete_run import DeleteRun
from .import_annotations import ImportAnnotations
from .load_demo import LoadDemo

OPERATORS = (ComputeAgreement, DeleteRun, ImportAnnotations, LoadDemo)
