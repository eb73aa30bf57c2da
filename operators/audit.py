"""The whole audit: read, measure, match, diagnose, store."""

from dataclasses import asdict, fields

import numpy as np

from ..kalos_core import compute_agreement, diagnose, measure_pairs
from ..kalos_core.diagnostics.bonds import bonds
from ..kalos_core.diagnostics.tally import Tally, tally
from ..kalos_core.plain import plain
from . import calibrations, journal, layouts, runs, what_if
from .fields import read_and_count
from .fingerprints import fingerprints
from .measures import choose_shapes
from .packed import pack
from .progress import at_work
from .unit_labels import UnitLabels
from .versions import versions

SEED = 51
"""Of all that is drawn at random, unless the caller says otherwise."""


def audit(
    view,
    layout,
    configuration,
    run_key="kalos",
    overwrite=False,
    shapes=None,
    colours=False,
    seed=SEED,
    tell=None,
    stoppable=None,
):
    """Audit a view, store it as a run, and return the run's key figures.

    Nothing is visible before all of it is there: a run of the same key stays as it is
    until then, and whatever ends this earlier leaves no trace.

    Parameters
    ----------
    shapes : what to read the labels as, see ``read_annotations``.
    colours : colour labels by rater, if the data set has no colours of its own.
    tell : called with the part that is done, from 0 to 1, and what is being done.
    stoppable : called with what has a method ``stop``.
    """
    dataset = view._root_dataset
    layouts.check_layout(view, layout)
    runs.tidy(dataset)
    with at_work(dataset, run_key, journal.AUDIT, tell, stoppable) as steps:
        containers = layouts.containers(view, layout)
        runs.check_key(dataset, run_key, overwrite, containers)
        steps.tell(0, "Reading the labels")
        shapes = choose_shapes(view, layout, shapes)
        annotations, n_dropped = read_and_count(view, layout, shapes)
        agreement, diagnosis, linked, distances = _computed(
            annotations, configuration, seed, steps
        )
        config = {
            "configuration": asdict(configuration),
            "notation": str(configuration),
            "layout": layouts.to_params(layout),
            "shapes": shapes,
            "colours": list(annotations.raters) if colours else None,
            "seed": seed,
            "versions": versions(),
        }
        units = UnitLabels(annotations, agreement, diagnosis.kinds, linked)
        results = _results(annotations, agreement, diagnosis, units, distances)
        taken = calibrations.taken(dataset, config["layout"], shapes, configuration)
        runs.save(
            steps,
            dataset,
            config,
            units.samples(layout),
            {**results, "calibration": taken, "n_dropped": n_dropped},
            containers,
            annotations.n_images,
        )
        steps.note(1, "Done")
    return runs.key_figures(dataset, run_key)


def _computed(annotations, configuration, seed, steps):
    measured = measure_pairs(
        annotations,
        configuration.d_loc,
        progress=steps.between(0.15, 0.3, "Measuring distances"),
    )
    agreement = compute_agreement(
        annotations,
        configuration,
        steps.between(0.3, 0.4, "Matching labels"),
        measured,
    )
    diagnosis = diagnose(
        annotations,
        configuration,
        agreement,
        rng=np.random.default_rng(seed),
        progress=steps.between(0.4, 0.75, "Comparing raters"),
        measured=measured,
    )
    most = max(diagnosis.sensitivity.tau)
    linked = bonds(annotations, agreement, most, measured)
    kept = what_if.kept(annotations, configuration, measured)
    return agreement, diagnosis, linked, kept


def _results(annotations, agreement, diagnosis, units, distances):
    """Return what the panels read, as plain JSON values."""
    status, count = np.unique(agreement.status, return_counts=True)
    n_classes, n_raters = len(annotations.classes), annotations.n_raters
    counted = tally(agreement.reliability, n_classes)
    return plain(
        {
            "mean_alpha": agreement.mean_alpha,
            "global_alpha": agreement.global_alpha,
            "sample_ids": annotations.images,
            "alpha": agreement.alpha,
            "status": agreement.status,
            "fingerprints": fingerprints(annotations),
            "assigned": pack({"assigned": annotations.assigned}),
            "statuses": dict(zip(status.tolist(), count, strict=True)),
            "n_images": annotations.n_images,
            "n_annotations": len(annotations),
            "n_units": len(units.unit),
            "n_no_object": sum(units.columns()["n_no_object"]),
            "raters": {
                "name": annotations.raters,
                "n_images": annotations.assigned.sum(axis=0),
                "n_annotations": np.bincount(annotations.rater, minlength=n_raters),
                **{name: getattr(counted, name) for name in Tally.__slots__},
            },
            "classes": {
                "name": annotations.classes,
                "n_annotations": np.bincount(annotations.label, minlength=n_classes),
                "alpha": diagnosis.difficulty.overall.value,
            },
            "units": pack(units.results()),
            "distances": distances,
            "diagnosis": {
                # What is known of each unit is among the units.
                part.name: getattr(diagnosis, part.name)
                for part in fields(diagnosis)
                if part.name != "kinds"
            },
            "thresholds": _at_thresholds(agreement, diagnosis, units),
        }
    )


def _at_thresholds(agreement, diagnosis, units):
    """Return how many objects fall apart, or are joined, at each tau of the curve."""
    linked, own = units.bonds, agreement.configuration.tau
    taus = diagnosis.sensitivity.tau.tolist()
    return {
        "tau": taus,
        "n_changed": [int(linked.changed(tau, own).sum()) for tau in taus],
        "n_linked": int(np.isfinite(linked.holds_from).sum()),
    }
