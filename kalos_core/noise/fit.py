"""The noise of a data set's raters: every component fitted, or why it is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..annotations import Annotations
from ..arrays import FloatArray
from ..checks import check_generator
from ..errors import FitError, KalosError
from .components import Components
from .confusion_tests import confusion_permutation_test, mantel_test
from .differences import Differences, extract_differences
from .fit_table import NoiseFit, Row
from .fitting.poisson_sampling import can_sample
from .parameters import NoiseParameters, check_parameters, default_parameters
from .transition import (
    square,
    transition_from_confusion,
    transition_from_similarity,
)

NOT_FITTED = ("category.temperature", "category.n_nearest")
"""They belong to similarities: without one the first is not fitted, the other never."""


def fit_noise(
    annotations: Annotations,
    *,
    reference: str | None = None,
    rng: np.random.Generator | None = None,
    bayesian: bool | None = None,
    similarity: npt.ArrayLike | None = None,
    defaults: NoiseParameters | None = None,
) -> NoiseFit:
    """Return the noise parameters of a data set with several raters.

    Parameters
    ----------
    reference : the rater whose labels the others' differ from; without it every two
        raters are compared, and none is taken to be right.
    rng : chance of the tests by permutation, of kappa and of sampling; by default
        always the same.
    bayesian : whether to sample the unmatched rate by Markov chains, as the paper does;
        by default where the optional library emcee is there, else its likelihood is
        maximised.
    similarity : (C, C) how alike classes are, to CLIP say: mistaken classes then become
        similar ones, as closely as those of the raters did, and a Mantel test tells
        whether they did.
    defaults : where the data have too little; by default those of KαLOS.
    """
    return fit_differences(
        extract_differences(annotations, reference=reference),
        rng=rng,
        bayesian=bayesian,
        similarity=similarity,
        defaults=defaults,
    )


def fit_differences(
    found: Differences,
    *,
    rng: np.random.Generator | None = None,
    bayesian: bool | None = None,
    similarity: npt.ArrayLike | None = None,
    defaults: NoiseParameters | None = None,
) -> NoiseFit:
    """Return the noise parameters behind differences, as ``fit_noise`` does.

    With those that synthetic raters are known to have (``differences_of``), it shows
    whether parameters come back.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    check_generator(rng)
    check_parameters("defaults", defaults)
    default = default_parameters() if defaults is None else defaults
    near = None if similarity is None else _near(similarity, len(found.classes))
    components = Components(found, rng)
    parameters = NoiseParameters(
        components.unmatched(
            default.unmatched, can_sample() if bayesian is None else bayesian
        ),
        components.topology(default.topology),
        components.category(default.category, near),
        components.localization(default.localization),
    )
    transition, row = _transition(found, found.confusion, rng)
    rows = [*components.rows, row]
    if near is not None:
        rows.append(_similar(found.confusion, near, rng))
        law = parameters.category
        transition = transition_from_similarity(
            near, temperature=law.temperature, n_nearest=law.n_nearest
        )
    parameters = replace(parameters, source=_source(rows, default))
    return NoiseFit(parameters, tuple(rows), transition, found.classes)


def _near(similarity: npt.ArrayLike, n_classes: int) -> FloatArray:
    """Return a similarity of every two of the classes that there are."""
    near = square(similarity, "similarity")
    if len(near) != n_classes:
        raise KalosError(
            f"similarity must be of shape ({n_classes}, {n_classes}), a row for each "
            f"class, got shape {near.shape}"
        )
    return near


def _similar(
    confusion: FloatArray, similarity: npt.ArrayLike, rng: np.random.Generator
) -> Row:
    """Return whether classes that are alike are those that are confused."""
    name, model, n = "category.similarity", "softmax of similarity", confusion.sum()
    try:
        test = mantel_test(confusion, similarity, rng)
    except FitError as error:
        return Row(name, model, (), n, (), f"not tested because {error}", fitted=False)
    alike = test.p_value is not None and test.p_value < 0.05 and test.statistic > 0
    verdict = "similar classes are confused: r is above 0"
    if not alike:
        verdict = "not seen in the mistakes: r would be above 0, and p small"
    return Row(name, model, (), n, (test,), verdict)


def _transition(
    found: Differences, counts: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, Row]:
    """Return which class a mistaken one becomes, and what tests say of it."""
    n_classes, once = len(found.classes), found.once
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
