"""What is counted of each rater's errors while they are made."""

from __future__ import annotations

import numpy as np

from ..arrays import IntArray
from .candidates import STAGES, Candidates
from .drawn import Drawn


class Tally:
    """Errors of R raters of N annotations, as ``Simulated`` reports them.

    Attributes
    ----------
    n_attempted, n_lost : (R, 4) errors of each stage.
    n_unpaired : (R,) labels that were to be combined and had no likely partner.
    combining : (R, N) annotations that were to be combined.
    """

    def __init__(self, n_raters: int, origin: IntArray) -> None:
        """Begin with none; ``origin`` (N,) is where annotations belong."""
        self.origin = origin
        self.n_attempted = np.zeros((n_raters, len(STAGES)), dtype=np.int64)
        self.n_lost = np.zeros_like(self.n_attempted)
        self.n_unpaired = np.zeros(n_raters, dtype=np.int64)
        self.combining = np.zeros((n_raters, len(origin)), dtype=bool)

    def add(self, rater: int, drawn: Drawn, left: Candidates) -> None:
        """Count one rater's errors of labels."""
        self.n_attempted[rater] += left.n_attempted
        self.n_lost[rater] += left.n_lost
        self.n_unpaired[rater] += left.n_unpaired
        self.add_convention(rater, drawn, left)

    def add_convention(self, rater: int, drawn: Drawn, left: Candidates) -> None:
        """Note what a rater combines, be it only by a shared convention."""
        behind = drawn.references(np.flatnonzero(left.combining))
        self.combining[rater, self.origin[behind]] = True
