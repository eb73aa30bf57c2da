"""The full diagnosis: all that follows from the reliability matrix, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alpha import coincidences
from ..annotations import Annotations
from ..checks import at_least_one, check_generator, check_type
from ..class_sums import PerClass, class_sums
from ..errors import KalosError
from ..estimates import Estimates, estimate_both
from ..measured import MeasuredPairs
from ..model import Agreement, Configuration
from ..plain import AsJson
from ..progress import Progress
from ..rematch import per_problem, rematch
from ..resampling import Resampling
from . import budget as budgets
from . import collaboration as collaborations
from . import intra as intras
from . import sensitivity as sensitivities
from . import vitality as vitalities
from .budget import Budget
from .class_difficulty import ClassDifficulty, difficulty_of_classes
from .collaboration import Collaboration
from .confusion import Confusion, class_confusion
from .distribution import (
    AlphaDistribution,
    WorstImages,
    alpha_distribution,
    worst_images,
)
from .intra import Intra
from .kinds import KindCounts, UnitKinds, count_kinds, unit_kinds
from .looseness import Looseness, looseness
from .schools import Schools, schools
from .sensitivity import Sensitivity
from .vitality import Vitality

N_BOOT = 1000
"""Rounds of the bootstrap over images."""


@dataclass(frozen=True, eq=False, slots=True)
class Diagnosis(AsJson):
    """Answers from a reliability matrix; each is described where it is made.

    Numbers come as `Estimates`: value, 95 % interval, and the number of images behind.

    Parameters
    ----------
    configuration : what was diagnosed.
    raters, classes : names that indices stand for.
    mean_alpha, global_alpha : of the data set, one number each.
    seed : of the bootstrap.
    n_boot : its rounds.
    """

    configuration: Configuration
    raters: tuple[str, ...]
    classes: tuple[str, ...]
    mean_alpha: Estimates
    global_alpha: Estimates
    distribution: AlphaDistribution
    worst: WorstImages
    kinds: UnitKinds
    kind_counts: KindCounts
    vitality: Vitality
    collaboration: Collaboration
    schools: Schools
    looseness: Looseness
    difficulty: ClassDifficulty
    confusion: Confusion
    sensitivity: Sensitivity
    intra: Intra
    budget: Budget
    seed: int
    n_boot: int


def diagnose(
    annotations: Annotations,
    configuration: Configuration,
    agreement: Agreement,
    *,
    rng: np.random.Generator,
    n_boot: int = N_BOOT,
    progress: Progress | None = None,
    measured: MeasuredPairs | None = None,
) -> Diagnosis:
    """Return who and what disagrees, where, and how surely that can be told.

    Parameters
    ----------
    agreement : of the annotations with that configuration.
    rng : draws the seed of the bootstrap, subsets of raters and relabellings.
    n_boot : rounds of the bootstrap. Of fewer than about 100 the ends of the intervals
        are single rounds, and too narrow.
    progress : called with the number of problems that are matched, and of all.
    measured : pairs from ``measure_pairs``, where they are at hand.
    """
    check_type("annotations", annotations, Annotations)
    check_type("agreement", agreement, Agreement)
    check_generator(rng)
    if agreement.configuration != configuration:
        raise KalosError(
            f"the agreement was computed with {agreement.configuration}, and the "
            f"diagnosis is asked for {configuration}; compute it with that first"
        )
    at_least_one("n_boot", n_boot)
    _check_same(annotations, agreement)
    reliability = agreement.reliability
    several = annotations.assigned.sum(axis=1) >= 2
    seed = int(rng.integers(2**32))
    resampling = Resampling(several, n_boot, seed, annotations.images)
    left_out = vitalities.problems(annotations, configuration)
    in_pairs = collaborations.problems(annotations, configuration)
    at_taus = sensitivities.problems(annotations, configuration)
    subsets = budgets.problems(annotations, configuration, rng)
    in_sessions = intras.problems(annotations, configuration)
    n_images = annotations.n_images
    known = coincidences(reliability.values, reliability.image_of, n_images)
    by_class, matched = PerClass(), collaborations.among_others(annotations, in_pairs)
    without, some_pairs, fewer, *others = rematch(
        annotations,
        configuration,
        [left_out, in_pairs.where(matched), subsets, at_taus, *in_sessions],
        [by_class, *[per_problem] * (3 + len(in_sessions))],
        progress,
        known,
        measured,
    )
    whole, lacking = class_sums(reliability), by_class.of(without)
    pairs = collaborations.with_left_out(some_pairs, matched, left_out, lacking)
    together = collaborations.collaboration(in_pairs, pairs, resampling)
    kinds = unit_kinds(annotations, agreement)
    images = np.arange(n_images)
    mean_alpha, global_alpha = (
        (together.mean, together.overall)  # two raters are one pair
        if annotations.n_raters == 2
        else estimate_both(resampling, known, images, np.zeros_like(images), 1)
    )
    return Diagnosis(
        configuration=configuration,
        raters=annotations.raters,
        classes=annotations.classes,
        mean_alpha=mean_alpha,
        global_alpha=global_alpha,
        distribution=alpha_distribution(agreement, resampling),
        worst=worst_images(agreement, kinds),
        kinds=kinds,
        kind_counts=count_kinds(kinds, reliability, resampling),
        vitality=vitalities.vitality(
            annotations, agreement, whole, left_out, lacking, resampling
        ),
        collaboration=together,
        schools=schools(annotations, in_pairs, pairs, together, resampling, rng),
        looseness=looseness(annotations, agreement, resampling),
        difficulty=difficulty_of_classes(whole, len(annotations.classes), resampling),
        confusion=class_confusion(reliability, len(annotations.classes)),
        sensitivity=sensitivities.sensitivity(
            configuration, known, others[: len(at_taus.taus)], resampling
        ),
        intra=intras.intra(
            annotations, in_sessions, others[len(at_taus.taus) :], resampling
        ),
        budget=budgets.budget(subsets, fewer, resampling),
        seed=seed,
        n_boot=n_boot,
    )


def _check_same(annotations: Annotations, agreement: Agreement) -> None:
    """Raise where the agreement is that of other annotations."""
    reliability = agreement.reliability
    theirs = len(agreement.alpha), len(reliability.values), len(reliability.unit_of)
    ours = annotations.n_images, annotations.n_raters, len(annotations)
    if theirs != ours:
        raise KalosError(
            "the agreement must be that of the annotations, which have (images, "
            f"raters, labels) {ours}; got one of {theirs}"
        )
    unit = reliability.unit_of
    said = reliability.values[annotations.rater, unit]
    other = (said != annotations.label) | (
        reliability.image_of[unit] != annotations.image
    )
    if other.any():
        k = int(other.argmax())
        annotations.refuse(
            other,
            f"has class {annotations.classes[annotations.label[k]]!r}, of which the "
            "agreement says something else: it must be that of the annotations",
        )
