"""KαLOS from annotations to agreement: composition only."""

from __future__ import annotations

import numpy as np

from .alpha import coincidences
from .annotations import Annotations
from .arrays import IntArray
from .checks import check_type
from .costs import COSTS
from .distances import DISTANCES
from .measured import MeasuredPairs, pairs_between
from .model import COMPUTED, EMPTY_AGREED, UNDEFINED, UNIFORM, Agreement, Configuration
from .progress import Progress
from .reliability import reliability_matrix
from .solvers import SOLVERS, solve

CHUNK = 100_000
"""Annotations matched at a time, in whole images, which bounds the memory."""


def compute_agreement(
    annotations: Annotations,
    configuration: Configuration,
    progress: Progress | None = None,
    measured: MeasuredPairs | None = None,
) -> Agreement:
    """Match the annotations into units and return alpha per image and overall.

    Parameters
    ----------
    progress : called with the number of annotations that are matched, and of all.
    measured : pairs from ``measure_pairs``, where they are at hand.
    """
    check_type("annotations", annotations, Annotations)
    unit_of = match(annotations, configuration, progress, measured)
    reliability = reliability_matrix(annotations, unit_of)
    n_images = annotations.n_images
    sums = coincidences(reliability.values, reliability.image_of, n_images)
    alpha, uniform = sums.alpha()
    everything, _ = sums.summed(np.zeros(n_images, dtype=np.int64), 1).alpha()
    empty = np.ones(n_images, dtype=bool)
    empty[annotations.image] = False
    defined = ~np.isnan(alpha)
    return Agreement(
        alpha=alpha,
        status=np.select(
            [~defined, empty, uniform], [UNDEFINED, EMPTY_AGREED, UNIFORM], COMPUTED
        ),
        mean_alpha=float(alpha[defined].mean()) if defined.any() else float("nan"),
        global_alpha=float(everything[0]),
        reliability=reliability,
        configuration=configuration,
    )


def match(
    annotations: Annotations,
    configuration: Configuration,
    progress: Progress | None = None,
    measured: MeasuredPairs | None = None,
) -> IntArray:
    """Return (N,) the unit of each annotation, a chunk of images after the other."""
    check_names(configuration)
    d_loc, tau = configuration.d_loc, configuration.tau
    unit_of = np.zeros(len(annotations), dtype=np.int64)
    n_units = 0
    for start, stop in annotations.chunks(CHUNK):
        pairs = pairs_between(annotations, start, stop, d_loc, tau, measured)
        units = solve(annotations.between(start, stop), pairs, configuration)
        unit_of[start:stop] = units + n_units
        n_units += int(units.max(initial=-1)) + 1
        if progress is not None:
            progress(stop, len(annotations))
    return unit_of


def check_names(configuration: Configuration) -> None:
    """Raise a `KalosError` for a name that no registry has, before any work."""
    check_type("configuration", configuration, Configuration)
    DISTANCES[configuration.d_loc]
    SOLVERS[configuration.solver]
    COSTS[configuration.psi]
