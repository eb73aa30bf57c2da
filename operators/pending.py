"""A run that is being stored: it has a key of its own until all of it is there.

Putting it in its place, where an older run may be, is one update of the data set. So a
kill leaves the older one or the new one, and never neither.
"""

from fiftyone.core.odm import get_db_conn

KEY = "_kalos_pending"
"""No key of a user begins like that."""


def register(dataset, config, results):
    """Store configuration and results where nobody takes them for a run yet."""
    discard(dataset)
    dataset.register_run(KEY, dataset.init_run(**config))
    made = dataset.init_run_results(KEY, **results)
    dataset.save_run_results(KEY, made, cache=False)


def put(dataset, key):
    """Make what is pending the run ``key``, in place of an older one."""
    documents = dataset._doc.runs
    new, old = documents[KEY], documents.get(key)
    new.key = key
    new.save()
    del documents[KEY]
    documents[key] = new
    dataset.save()
    dataset.clear_cache()
    if old is not None:
        old.results.delete()
        old.delete()


def is_left(dataset):
    """Return whether a kill left something."""
    return KEY in dataset.list_runs() or bool(_documents().find_one(_of(dataset)))


def discard(dataset):
    """Remove what a kill left.

    FiftyOne stores a run before the data set knows of it; killed in between, it is in
    no list.
    """
    if KEY in dataset.list_runs():
        dataset.delete_run(KEY)
    _documents().delete_many(_of(dataset))


def _documents():
    return get_db_conn()["runs"]


def _of(dataset):
    return {"_dataset_id": dataset._doc.id, "key": KEY}
