"""Fits of the noise generator as FiftyOne custom runs, and which one to simulate by."""

from os.path import isfile
from pathlib import Path

import numpy as np

from ..kalos_core import KalosError
from ..kalos_core.noise import NoiseParameters, default_parameters, fit_noise
from .parameters import nearest
from .plain_runs import PlainRuns

STORED = PlainRuns("kalos_noise", "noise fit", "noise")
keys = STORED.keys

DEFAULTS = "@defaults"
"""In place of a key: the parameters that come with KαLOS."""


def found(annotations, reference, seed, bayesian, similarity):
    """Fit, and return the results that a run stores.

    Parameters
    ----------
    similarity : a `ClassSimilarity` with the classes of the annotations, or None.
    """
    near = similarity and similarity.of(annotations.classes).similarity
    fit = fit_noise(
        annotations,
        reference=reference,
        rng=np.random.default_rng(seed),
        bayesian=bayesian,
        similarity=near,
    )
    return fit.as_json()


def parameters_of(dataset, given):
    """Return the parameters that a name stands for, and its transition if any.

    Parameters
    ----------
    given : the key of a fit, the path of a JSON file, or ``DEFAULTS``.

    Returns
    -------
    The parameters, and chances of classes to be mistaken as {class: {class: chance}};
    None where the fit has none.
    """
    if given == DEFAULTS:
        return default_parameters(), None
    known = keys(dataset)
    if given in known:
        results = dataset.load_run_results(given, cache=False)
        parameters = NoiseParameters.from_json(results.parameters, f"fit '{given}'")
        return parameters, _by_name(results.classes, results.transition)
    if is_file_name(given):
        return NoiseParameters.read(given), None
    there = f"Fits are: {', '.join(known)}." if known else "Fit noise first."
    raise KalosError(
        f"'{dataset.name}' has no noise fit '{given}'. {there} A JSON file is named by "
        f"its path, 'noise.json' say.{nearest(given, known)}"
    )


def is_file_name(given):
    """Return whether a file is meant rather than the name of a fit or field."""
    path = Path(given)
    return bool(path.suffix) or len(path.parts) > 1 or isfile(path)


def aligned(transition, classes):
    """Return (C, C) chances among ``classes``, or None if the fit knows none of them.

    What a class is mistaken for and is not here is left out, and the others share its
    chance. A class that the fit does not know is mistaken for the others evenly.
    """
    if transition is None or not set(classes) & set(transition):
        return None
    matrix = np.array(
        [
            [transition.get(one, {}).get(other, 0.0) for other in classes]
            for one in classes
        ],
        dtype=np.float64,
    ).reshape(len(classes), len(classes))
    lacking = matrix.sum(axis=1) <= 0
    matrix[lacking] = 1.0
    np.fill_diagonal(matrix, 0.0)
    total = matrix.sum(axis=1, keepdims=True)
    return np.divide(matrix, total, out=np.zeros_like(matrix), where=total > 0)


def _by_name(classes, transition):
    """Return rows and columns of a matrix by the names of classes."""
    if transition is None:
        return None
    return {
        one: dict(zip(classes, row, strict=True))
        for one, row in zip(classes, transition, strict=True)
    }
