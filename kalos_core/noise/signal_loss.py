"""How many errors are lost since another one came before, by magnitude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, freeze
from ..progress import Progress
from .candidates import STAGES
from .generator import simulate_raters
from .parameters import NoiseParameters
from .simulated import part_lost

PAPER = {0.25: 0.002, 0.5: 0.013, 1.0: 0.042, 2.0: 0.101, 5.0: 0.283}
"""The paper's table of signal loss, of LVIS."""


@dataclass(frozen=True, eq=False, slots=True)
class SignalLoss:
    """The paper's table of signal loss, for other data.

    Parameters
    ----------
    magnitude : (M,) magnitudes.
    n_attempted, n_lost : (M, 4) errors of each of ``STAGES``.
    """

    magnitude: FloatArray
    n_attempted: IntArray
    n_lost: IntArray

    def __post_init__(self) -> None:
        freeze(self, "magnitude", np.float64, None)
        for name in ("n_attempted", "n_lost"):
            freeze(self, name, np.int64, len(self.magnitude), len(STAGES))

    @property
    def total(self) -> FloatArray:
        """(M,) the part of errors that is lost."""
        return part_lost(self.n_attempted.sum(axis=1), self.n_lost.sum(axis=1))

    @property
    def by_stage(self) -> FloatArray:
        """(M, 4) the part of each stage's errors that is lost."""
        return part_lost(self.n_attempted, self.n_lost)

    @property
    def paper(self) -> FloatArray:
        """(M,) what the paper reports of LVIS; nan for other magnitudes."""
        return np.array([PAPER.get(m, np.nan) for m in self.magnitude.tolist()])

    def __str__(self) -> str:
        rows = {"signal loss": self.total, "paper (LVIS)": self.paper}
        rows |= dict(zip(STAGES, self.by_stage.T, strict=True))
        lines = [f"{'magnitude':<14}" + "".join(f"{m:>8g}" for m in self.magnitude)]
        for name, parts in rows.items():
            lines.append(f"{name:<14}" + "".join(map(_percent, parts.tolist())))
        return "\n".join(lines)


def _percent(part: float) -> str:
    return f"{'-' if isnan(part) else f'{part:.1%}':>8}"


def signal_loss(
    reference: Annotations,
    parameters: NoiseParameters | None = None,
    *,
    magnitudes: Sequence[float] = tuple(PAPER),
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> SignalLoss:
    """Return how much signal is lost at each magnitude, from one rater each."""
    made = simulate_raters(
        reference,
        parameters,
        n_raters=len(magnitudes),
        magnitude=magnitudes,
        rng=rng,
        progress=progress,
    )
    return SignalLoss(made.magnitude, made.n_attempted, made.n_lost)
