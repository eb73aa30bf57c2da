"""The noise of a data set's raters: every component fitted, or why it is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray
from ..errors import FitError
from .components import Components
from .confusion_tests import confusion_permutation_test
from .differences import Differences, extract_differences
from .fit_table import NoiseFit, Row
from .parameters import NoiseParameters, default_parameters
from .transition import transition_from_confusion

NOT_FITTED = ("category.temperature", "category.n_nearest")
"""They belong to similarities, which raters do not tell."""


def fit_noise(
    annotations: Annotations,
    *,
    reference: str | None = None,
    rng: np.random.Generator | None = None,
    bayesian: bool = False,
    defaults: NoiseParameters | None = None,
) -> NoiseFit:
    """Return the noise parameters of a data set with several raters.

    Parameters
    ----------
    reference : the rater whose labels the others' differ from; without it every two
        raters are compared, and none is taken to be right.
    rng : chance of the tests by permutation, of kappa and of sampling; by default
        always the same.
    bayesian : whether to sample the unmatched rate with the optional library emcee.
    defaults : where the data have too little; by default those of KαLOS.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    default = default_parameters() if defaults is None else defaults
    found = extract_differences(annotations, reference=reference)
    components = Components(found, rng)
    fitted = (
        components.unmatched(default.unmatched, bayesian),
        components.topology(default.topology),
        components.category(default.category),
        components.localization(default.localization),
    )
    transition, row = _transition(found, rng)
    rows = (*components.rows, row)
    parameters = NoiseParameters(*fitted, _source(rows, default))
    return NoiseFit(parameters, rows, transition, found.classes)


def _transition(found: Differences, rng: np.random.Generator) -> tuple[FloatArray, Row]:
    """Return which class a mistaken one becomes, and what tests say of it."""
    pairs, n_classes = found.shifts, len(found.classes)
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (pairs.label_from, pairs.label_to), pairs.weight)
    once = found.once
    once = once.where(once.mistaken)
    try:
        test = confusion_permutation_test(
            once.label_from,
            once.label_to,
            n_classes,
            rng,
            directed=found.directed,
        )
        depends = test.p_value is not None and test.p_value < 0.05
        verdict = "depends on the class" if depends else "may be the same for all"
        row = Row("category.transition", "mistakes", (), len(once), (test,), verdict)
    except FitError as error:
        row = Row(
            "category.transition",
            "mistakes and frequency",
            (),
            len(once),
            (),
            f"leans on the frequency of classes because {error}",
            fitted=False,
        )
    return transition_from_confusion(counts, found.frequency), row


def _source(rows: Iterable[Row], default: NoiseParameters) -> dict[str, str]:
    """Return where each component comes from."""
    found = {
        name: default.source[name] for name in NOT_FITTED if name in default.source
    }
    for row in rows:
        found[row.component] = f"fitted: {row.model}, n = {row.n:g}"
        if not row.fitted:
            origin = _origin(default.source, row.component)
            found[row.component] = f"{row.verdict}. {origin}".rstrip()
    return found


def _origin(source: Mapping[str, str], component: str) -> str:
    """Return where a component, or what it belongs to, comes from."""
    while component and component not in source:
        component, _, _ = component.rpartition(".")
    return source.get(component, "")
