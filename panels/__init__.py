"""The panels of @kalos/audit."""

from .agreement import AgreementPanel
from .inspector import InspectorPanel
from .localization import LocalizationPanel

PANELS = (AgreementPanel, InspectorPanel, LocalizationPanel)
