"""Agreement as a FiftyOne custom run; keys and names of runs live here.

Fields carry the key of their run in the schema, and a run is there only once all of it
is. What an interrupted run left behind is thus told apart from results and from the
user's own fields.
"""

import json
from itertools import chain, count

import fiftyone as fo
from gridfs import GridFS, NoFile

from ..kalos_core import KalosError
from ..kalos_core.model import UNDEFINED
from ..kalos_core.version import VERSION
from . import (
    consensus_field,
    import_targets,
    journal,
    layouts,
    leftovers,
    new_fields,
    own_runs,
    palette,
    pending,
    queue_marks,
    renamed,
    run_fields,
    staging,
)
from .own_runs import METHOD, is_mine
from .parameters import nearest
from .views import images_of

RESULTS = "results.json"


def keys(dataset):
    """Return the keys of the finished runs, oldest first.

    Those that were killed while being written are finished first.
    """
    tidy(dataset, runs_only=True)
    infos = sorted(own_runs.infos(dataset), key=lambda info: info.timestamp)
    return [info.key for info in infos]


def last(dataset):
    """Return the key of the newest finished run."""
    known = keys(dataset)
    if not known:
        raise KalosError(
            f"'{dataset.name}' has no KαLOS run yet. Compute agreement first."
        )
    return known[-1]


def edition(dataset, known=None):
    """Return a text that changes whenever a run comes, goes or is replaced.

    Parameters
    ----------
    known : the keys of the runs that are meant; by default all finished ones.
    """
    known = keys(dataset) if known is None else known
    infos = [dataset.get_run_info(key) for key in known]
    return " ".join(f"{info.key}@{info.timestamp.isoformat()}" for info in infos)


def config_of(dataset, key):
    """Return the configuration of a finished run."""
    if key not in keys(dataset):
        raise KalosError(no_such_run(dataset, key))
    renamed.check(dataset, key)
    return dataset.get_run_info(key).config


def no_such_run(dataset, key):
    """Return in words that there is no such run, and which there are."""
    known = keys(dataset)
    there = f"Runs are: {', '.join(known)}." if known else "Compute agreement first."
    return (
        f"'{dataset.name}' has no finished KαLOS run '{key}'. {there}"
        f"{nearest(key, known)}"
    )


def load(dataset, key):
    """Return configuration and results of a finished run."""
    config = config_of(dataset, key)
    try:
        results = dataset.load_run_results(key, cache=False)
    except (AttributeError, NoFile):  # another process has replaced it since
        dataset.reload()
        config = config_of(dataset, key)
        results = dataset.load_run_results(key, cache=False)
    own_runs.check_complete(key, config, results)
    return config, results


def worst_first(dataset, key, condition):
    """Return a view of the images that meet a condition, by rising alpha."""
    return images_of(dataset).match(condition).sort_by(f"{key}_alpha")


def exists(dataset, key):
    """Return whether there is anything of a run under ``key``, finished or not."""
    if key in dataset.list_runs():
        return is_mine(dataset.get_run_info(key))
    return bool(run_fields.written(dataset, key) or unfinished(dataset, key))


def key_figures(dataset, key):
    """Return the few numbers of a run that a person reads first."""
    _, results = load(dataset, key)
    return {
        "run_key": key,
        "mean_alpha": results.mean_alpha,
        "global_alpha": results.global_alpha,
        "n_images": results.n_images,
        "n_undefined": results.statuses.get(UNDEFINED, 0),
        "n_dropped": results.n_dropped,
    }


def free_key(dataset, first=METHOD):
    """Return a key that no run has, nor fields would clash: kalos, kalos_2, ..."""
    taken = {*dataset.list_runs(), *dataset.get_field_schema()}
    numbered = (f"{first}_{n}" for n in count(2))
    return next(
        key
        for key in chain([first], numbered)
        if taken.isdisjoint({key, *run_fields.sample_paths(key)})
    )


def check_name(key, example):
    """Raise a `KalosError` if no run can have that key."""
    if not isinstance(key, str) or not key.isidentifier() or key.startswith("_"):
        raise KalosError(
            f"A run key must be a name like '{example}' (letters, digits, "
            f"underscores, a letter first), got {key!r}."
        )


def check_key(dataset, key, overwrite=False, containers=(), look=True):
    """Raise a `KalosError` if a run under ``key`` could not be stored.

    Parameters
    ----------
    containers : paths of the lists of labels that are to get attributes.
    look : also at the samples, for what they hold undeclared.
    """
    check_name(key, "kalos' or 'round_2")
    if key in dataset.list_runs():
        if not is_mine(dataset.get_run_info(key)):
            raise KalosError(_foreign(key))
        if not overwrite:
            raise KalosError(
                f"Run '{key}' exists. Choose another name, or have it replaced "
                "(overwrite=True)."
            )
    _check_writable(dataset, key, containers)
    path = run_fields.clash(dataset, key, containers, look)
    if path is not None:
        raise KalosError(
            f"'{dataset.name}' has a field '{path}' of its own, which is left alone, "
            "declared or not. Choose another key."
        )


def _check_writable(dataset, key, containers):
    """Raise if fields that a run changes are read-only."""
    path = run_fields.locked(dataset, key, containers)
    if path is not None:
        raise KalosError(
            f"Field '{path}' of '{dataset.name}' is read-only, and a run adds "
            "attributes to labels. Make it writable (field.read_only = False, then "
            "field.save()), or audit a copy (dataset.clone())."
        )


def save(work, dataset, config, staged, results, containers, n_samples):
    """Stage all of a run, and write it once nothing is missing.

    Parameters
    ----------
    work : the journal's, which holds the key.
    staged : the documents of the samples, as ``run_fields`` describes them.
    results : what panels read, as plain JSON values.
    containers : paths of the lists of labels that get attributes.
    """
    staging.stage(work, staged, n_samples)
    _bucket(work.record).put(json.dumps(results).encode(), filename=RESULTS)
    work.ready(config=config, containers=list(containers))
    problem = finish(dataset, work.record)
    if problem is not None:
        raise KalosError(problem)


def finish(dataset, record):
    """Write fields and run from what is staged; may be repeated after a kill.

    Returns why it cannot be written any more, or None.
    """
    key = record["key"]
    with journal.turn_to_write(dataset):
        problem = _obstacle(dataset, key, record)
        if problem is None:
            _check_writable(dataset, key, record["containers"])
            _write(dataset, key, record)
        elif key not in dataset.list_runs():
            run_fields.remove(dataset, key)  # what a kill left
        record["written"] = True
    return problem


def _obstacle(dataset, key, record):
    """Return what others did meanwhile so that a run cannot be written, or None."""
    if key in dataset.list_runs() and not is_mine(dataset.get_run_info(key)):
        return _foreign(key)
    for path in record["containers"]:
        if dataset.get_field(path) is None:
            return (
                f"Field '{path.partition('.')[0]}' of '{dataset.name}' was renamed or "
                f"deleted while its labels were audited as '{key}'. Nothing was "
                "written. Compute agreement on the field as it is now."
            )
    return None


def _write(dataset, key, record):
    """Write the fields, and the run last, in place of an older one."""
    _withdraw(dataset, pending.KEY)  # what a kill left
    run_fields.write(dataset, key, record)
    _withdraw(dataset, key)
    run = {"method": METHOD, "version": VERSION, "run_key": key, **record["config"]}
    if dataset.app_config.color_scheme is not None:
        run["colours"] = None  # the user's are left, and are not ours to take back
    found = _bucket(record).get_last_version(RESULTS).read()
    pending.register(dataset, run, json.loads(found))
    if run["colours"]:
        layout = layouts.from_params(run["layout"], dataset)
        palette.apply(dataset, layout, run["colours"])
    pending.put(dataset, key)


def tidy(dataset, runs_only=False):
    """Finish what was killed while being written, forget the other dead ones."""
    if not runs_only:
        sweep()
    for record in journal.abandoned(dataset):
        if runs_only and consensus_field.is_of(record):
            continue  # a second try starts it anew
        journal.take_over(record, lambda own: _end(dataset, own))
    if pending.is_left(dataset):
        with journal.turn_to_write(dataset):
            _withdraw(dataset, pending.KEY)
            pending.discard(dataset)
    renamed.follow(dataset)


def _end(dataset, record):
    if new_fields.is_of(record):
        new_fields.finish(dataset, record)
    elif record.get("state") == journal.READY:
        finish(dataset, record)


def sweep():
    """Finish or remove what was killed of data sets that are gone or in the making."""
    for record in leftovers.homeless():
        journal.take_over(record, import_targets.settle)
    leftovers.drop_orphans()


def remove(dataset, key):
    """Remove a run and everything that it wrote, finished or not."""
    with journal.turn_to_write(dataset):
        _check_writable(dataset, key, run_fields.containers_of(dataset, key))
        for record in unfinished(dataset, key):
            journal.forget(record)
        _remove(dataset, key)


def unfinished(dataset, key):
    """Return the records of a run that was computed and could not be written."""
    return [record for record in journal.abandoned(dataset) if record["key"] == key]


def _remove(dataset, key):
    if _withdraw(dataset, key):
        dataset.delete_run(key)
    run_fields.remove(dataset, key)


def _withdraw(dataset, key):
    """Remove what a run left in the App; return whether there is such a run."""
    if key not in dataset.list_runs() or not is_mine(dataset.get_run_info(key)):
        return False
    run = dataset.get_run_info(key).config
    if getattr(run, "colours", None):
        layout = layouts.from_params(dict(run.layout), dataset)
        palette.take_back(dataset, layout, run.colours)
    queue_marks.remove_all(dataset, key)
    _remove_views(dataset, run)
    return True


def check_still_there(dataset, key):
    """Raise if a run was deleted since it was looked at."""
    if key not in dataset.list_runs():
        raise KalosError(f"Run '{key}' of '{dataset.name}' was deleted meanwhile.")


def note_view(dataset, key, name):
    """Note that a saved view shows a run, so that it goes with the run.

    For those whose turn it is to write.
    """
    run = dataset.get_run_info(key).config
    run.views = [*(getattr(run, "views", None) or ()), name]
    dataset.update_run_config(key, run)


def _remove_views(dataset, run):
    for name in getattr(run, "views", None) or ():
        if dataset.has_saved_view(name):
            dataset.delete_saved_view(name)


def _foreign(key):
    return f"Run '{key}' is not a KαLOS run. Choose another key."


def _bucket(record):
    name = journal.staged(record)[journal.RESULTS].name
    return GridFS(fo.core.odm.get_db_conn(), name)
