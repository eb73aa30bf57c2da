"""Agreement as a FiftyOne custom run and as sample fields; keys and names live here.

Fields carry the key of their run in the schema, and a run is listed only once it is
finished. What an interrupted run left behind is thus told apart from results and from
the user's own fields, and is removed when its key is used again.
"""

from itertools import chain, count

import fiftyone as fo
import numpy as np

from ..kalos_core import NO_OBJECT, KalosError
from ..kalos_core.diagnostics.class_difficulty import class_difficulty
from ..kalos_core.diagnostics.tally import Tally, tally
from ..kalos_core.model import UNDEFINED
from ..kalos_core.version import VERSION

METHOD = "kalos"
OWNER = "kalos_run"

FIELDS = {
    "alpha": (fo.FloatField, "KαLOS agreement of the raters on this image"),
    "status": (fo.StringField, "Why alpha is trivial or undefined, else 'computed'"),
    "n_units": (fo.IntField, "Objects that at least one rater drew"),
    "n_no_object": (fo.IntField, "Cells in which an assigned rater drew nothing"),
}


def keys(dataset):
    """Return the keys of the finished runs, oldest first."""
    infos = [dataset.get_run_info(key) for key in dataset.list_runs()]
    mine = [info for info in infos if _is_finished(info)]
    return [info.key for info in sorted(mine, key=lambda info: info.timestamp)]


def edition(dataset):
    """Return a text that changes whenever a finished run comes, goes or is replaced."""
    infos = [dataset.get_run_info(key) for key in keys(dataset)]
    return " ".join(f"{info.key}@{info.timestamp.isoformat()}" for info in infos)


def _is_mine(info):
    return info.config.method == METHOD


def _is_finished(info):
    return _is_mine(info) and info.config.finished


def load(dataset, key):
    """Return configuration and results of a finished run."""
    if key not in keys(dataset):
        raise KalosError(f"'{dataset.name}' has no finished KαLOS run '{key}'.")
    return dataset.get_run_info(key).config, dataset.load_run_results(key, cache=False)


def exists(dataset, key):
    """Return whether there is anything of a run under ``key``, finished or not."""
    if key in dataset.list_runs():
        return _is_mine(dataset.get_run_info(key))
    return bool(_written(dataset, key))


def key_figures(dataset, key):
    """Return the few numbers of a run that a person reads first."""
    _, results = load(dataset, key)
    return {
        "run_key": key,
        "mean_alpha": results.mean_alpha,
        "global_alpha": results.global_alpha,
        "n_images": results.n_images,
        "n_undefined": results.statuses.get(UNDEFINED, 0),
    }


def free_key(dataset):
    """Return a key that no run has: kalos, kalos_2, kalos_3, ..."""
    taken = {*dataset.list_runs(), *dataset.get_field_schema()}
    numbered = (f"{METHOD}_{n}" for n in count(2))
    return next(
        key
        for key in chain([METHOD], numbered)
        if taken.isdisjoint({key, *(f"{key}_{name}" for name in FIELDS)})
    )


def check_key(dataset, key, overwrite=False):
    """Raise a `KalosError` if a run under ``key`` could not be stored."""
    if not isinstance(key, str) or not key.isidentifier() or key.startswith("_"):
        raise KalosError(
            "A run key must be a name like 'kalos' or 'round_2' (letters, digits, "
            f"underscores, a letter first), got {key!r}."
        )
    if key in dataset.list_runs():
        info = dataset.get_run_info(key)
        if not _is_mine(info):
            raise KalosError(f"Run '{key}' is not a KαLOS run. Choose another key.")
        if _is_finished(info) and not overwrite:
            raise KalosError(
                f"Run '{key}' exists. Choose another key, or replace it "
                "(overwrite=True)."
            )
    for name in FIELDS:
        field = dataset.get_field(f"{key}_{name}")
        if field is not None and _owner(field) != key:
            raise KalosError(
                f"'{dataset.name}' has a field '{key}_{name}' of its own, which is "
                "left alone. Choose another key."
            )


def save(dataset, key, config, annotations, agreement):
    """Write a run: its fields first, the run itself as the last step."""
    remove(dataset, key)
    for name, values in _columns(annotations, agreement).items():
        ftype, description = FIELDS[name]
        path = f"{key}_{name}"
        dataset.add_sample_field(
            path, ftype, description=description, info={OWNER: key}
        )
        dataset.set_values(
            path, dict(zip(annotations.images, values, strict=True)), key_field="id"
        )
    dataset.create_index(f"{key}_alpha")
    run = dataset.init_run(method=METHOD, version=VERSION, finished=False, **config)
    dataset.register_run(key, run)
    results = dataset.init_run_results(key, **_results(annotations, agreement))
    dataset.save_run_results(key, results, cache=False)
    run.finished = True
    dataset.update_run_config(key, run)


def remove(dataset, key):
    """Remove a run and everything that it wrote, finished or not."""
    if key in dataset.list_runs():
        dataset.delete_run(key)
    written = _written(dataset, key)
    if written:
        dataset.delete_sample_fields(written)


def _written(dataset, key):
    """Return the fields that a run under ``key`` wrote; not the user's copies."""
    schema = dataset.get_field_schema()
    return [
        path
        for path in (f"{key}_{name}" for name in FIELDS)
        if path in schema and _owner(schema[path]) == key
    ]


def _owner(field):
    return (field.info or {}).get(OWNER)


def _columns(annotations, agreement):
    """Return the values of each field, one per image."""
    reliability, n_images = agreement.reliability, annotations.n_images
    units = np.unique(reliability.unit_of)
    no_object = (reliability.values[:, units] == NO_OBJECT).sum(axis=0)
    image_of = reliability.image_of[units]
    n_no_object = np.bincount(image_of, no_object, minlength=n_images).astype(int)
    return {
        "alpha": _none_for_nan(agreement.alpha),
        "status": agreement.status.tolist(),
        "n_units": np.bincount(image_of, minlength=n_images).tolist(),
        "n_no_object": n_no_object.tolist(),
    }


def _results(annotations, agreement):
    """Return what the panels read, as plain JSON values."""
    status, count = np.unique(agreement.status, return_counts=True)
    mean, overall = _none_for_nan([agreement.mean_alpha, agreement.global_alpha])
    n_classes, n_raters = len(annotations.classes), annotations.n_raters
    counted = tally(agreement.reliability, n_classes)
    return {
        "mean_alpha": mean,
        "global_alpha": overall,
        "alpha": _none_for_nan(agreement.alpha),
        "statuses": dict(zip(status.tolist(), count.tolist(), strict=True)),
        "n_images": annotations.n_images,
        "n_annotations": len(annotations),
        "n_units": len(np.unique(agreement.reliability.unit_of)),
        "raters": {
            "name": list(annotations.raters),
            "n_images": annotations.assigned.sum(axis=0).tolist(),
            "n_annotations": _count(annotations.rater, n_raters),
            **{name: getattr(counted, name).tolist() for name in Tally.__slots__},
        },
        "classes": {
            "name": list(annotations.classes),
            "n_annotations": _count(annotations.label, n_classes),
            "alpha": _none_for_nan(class_difficulty(agreement.reliability, n_classes)),
        },
    }


def _count(index, n):
    return np.bincount(index, minlength=n).tolist()


def _none_for_nan(values):
    return [None if np.isnan(value) else float(value) for value in values]
