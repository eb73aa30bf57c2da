"""Which runs of a data set are audits of ours, and whether this version can read them.

Others may call their method the same; what they stored is left alone.
"""

from ..kalos_core import KalosError
from ..kalos_core.version import VERSION
from . import pending

METHOD = "kalos"
MARKS = ("version", "layout", "configuration")
"""What every audit of ours has in its configuration."""

CONFIG = (*MARKS, "run_key", "notation", "shapes", "colours", "seed", "versions")
RESULTS = (
    "mean_alpha",
    "global_alpha",
    "sample_ids",
    "alpha",
    "status",
    "fingerprints",
    "assigned",
    "statuses",
    "n_images",
    "n_annotations",
    "n_dropped",
    "n_units",
    "n_no_object",
    "raters",
    "classes",
    "units",
    "diagnosis",
    "thresholds",
    "calibration",
    "distances",
)
UNITS = (
    "label_id",
    "image",
    "unit",
    "label",
    "area",
    "values",
    "kind",
    "outlier",
    "agreement",
    "gain",
    "holds_from",
    "joins_from",
)
"""What this version reads of a run; earlier ones did not store all of it."""


def is_mine(info):
    """Return whether a run is an audit of ours."""
    config = info.config
    return config.method == METHOD and all(hasattr(config, name) for name in MARKS)


def infos(dataset):
    """Return what is registered of our audits."""
    found = (dataset.get_run_info(key) for key in dataset.list_runs())
    return [info for info in found if info.key != pending.KEY and is_mine(info)]


def check_complete(key, config, results):
    """Raise if configuration or results lack what this version reads."""
    _check(key, config, "configuration", CONFIG, vars(config))
    _check(key, config, "results", RESULTS, vars(results) if results else ())


def check_units(key, config, units):
    """Raise if the columns of units lack what this version reads."""
    _check(key, config, "units", UNITS, units)


def _check(key, config, where, needed, found):
    missing = [name for name in needed if name not in found]
    if missing:
        raise KalosError(
            f"The {where} of run '{key}', computed by KαLOS {config.version}, lack "
            f"{', '.join(missing)}, which KαLOS {VERSION} needs. Compute it anew: "
            f"compute_agreement with run_key='{key}' and overwrite=True."
        )
