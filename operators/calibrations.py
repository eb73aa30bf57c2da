"""Calibrations as FiftyOne custom runs: which distance, which threshold, and why."""

import numpy as np

from ..kalos_core import (
    advise,
    bootstrap_calibration,
    calibrate_by_size,
    rank_distances,
)
from ..kalos_core.plain import plain
from . import layouts, measures, runs
from .plain_runs import PlainRuns

STORED = PlainRuns("kalos_calibration", "calibration", "calibration")
keys = STORED.keys

N_BOOT = 100
ROUNDED = 0.001
"""What a threshold may differ by from the calibrated one: a slider shows it rounded."""

N_DRAWN = 250
"""Points of a density that a drawing needs."""


def last_for(dataset, layout):
    """Return the last calibration of these labels as (key, results), or None."""
    wanted = layouts.to_params(layout)
    for key in reversed(keys(dataset)):
        if dict(dataset.get_run_info(key).config.layout) == wanted:
            return key, dataset.load_run_results(key, cache=False)
    return None


def choice(dataset, layout, shapes=None):
    """Return distance and threshold of the last calibration that fits, or Nones."""
    known = last_for(dataset, layout)
    if known is None or known[1].tau_star is None:
        return None, None
    if shapes is not None and known[1].d_loc not in measures.distances(shapes):
        return None, None
    return known[1].d_loc, known[1].tau_star


def taken(dataset, layout, shapes, configuration):
    """Return the calibration that a configuration is from, or None.

    Parameters
    ----------
    layout : as it is stored.
    """
    known = _last(dataset, layout, shapes)
    if known is None or known["tau_star"] is None:
        return None
    same = known["d_loc"] == configuration.d_loc
    near = abs(known["tau_star"] - configuration.tau) <= ROUNDED
    return known if same and near else None


def of_run(dataset, config, results):
    """Return the calibration that a run took, else the last of its labels, or None."""
    return results.calibration or _last(dataset, config.layout, config.shapes)


def edition(dataset):
    """Return a text that changes whenever a calibration comes, goes or is replaced."""
    return runs.edition(dataset, keys(dataset))


def _last(dataset, layout, shapes):
    """Return what people see of the last calibration of these labels, or None."""
    for key in reversed(keys(dataset)):
        config = dataset.get_run_info(key).config
        if dict(config.layout) == dict(layout) and config.shapes == shapes:
            return _to_show(key, dataset.load_run_results(key, cache=False))
    return None


def _to_show(key, found):
    """Return what people see of a calibration, small enough to be kept by runs."""
    some = np.linspace(0, len(found.grid) - 1, N_DRAWN).round().astype(int).tolist()
    whole = ("d_loc", "tau_star", "status", "bootstrap", "advice", "n_images")
    drawn = ("grid", "density_o", "density_e")
    return {
        "run_key": key,
        "ks": found.ranking[0]["ks"],
        "strata": [_of_size(stratum) for stratum in found.strata],
        **{name: getattr(found, name) for name in whole},
        **{name: [getattr(found, name)[n] for n in some] for name in drawn},
    }


def _of_size(stratum):
    """Return threshold and KS of a size, None where it has too few distances."""
    found, bootstrap = stratum["separation"] or {}, stratum["bootstrap"] or {}
    return {
        "size": stratum["size"],
        "n_annotations": stratum["n_annotations"],
        "ks": found.get("ks"),
        "tau_star": found.get("tau_star"),
        "tau_interval": bootstrap.get("tau_interval"),
        "ks_interval": bootstrap.get("ks_interval"),
    }


def found(annotations, names, seed, n_draws, tell):
    """Rank distances and return all that is known of the best one.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.
    """
    rng = np.random.default_rng(seed)
    tell(0.3, "Comparing raters with chance")
    ranked = rank_distances(annotations, names, rng=rng, n_draws=n_draws)
    best = ranked[0]
    tell(0.6, "Resampling images")
    bootstrap = bootstrap_calibration(annotations, best, rng=rng, n_boot=N_BOOT)
    tell(0.8, "Looking at sizes")
    strata = calibrate_by_size(annotations, best, rng=rng, n_boot=N_BOOT)
    return plain(
        {
            "ranking": [_in_short(one) for one in ranked],
            "d_loc": best.d_loc,
            "tau_star": best.tau_star if best.valid else None,
            "status": best.status,
            "bootstrap": bootstrap,
            "strata": strata,
            "advice": advise(best, bootstrap, strata),
            "grid": best.grid,
            "density_o": best.density_o,
            "density_e": best.density_e,
            "n_annotations": best.n_annotations,
            "n_images": best.n_images,
        }
    )


def _in_short(calibration):
    names = ("d_loc", "ks", "ks_at", "tau_star", "status", "valid")
    return {name: getattr(calibration, name) for name in names}
