"""The panels of @kalos/audit."""

from .agreement import AgreementPanel
from .classes import ClassesPanel
from .localization import LocalizationPanel
from .raters import RatersPanel

PANELS = (AgreementPanel, ClassesPanel, LocalizationPanel, RatersPanel)
