"""Who is simulated: how noisy each rater is, and who shares a convention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray, as_array
from ..checks import at_least_one
from ..errors import KalosError


@dataclass(frozen=True, eq=False, slots=True)
class Cohort:
    """R raters to simulate.

    Parameters
    ----------
    magnitude : (R,) how noisy each rater is.
    group : (R,) ascending; raters of one number share a convention.
    convention : how noisy conventions are; None if there are none.
    """

    magnitude: FloatArray
    group: IntArray
    convention: float | None

    @classmethod
    def of(
        cls,
        n_raters: int,
        magnitude: float | Sequence[float],
        groups: Sequence[int] | None,
        convention: float,
    ) -> Cohort:
        """Return the raters that the arguments of ``simulate_raters`` ask for."""
        at_least_one("n_raters", n_raters)
        magnitudes = _magnitudes("magnitude", magnitude, n_raters)
        if groups is None:
            return cls(magnitudes, np.arange(n_raters), None)
        for size in groups:
            at_least_one("the size of a group", size)
        if sum(groups) != n_raters:
            raise KalosError(
                f"groups must add up to {n_raters} raters, got {list(groups)}, which "
                f"is {sum(groups)}"
            )
        shared = float(_magnitudes("convention", convention, 1)[0])
        return cls(magnitudes, np.repeat(np.arange(len(groups)), groups), shared)

    def __len__(self) -> int:
        return len(self.group)

    @property
    def names(self) -> tuple[str, ...]:
        """R names, which sort as the raters do."""
        width = len(str(len(self)))
        return tuple(f"rater_{n:0{width}}" for n in range(1, len(self) + 1))


def _magnitudes(name: str, magnitude: float | Sequence[float], n: int) -> FloatArray:
    """Return (n,) magnitudes from one for all or one for each."""
    given = as_array(magnitude, np.float64, name)
    right = given.shape in ((), (n,)) and np.isfinite(given).all()
    if not right or (given < 0).any():
        raise KalosError(
            f"{name} must be a number of at least 0, or {n} of them, got {magnitude}"
        )
    return np.broadcast_to(given, n)
