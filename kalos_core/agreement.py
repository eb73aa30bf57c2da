"""KαLOS from annotations to agreement: composition only."""

from __future__ import annotations

import numpy as np

from .alpha import nominal_alpha
from .model import (
    COMPUTED,
    EMPTY_AGREED,
    UNDEFINED,
    UNIFORM,
    Agreement,
    Annotations,
    Configuration,
)
from .pairs import candidate_pairs
from .reliability import reliability_matrix
from .solvers import solve


def compute_agreement(
    annotations: Annotations, configuration: Configuration
) -> Agreement:
    """Match the annotations into units and return alpha per image and overall."""
    pairs = candidate_pairs(annotations, configuration.d_loc, configuration.tau)
    unit_of = solve(annotations, pairs, configuration)
    reliability = reliability_matrix(annotations, unit_of)
    values, image_of = reliability.values, reliability.image_of
    n_images = annotations.n_images
    alpha, uniform = nominal_alpha(values, image_of, n_images)
    everything, _ = nominal_alpha(values, np.zeros_like(image_of), 1)
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
