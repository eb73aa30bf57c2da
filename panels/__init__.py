"""The panels of @kalos/audit."""

from .agreement import AgreementPanel
from .what_if import WhatIfPanel

PANELS = (AgreementPanel, WhatIfPanel)
