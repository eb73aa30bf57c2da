"""Runs that FiftyOne renamed: their fields and saved views take the new name too.

FiftyOne renames only the run itself. Its configuration keeps the key that its fields
have, and whoever looks at the runs next lets them follow.
"""

from ..kalos_core import KalosError
from . import journal, own_runs, queue_marks, run_fields, saved_views


def follow(dataset):
    """Let the fields of all renamed runs take the new names, where they are free."""
    if any(_can_follow(dataset, info) for info in own_runs.infos(dataset)):
        with journal.turn_to_write(dataset):
            for info in own_runs.infos(dataset):
                if _can_follow(dataset, info):
                    _follow(dataset, info.config, info.key)


def check(dataset, key):
    """Raise a `KalosError` if the fields of a run could not take its name."""
    info = dataset.get_run_info(key)
    if _is_renamed(info):
        raise KalosError(
            f"Run '{key}' was '{info.config.run_key}' before, and its fields cannot be "
            f"called '{key}_alpha' and the like: '{dataset.name}' has such fields, or "
            "the name is not of letters, digits and underscores, or the fields are "
            "read-only. Rename the run again (dataset.rename_run)."
        )


def _is_renamed(info):
    return getattr(info.config, "run_key", info.key) != info.key


def _can_follow(dataset, info):
    if not _is_renamed(info) or not info.key.isidentifier():
        return False
    new, others = info.key, own_runs.infos(dataset)
    if any(getattr(other.config, "run_key", None) == new for other in others):
        return False  # which was renamed, too, and whose fields have not followed yet
    old = info.config.run_key
    containers = run_fields.containers_of(dataset, old)
    if run_fields.locked(dataset, old, containers) is not None:
        return False
    return run_fields.clash(dataset, new, containers) is None


def _follow(dataset, config, key):
    old = config.run_key
    run_fields.move(dataset, old, key)
    names = dict(zip(run_fields.names(old), run_fields.names(key), strict=True))
    queues = queue_marks.noted(dataset, key)
    views = [*(getattr(config, "views", None) or ()), *(own["view"] for own in queues)]
    saved_views.rename_fields(dataset, views, names)
    config.run_key = key
    dataset.update_run_config(key, config)
