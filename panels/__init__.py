"""The panels of @kalos/audit."""

from .agreement import AgreementPanel

PANELS = (AgreementPanel,)
