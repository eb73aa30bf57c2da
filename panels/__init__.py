"""The panels of @kalos/audit."""

from .agreement import AgreementPanel
from .localization import LocalizationPanel

PANELS = (AgreementPanel, LocalizationPanel)
