"""Results in the layout of the authors' implementation, kalos 0.8.0.

It is that of its ``kalos_checkpoint.json``, from which its plots are drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .alpha import coincidences
from .annotations import Annotations
from .arrays import FloatArray, IntArray
from .class_sums import ALL, PerClass, class_sums
from .diagnostics import collaboration as collaborations
from .diagnostics import vitality as vitalities
from .diagnostics.diagnose import Diagnosis
from .diagnostics.intra import Teams
from .errors import KalosError
from .measured import MeasuredPairs
from .model import Agreement
from .progress import Progress
from .rematch import per_problem, rematch

TASKS = {
    "Boxes": "bbox",
    "Polygons": "segm",
    "Masks": "segm",
    "Volumes": "3D_VIS",
    "Keypoints": "keypoints",
}
"""What the reference calls the task of each kind of shape."""


def reference_results(
    annotations: Annotations,
    agreement: Agreement,
    diagnosis: Diagnosis,
    *,
    progress: Progress | None = None,
    measured: MeasuredPairs | None = None,
) -> dict[str, Any]:
    """Return the results as the reference names and nests them, plain JSON values.

    Lists have one number for each image, in the order of images; as these are not in
    a diagnosis, images are matched again for them. Images go by name, the reference's
    by number. What is undefined is left out, where the reference writes 1 or NaN, and
    a mean or global alpha of nothing is None.

    Parameters
    ----------
    agreement, diagnosis : of these annotations.
    progress : called with the number of problems that are matched, and of all.
    measured : pairs from ``measure_pairs``, where they are at hand.
    """
    if diagnosis.configuration != agreement.configuration or (
        diagnosis.raters != annotations.raters
    ):
        raise KalosError(
            f"the diagnosis is that of {diagnosis.configuration} and raters "
            f"{list(diagnosis.raters)}, the agreement that of "
            f"{agreement.configuration} and {list(annotations.raters)}"
        )
    kind = type(annotations.geometry).__name__
    raters = annotations.raters
    tau_s = _thresholds(np.array([agreement.configuration.tau]))[0]
    return {
        "metadata": {
            "task": TASKS.get(kind, kind),
            "similarity_threshold": tau_s,
            "all_raters": sorted(raters),
        },
        "results": {
            "mean_alpha": _number(agreement.mean_alpha),
            "global_alpha": _number(agreement.global_alpha),
            **_matched_again(annotations, agreement, progress, measured),
            "global_vitalities": _known(raters, diagnosis.vitality.overall.value),
            "global_difficulties": _difficulties(annotations, diagnosis),
            "image_alphas": _known(annotations.images, agreement.alpha),
            "global_collaboration_matrix": _of_pairs(
                raters,
                diagnosis.collaboration.a,
                diagnosis.collaboration.b,
                diagnosis.collaboration.overall.value,
            ),
            "intra_iaa_results": _of_teams(diagnosis.intra.persons),
            "session_iaa_results": {
                name.removeprefix("S"): value
                for name, value in _of_teams(diagnosis.intra.sessions).items()
            },
            **_sensitivity(diagnosis),
        },
    }


def _matched_again(
    annotations: Annotations,
    agreement: Agreement,
    progress: Progress | None,
    measured: MeasuredPairs | None,
) -> dict[str, Any]:
    """Return what has a number for each image: vitality, difficulty, collaboration."""
    configuration, reliability = agreement.configuration, agreement.reliability
    left_out = vitalities.problems(annotations, configuration)
    in_pairs = collaborations.problems(annotations, configuration)
    by_class = PerClass()
    n_images = annotations.n_images
    known = coincidences(reliability.values, reliability.image_of, n_images)
    without, pairs = rematch(
        annotations,
        configuration,
        [left_out, in_pairs],
        [by_class, per_problem],
        progress,
        known,
        measured,
    )
    whole, lacking = class_sums(reliability), by_class.of(without)
    rater, _, less, _ = vitalities.per_image(annotations, whole, left_out, lacking)
    of_all: dict[str, list[float]] = {}
    of_class: dict[str, dict[str, list[float]]] = {}
    for who, label, value in zip(
        rater.tolist(), lacking.label.tolist(), less.tolist(), strict=True
    ):
        if not np.isnan(value):
            own = of_all
            if label != ALL:
                own = of_class.setdefault(annotations.classes[label], {})
            own.setdefault(annotations.raters[who], []).append(value)
    alphas: dict[str, list[float]] = {}
    for label, value in zip(whole.label.tolist(), whole.alpha().tolist(), strict=True):
        if label != ALL and not np.isnan(value):
            alphas.setdefault(annotations.classes[label], []).append(value)
    one, other = collaborations.raters_of(in_pairs)
    return {
        "mean_vitalities": of_all,
        "mean_difficulties": {
            name: {"alphas": own, "alpha_ki": of_class.get(name, {})}
            for name, own in alphas.items()
        },
        "mean_collaboration_matrix": _of_pairs(
            annotations.raters, one, other, pairs.alpha()[0], listed=True
        ),
    }


def _difficulties(annotations: Annotations, diagnosis: Diagnosis) -> dict[str, Any]:
    """Return alpha of each class of all images together, and what each rater adds."""
    alpha = _known(annotations.classes, diagnosis.difficulty.overall.value)
    found: dict[str, Any] = {
        name: {"alpha": value, "alpha_ki": {}} for name, value in alpha.items()
    }
    by_class = diagnosis.vitality.by_class
    for who, label, value in zip(
        by_class.rater.tolist(),
        by_class.label.tolist(),
        by_class.overall.value.tolist(),
        strict=True,
    ):
        name = annotations.classes[label]
        if name in found and not np.isnan(value):
            found[name]["alpha_ki"][annotations.raters[who]] = value
    return found


def _of_pairs(
    raters: tuple[str, ...],
    a: IntArray,
    b: IntArray,
    value: FloatArray,
    *,
    listed: bool = False,
) -> dict[str, dict[str, Any]]:
    """Return numbers by both raters, the first by name first."""
    found: dict[str, dict[str, Any]] = {}
    for one, other, own in zip(a.tolist(), b.tolist(), value.tolist(), strict=True):
        if not np.isnan(own):
            first, second = sorted((raters[one], raters[other]))
            row = found.setdefault(first, {})
            if listed:
                row.setdefault(second, []).append(own)
            else:
                row[second] = own
    return found


def _of_teams(teams: Teams) -> dict[str, float]:
    return _known(teams.names, teams.mean.value)


def _sensitivity(diagnosis: Diagnosis) -> dict[str, dict[str, float]]:
    """Return alpha by similarity, the configuration's first and then rising."""
    curve = diagnosis.sensitivity
    order = np.argsort(curve.tau != diagnosis.configuration.tau, kind="stable")
    order[1:] = order[1:][::-1]
    names = tuple(str(tau_s) for tau_s in _thresholds(curve.tau[order]))
    return {
        "lsa_mean": _known(names, curve.mean.value[order]),
        "lsa_global": _known(names, curve.overall[order]),
    }


def _thresholds(tau: FloatArray) -> list[float]:
    """Return similarities as one would write them: 0.3 for a distance of 0.7."""
    similarities: list[float] = np.round(1 - tau, 12).tolist()
    return similarities


def _known(names: tuple[str, ...], value: FloatArray) -> dict[str, float]:
    """Return the numbers that are defined, by name."""
    pairs = zip(names, value.tolist(), strict=True)
    return {name: own for name, own in pairs if not np.isnan(own)}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
