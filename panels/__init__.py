"""The panels of @kalos/audit."""

from .agreement import AgreementPanel
from .classes import ClassesPanel
from .inspector import InspectorPanel
from .localization import LocalizationPanel
from .raters import RatersPanel

PANELS = (
    AgreementPanel,
    ClassesPanel,
    InspectorPanel,
    LocalizationPanel,
    RatersPanel,
)
