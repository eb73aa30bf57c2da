"""A finished run with its labels at hand: read again, and checked to be the same."""

from pathlib import Path

import numpy as np

from ..kalos_core import Configuration, KalosError, compute_agreement, measure_pairs
from ..kalos_core.version import VERSION
from . import layouts
from .audit import audit
from .fields import read_annotations
from .fingerprints import fingerprints
from .progress import between
from .stored import StoredRun

ON_CHANGED = ("refuse", "recompute")
"""What to do where labels changed since the run."""

ROUNDING = 1e-9
"""Alphas that differ by less are equal: another numpy may sum in another order."""


class ChangedError(KalosError):
    """Labels give other results than a run has."""


def live(dataset, run_key, on_changed, steps):
    """Return the `Annotations` and the `Agreement` of a finished run.

    Parameters
    ----------
    on_changed : one of ``ON_CHANGED``; "recompute" replaces the run by one of the
        labels as they are now.
    steps : told how far it is, within the first half of the whole.
    """

    def tell(done, label):
        steps.tell(done / 2, label)

    if on_changed not in ON_CHANGED:
        raise KalosError(
            f"unknown on_changed {on_changed!r}; choose from {', '.join(ON_CHANGED)}"
        )
    run = StoredRun(dataset, run_key)
    try:
        annotations, _, agreement = read_again(run, tell)
        return annotations, agreement
    except ChangedError as error:
        if on_changed == "refuse":
            raise ChangedError(
                f"{error}. Compute the run anew (compute_agreement with "
                "overwrite=True), or have it done first (on_changed='recompute')."
            ) from None
    audit(
        run.samples(),
        run.layout,
        Configuration(**run.config.configuration),
        run_key,
        overwrite=True,
        shapes=run.config.shapes,
        colours=bool(run.config.colours),
        seed=run.config.seed,
        tell=tell,
    )
    return live(dataset, run_key, "refuse", steps)


def read_again(run, tell):
    """Return `Annotations`, measured pairs and `Agreement` of a `StoredRun`.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.

    Raises
    ------
    ChangedError
        If these are not those of the run, with what is different.
    """
    tell(0, "Reading the labels")
    view, configuration = run.samples(), Configuration(**run.config.configuration)
    if gone := len(run.sample_ids) - len(view):
        raise ChangedError(
            f"{gone} of {len(run.sample_ids)} samples of the run '{run.run_key}' are "
            "gone, deleted since it was computed"
        )
    layouts.check_layout(view, run.layout)
    annotations = read_annotations(view, run.layout, run.config.shapes)
    _check_labels(run, annotations, view)
    distances = between(tell, 0.2, 0.6, "Measuring distances")
    measured = measure_pairs(annotations, configuration.d_loc, progress=distances)
    matching = between(tell, 0.6, 1, "Matching labels")
    agreement = compute_agreement(annotations, configuration, matching, measured)
    _check_results(run, agreement)
    return annotations, measured, agreement


def _check_labels(run, annotations, view):
    pairs = zip(fingerprints(annotations), run.results.fingerprints, strict=True)
    changed = [image for image, (now, then) in enumerate(pairs) if now != then]
    if changed:
        first = annotations.images[changed[0]]
        file = Path(view.select(first).values("filepath")[0]).name
        raise ChangedError(
            f"Labels, or who is assigned, changed since the run '{run.run_key}' in "
            f"{len(changed)} of {annotations.n_images} samples, the first being {file}"
        )


def _check_results(run, agreement):
    reliability = agreement.reliability
    unit = np.unique(reliability.unit_of)
    if not (
        np.allclose(agreement.alpha, run.alpha, rtol=0, atol=ROUNDING, equal_nan=True)
        and np.array_equal(run.image, reliability.image_of[unit])
        and np.array_equal(run.values, reliability.values[:, unit].T)
    ):
        raise ChangedError(
            f"The labels are those of the run '{run.run_key}', but KαLOS {VERSION} "
            f"gets other results than KαLOS {run.config.version} did then"
        )
