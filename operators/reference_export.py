"""A run in the layout of the authors' implementation, from its labels read again."""

import numpy as np

from ..kalos_core import (
    Configuration,
    KalosError,
    compute_agreement,
    diagnose,
    measure_pairs,
    reference_results,
)
from ..kalos_core.plain import plain
from . import layouts
from .fields import read_annotations

SAME = 1e-9
"""Numbers no farther apart are equal; they differ by rounding."""

CHECKED = (
    ("vitality", "mean", "value"),
    ("vitality", "overall", "value"),
    ("collaboration", "mean", "value"),
    ("difficulty", "overall", "value"),
    ("sensitivity", "mean", "value"),
)
"""What of a diagnosis goes into that layout, and is stored with the run too."""


def reference_layout(run, tell):
    """Return the results of a stored run as the reference names and nests them.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.

    Raises
    ------
    KalosError
        If the labels are not those of the run any more.
    """
    tell(0, "Reading the labels again")
    annotations = _read(run)
    configuration = Configuration(**run.config.configuration)
    measured = measure_pairs(
        annotations,
        configuration.d_loc,
        progress=_between(tell, 0.1, 0.2, "Measuring distances"),
    )
    matching = _between(tell, 0.2, 0.3, "Matching labels")
    agreement = compute_agreement(annotations, configuration, matching, measured)
    _check_same(agreement.alpha, run.results.alpha, "alpha of the images")
    diagnosis = diagnose(
        annotations,
        configuration,
        agreement,
        rng=np.random.default_rng(run.config.seed),
        progress=_between(tell, 0.3, 0.7, "Comparing raters"),
        measured=measured,
    )
    found = plain(diagnosis)
    for path in CHECKED:
        now, then = _at(found, path), _at(run.results.diagnosis, path)
        _check_same(now, then, " ".join(path[:-1]))
    return reference_results(
        annotations,
        agreement,
        diagnosis,
        progress=_between(tell, 0.7, 1, "Matching again for each image"),
        measured=measured,
    )


def _read(run):
    """Return the run's annotations, if images, raters and classes are the same."""
    view = run.samples()
    if view.count() < len(run.sample_ids):
        gone = len(run.sample_ids) - view.count()
        raise KalosError(f"{gone} of {len(run.sample_ids)} samples of the run are gone")
    layout = layouts.from_params(run.config.layout, view)
    layouts.check_layout(view, layout)
    annotations = read_annotations(view, layout, run.config.shapes)
    for what, now, then in (
        ("images", annotations.images, run.sample_ids),
        ("raters", annotations.raters, run.raters),
        ("classes", annotations.classes, run.classes),
        ("number of labels", [len(annotations)], [run.results.n_annotations]),
    ):
        if list(now) != list(then):
            raise _changed(what)
    return annotations


def _check_same(now, then, what):
    now, then = (np.array(numbers, dtype=np.float64) for numbers in (now, then))
    if now.shape != then.shape or not np.allclose(
        now, then, rtol=0, atol=SAME, equal_nan=True
    ):
        raise _changed(what)


def _changed(what):
    return KalosError(f"the labels changed since the run: {what} differ")


def _at(found, path):
    for name in path:
        found = found[name]
    return found


def _between(tell, start, end, label):
    """Return a function that tells progress within a part of the whole."""
    return lambda done, total: tell(start + (end - start) * done / max(total, 1), label)
