"""The panels of @kalos/audit."""

from .agreement import AgreementPanel
from .classes import ClassesPanel
from .inspector import InspectorPanel
from .localization import LocalizationPanel
from .raters import RatersPanel
from .what_if import WhatIfPanel

PANELS = (
    AgreementPanel,
    ClassesPanel,
    InspectorPanel,
    LocalizationPanel,
    RatersPanel,
    WhatIfPanel,
)
