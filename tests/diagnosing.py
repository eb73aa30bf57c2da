"""Diagnostics of raters, from annotations in one step."""

import numpy as np

from kalos_core import Configuration, compute_agreement
from kalos_core.class_sums import PerClass, class_sums
from kalos_core.diagnostics import class_difficulty, collaboration, intra, vitality
from kalos_core.diagnostics.schools import schools
from kalos_core.rematch import rematch
from kalos_core.resampling import Resampling


def resampling(made, n_boot=100):
    return Resampling(made.assigned.sum(axis=1) >= 2, n_boot, seed=0)


def find_vitality(made, configuration=None, n_boot=60):
    configuration, per_class = configuration or Configuration(), PerClass()
    agreement = compute_agreement(made, configuration)
    chosen = vitality.problems(made, configuration)
    [sums] = rematch(made, configuration, [chosen], [per_class])
    whole = class_sums(agreement.reliability)
    return vitality.vitality(
        made, agreement, whole, chosen, per_class.of(sums), resampling(made, n_boot)
    )


def find_difficulty(made, configuration):
    whole = class_sums(compute_agreement(made, configuration).reliability)
    return class_difficulty.difficulty_of_classes(
        whole, len(made.classes), resampling(made)
    )


def collaborate(made, configuration=None):
    """Return problems, sums and the collaboration."""
    configuration = configuration or Configuration()
    chosen = collaboration.problems(made, configuration)
    [sums] = rematch(made, configuration, [chosen])
    found = collaboration.collaboration(chosen, sums, resampling(made))
    return chosen, sums, found


def find_schools(made, seed=0):
    rng = np.random.default_rng(seed)
    return schools(made, *collaborate(made), resampling(made, 200), rng)


def find_intra(made, configuration=None):
    configuration = configuration or Configuration()
    chosen = intra.problems(made, configuration)
    sums = rematch(made, configuration, chosen)
    return intra.intra(made, chosen, sums, resampling(made))
