"""A finished run with its labels at hand: read again, and checked to be the same."""

import numpy as np

from ..kalos_core import Configuration, KalosError, compute_agreement, measure_pairs
from . import layouts, runs
from .audit import audit
from .columns import flat
from .fields import read_annotations
from .measures import choose_shapes
from .packed import unpack
from .schema import labels_path
from .unit_labels import number_units

ON_CHANGED = ("refuse", "recompute")
"""What to do where labels changed since the run."""

ROUNDING = 1e-9
"""Alphas that differ by less are equal: another numpy may sum in another order."""


def live(dataset, run_key, on_changed="refuse", steps=None):
    """Return the `Annotations` and the `Agreement` of a finished run.

    Parameters
    ----------
    on_changed : one of ``ON_CHANGED``; "recompute" replaces the run by one of the
        labels as they are now.
    steps : told how far it is, within the first half of the whole.

    Raises
    ------
    KalosError
        If samples or labels are no longer those of the run.
    """
    if on_changed not in ON_CHANGED:
        raise KalosError(
            f"unknown on_changed {on_changed!r}; choose from {', '.join(ON_CHANGED)}"
        )
    config, results = runs.load(dataset, run_key)
    view = _view(dataset, list(results.sample_ids))
    if not view.limit(1):
        raise KalosError(f"None of the samples of run '{run_key}' is left.")
    annotations, agreement = _read(view, config, steps)
    if _is_same(view, run_key, config, results, annotations, agreement):
        return annotations, agreement
    if on_changed == "refuse":
        raise KalosError(
            f"Samples or labels have changed since the run '{run_key}' was computed. "
            "Compute the run anew (compute_agreement with overwrite=True), or have it "
            "done first (on_changed='recompute')."
        )
    audit(
        view,
        layouts.from_params(config.layout, view),
        agreement.configuration,
        run_key,
        overwrite=True,
        shapes=shapes_of(view, config),
        colours=bool(getattr(config, "colours", None)),
        seed=config.seed,
        tell=None if steps is None else lambda done, label: steps.tell(done / 2, label),
    )
    return live(dataset, run_key, steps=steps)


def _view(dataset, sample_ids):
    """Return the samples of a run in its order."""
    view = dataset.select(sample_ids)
    if view.values("id") == sample_ids:
        return view  # to sort by a list of ids takes time with the square of it
    return dataset.select(sample_ids, ordered=True)


def shapes_of(view, config):
    """Return what the labels of a run are read as."""
    layout = layouts.from_params(config.layout, view)
    d_loc = config.configuration["d_loc"]
    return choose_shapes(view, layout, getattr(config, "shapes", None), d_loc)


def _read(view, config, steps):
    def part(start, end, label):
        return None if steps is None else steps.between(start, end, label)

    if steps is not None:
        steps.tell(0, "Reading the labels")
    layout = layouts.from_params(config.layout, view)
    layouts.check_layout(view, layout)
    configuration = Configuration(**config.configuration)
    annotations = read_annotations(view, layout, shapes_of(view, config))
    measured = measure_pairs(
        annotations, configuration.d_loc, progress=part(0.1, 0.3, "Measuring distances")
    )
    agreement = compute_agreement(
        annotations, configuration, part(0.3, 0.5, "Matching labels"), measured
    )
    return annotations, agreement


def _is_same(view, run_key, config, results, annotations, agreement):
    """Return whether a run has the same samples, units and values."""
    return (
        list(annotations.images) == list(results.sample_ids)
        and list(annotations.raters) == list(results.raters["name"])
        and list(annotations.classes) == list(results.classes["name"])
        and _is_same_alpha(results, agreement)
        and _are_same_values(results, agreement)
        and _are_same_units(view, run_key, config, annotations, agreement)
    )


def _is_same_alpha(results, agreement):
    stored = np.array(results.alpha, dtype=np.float64)  # None becomes nan
    return np.allclose(agreement.alpha, stored, rtol=0, atol=ROUNDING, equal_nan=True)


def _are_same_values(results, agreement):
    reliability = agreement.reliability
    unit = np.unique(reliability.unit_of)
    stored = unpack(results.units)
    return np.array_equal(
        stored["image"], reliability.image_of[unit]
    ) and np.array_equal(stored["values"], reliability.values[:, unit].T)


def _are_same_units(view, run_key, config, annotations, agreement):
    """Return whether every label is in the unit that it was in."""
    layout = layouts.from_params(config.layout, view)
    stored = {}
    for field in layout.label_fields:
        path = labels_path(view, field)
        if view.get_field(f"{path}.{run_key}_unit") is None:
            return False
        ids, units = view.values([f"{path}.id", f"{path}.{run_key}_unit"])
        stored.update(zip(flat(ids), flat(units), strict=True))
    _, _, number = number_units(agreement.reliability, annotations.n_images)
    now = number[agreement.reliability.unit_of].tolist()
    ids = annotations.annotation_id.tolist()
    return [stored.get(name) for name in ids] == now
