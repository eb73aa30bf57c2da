"""What was fitted, what was not and why: a table to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arrays import FloatArray
from ..plain import plain
from .fitting.estimate import Estimate, Fit, Outcome
from .parameters import NoiseParameters

FELL_BACK = "fell back to the defaults because "


@dataclass(frozen=True, slots=True)
class Row:
    """A component of the generator, and what the data say about it.

    Parameters
    ----------
    component : "group.name", as in the parameters.
    model : the law.
    estimates : its numbers with intervals; none where it fell back.
    n : observations behind it.
    tests : what tests of the law gave.
    verdict : what that means, or why the defaults are used.
    fitted : whether the numbers come from the data.
    """

    component: str
    model: str
    estimates: tuple[Estimate, ...]
    n: float
    tests: tuple[Outcome, ...]
    verdict: str
    fitted: bool = True

    @classmethod
    def of(cls, component: str, fit: Fit[Any]) -> Row:
        """Return the row of a fit."""
        return cls(component, fit.model, fit.estimates, fit.n, fit.tests, fit.verdict)

    @classmethod
    def default(cls, component: str, reason: str, n: float) -> Row:
        """Return the row of what could not be fitted."""
        return cls(component, "default", (), n, (), FELL_BACK + reason, fitted=False)

    def __str__(self) -> str:
        lines = [f"{self.component}: {self.model}, n = {self.n:g}; {self.verdict}"]
        lines += [f"    {estimate}" for estimate in self.estimates]
        lines += [f"    {outcome}" for outcome in self.tests]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, slots=True)
class NoiseFit:
    """Parameters of the noise generator for one data set, and where they come from.

    Parameters
    ----------
    parameters : fitted, or the defaults where the data have too little.
    table : a row for each component.
    transition : (C, C) which class a mistaken one becomes.
    classes : names of the classes.
    """

    parameters: NoiseParameters
    table: tuple[Row, ...]
    transition: FloatArray
    classes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return plain values; ``NoiseParameters.from_json`` reads the parameters."""
        values: dict[str, Any] = plain(self)
        return values

    def __str__(self) -> str:
        return "\n".join(map(str, self.table))
