"""What the raters of the demo drew in each of its scenes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .raters import RATERS, Annotation, annotate, assigned_raters, is_empty
from .scenes import lay_out, truth

N_SCENES = 160
SEED = 0


def drawn(index: int) -> Iterator[tuple[str, list[Annotation]]]:
    """Yield each assigned rater of a scene with the labels that the rater drew."""
    scene = truth(lay_out(index, empty=is_empty(index), seed=SEED))
    assigned = assigned_raters(index, N_SCENES)
    for number, rater in enumerate(RATERS):
        if rater.name in assigned:
            rng = np.random.default_rng([SEED, index, number, 2])
            yield rater.name, annotate(*scene, rater, rng)
