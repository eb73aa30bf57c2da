"""Two runs of a data set, compared by what they stored; no label is read again."""

import numpy as np

from ..kalos_core import KalosError, compare, compare_columns
from ..kalos_core.diagnostics.comparison import MOST, N_BOOT
from ..kalos_core.diagnostics.per_image import (
    class_columns,
    kind_columns,
    rater_columns,
)
from ..kalos_core.plain import plain
from . import runs
from .audit import SEED
from .stored import StoredRun

COUNTS = (
    "n_better",
    "n_worse",
    "n_equal",
    "n_undefined_a",
    "n_undefined_b",
    "n_undefined_both",
    "n_only_a",
    "n_only_b",
)

COLUMNS = {
    "raters": lambda run: rater_columns(
        run.raters, run.reliability, len(run.sample_ids)
    ),
    "classes": lambda run: class_columns(run.classes, run.reliability),
    "kinds": lambda run: kind_columns(
        run.kind, run.reliability.image_of, len(run.sample_ids)
    ),
}
"""What changes are told apart by: raters' agreement with the others, alpha of each
class, and the share of each kind among the units."""


def check_runs(dataset, run_a=None, run_b=None):
    """Return the keys of two different runs; by default the last two, older first.

    Raises
    ------
    KalosError
        If there are no two such runs in this data set.
    """
    if run_a and run_a == run_b:
        raise KalosError(f"Choose two different runs; got '{run_a}' twice.")
    keys = runs.keys(dataset)
    given = [key for key in (run_a, run_b) if key]
    for key in given:
        if key not in keys:
            raise KalosError(
                f"{runs.no_such_run(dataset, key)} Runs of two data sets cannot be "
                "compared."
            )
    if len(keys) < 2:
        again = "again with another key" if keys else "twice, with two keys"
        raise KalosError(
            f"A comparison needs two KαLOS runs, and '{dataset.name}' has "
            f"{len(keys) or 'none'}. Compute agreement {again}."
        )
    others = [key for key in keys if key not in given]
    if not run_b:
        run_b = others.pop()
    return run_a or others.pop(), run_b


def compare_runs(
    dataset, run_a=None, run_b=None, seed=SEED, n_boot=N_BOOT, most=MOST, tell=None
):
    """Return what changed from one run to another, as plain JSON values.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.
    """
    tell = tell or (lambda done, label: None)
    tell(0, "Reading the runs")
    a, b = (StoredRun(dataset, key) for key in check_runs(dataset, run_a, run_b))
    rng = np.random.default_rng(seed)
    tell(0.2, "Comparing images")
    found = compare(
        a.sample_ids,
        a.alpha,
        b.sample_ids,
        b.alpha,
        rng=rng,
        n_boot=n_boot,
        most=most,
    )
    if not found.images:
        raise KalosError(
            f"Runs '{a.run_key}' and '{b.run_key}' have no image in common: they "
            "audited different samples, and there is nothing to compare."
        )
    columns = {}
    for done, (name, columns_of) in enumerate(COLUMNS.items()):
        tell(0.4 + 0.2 * done, f"Comparing {name}")
        columns[name] = _differences(a, b, columns_of, rng, n_boot)
    tell(1, "Done")
    return plain(
        {
            "run_a": a.run_key,
            "run_b": b.run_key,
            "notation_a": a.config.notation,
            "notation_b": b.config.notation,
            "n_common": len(found.images),
            **{name: getattr(found, name) for name in COUNTS},
            "mean_a": _only(found.mean_a),
            "mean_b": _only(found.mean_b),
            "difference": _only(found.difference),
            **_changes(found),
            **columns,
            "seed": seed,
            "n_boot": n_boot,
        }
    )


def _only(estimates):
    """Return the one number of an estimate with its interval."""
    return {name: values[0] for name, values in plain(estimates).items()}


def _changes(found):
    """Return the images that changed most, and what each of them changed by."""
    listed = {"better": found.better.tolist(), "worse": found.worse.tolist()}
    return {
        **{name: [found.images[n] for n in own] for name, own in listed.items()},
        "change": {
            found.images[n]: found.change[n] for own in listed.values() for n in own
        },
    }


def _differences(a, b, columns_of, rng, n_boot):
    """Return columns of both runs, with the names that only one of them has."""
    ours, theirs = columns_of(a), columns_of(b)
    found = compare_columns(
        a.sample_ids, ours, b.sample_ids, theirs, rng=rng, n_boot=n_boot
    )
    return {
        "name": found.names,
        "a": found.a.value,
        "b": found.b.value,
        "difference": found.difference.value,
        "low": found.difference.low,
        "high": found.difference.high,
        "n_images": found.difference.n_images,
        "told_from_zero": found.difference.told_from_zero,
        "only_a": sorted(set(ours.names) - set(theirs.names)),
        "only_b": sorted(set(theirs.names) - set(ours.names)),
    }
