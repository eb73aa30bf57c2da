"""The register of what no error has touched yet."""

from __future__ import annotations

import numpy as np

from ..arrays import IntArray
from ..ranges import pairs_in_groups
from .sampling import in_turn

STAGES = ("unmatched", "topology", "category", "localization")
"""The order in which errors are made: existence, topology, class, place."""


class Candidates:
    """Which of n labels are untouched, and how many errors came too late for theirs.

    Every stage chooses among all labels, as if there were no other stage. An error
    whose label is gone by then is lost: the paper's cannibalisation.

    Attributes
    ----------
    free : (n,) True where a label is untouched.
    n_attempted, n_lost : (4,) errors of each stage.
    combining : (n,) True where a label was to be combined with another one.
    n_unpaired : those among them that had no likely partner.
    """

    def __init__(self, n: int) -> None:
        self.free = np.ones(n, dtype=bool)
        self.n_attempted = np.zeros(len(STAGES), dtype=np.int64)
        self.n_lost = np.zeros(len(STAGES), dtype=np.int64)
        self.combining = np.zeros(n, dtype=bool)
        self.n_unpaired = 0

    def claim(self, stage: str, wanted: IntArray) -> IntArray:
        """Return which of different labels (m,) can still be changed; they are gone."""
        return self.claim_all(stage, wanted[:, None])[:, 0]

    def claim_all(self, stage: str, wanted: IntArray) -> IntArray:
        """Return which sets (m, e) of labels are still complete; they are gone.

        Of sets that share a label the first one gets it.
        """
        possible = wanted[self.free[wanted].all(axis=1)]
        owner = np.repeat(np.arange(len(possible)), possible.shape[1])
        shared = [*pairs_in_groups(possible.ravel())] if possible.shape[1] > 1 else []
        granted = np.ones(len(possible), dtype=bool)
        if shared:
            k, l = (owner[np.concatenate(ends)] for ends in zip(*shared, strict=True))
            granted = in_turn(len(possible), k, l)
        taken = possible[granted]
        self.free[taken] = False
        self.count(stage, len(wanted), len(wanted) - len(taken))
        return taken

    def count(self, stage: str, n_attempted: int, n_lost: int = 0) -> None:
        """Count errors of a stage."""
        self.n_attempted[STAGES.index(stage)] += n_attempted
        self.n_lost[STAGES.index(stage)] += n_lost
