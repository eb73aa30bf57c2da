"""Diagnostics of raters, from annotations in one step."""

from types import SimpleNamespace

import numpy as np

from kalos_core import Configuration, compute_agreement
from kalos_core.alpha import coincidences
from kalos_core.class_sums import PerClass, class_sums
from kalos_core.diagnostics import (
    class_difficulty,
    collaboration,
    intra,
    sensitivity,
    vitality,
)
from kalos_core.diagnostics.schools import schools
from kalos_core.rematch import per_problem, rematch
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


def diagnose_parts(made, configuration, agreement):
    """Return what the reference has too, as ``diagnose`` does, in less time."""
    per_class, rounds = PerClass(), resampling(made, n_boot=0)
    left_out = vitality.problems(made, configuration)
    in_pairs = collaboration.problems(made, configuration)
    at_taus = sensitivity.problems(made, configuration)
    without, pairs, *others = rematch(
        made,
        configuration,
        [left_out, in_pairs, at_taus],
        [per_class, per_problem, per_problem],
    )
    values, image_of = agreement.reliability.values, agreement.reliability.image_of
    known = coincidences(values, image_of, made.n_images)
    whole, lacking = class_sums(agreement.reliability), per_class.of(without)
    return SimpleNamespace(
        vitality=vitality.vitality(made, agreement, whole, left_out, lacking, rounds),
        difficulty=class_difficulty.difficulty_of_classes(
            whole, len(made.classes), rounds
        ),
        collaboration=collaboration.collaboration(in_pairs, pairs, rounds),
        sensitivity=sensitivity.sensitivity(configuration, known, others, rounds),
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
