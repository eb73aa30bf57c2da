"""What documents hold though the schema does not know it; it is the user's too."""


def first(dataset, paths):
    """Return the first of some paths that is not declared and has a value, or None.

    All documents may be read, so this is for work and not for forms. A null is no
    value: samples that were made before a field was deleted may have one.

    Parameters
    ----------
    paths : fields of samples, or attributes of the labels in a list.
    """
    unknown = [path for path in paths if dataset.get_field(path) is None]
    if not unknown or not _is_held(dataset, unknown):
        return None
    return next(path for path in unknown if _is_held(dataset, [path]))


def _is_held(dataset, paths):
    some = {"$or": [_held(path) for path in paths]}
    return dataset._sample_collection.find_one(some, {"_id": 1}) is not None


def _held(path):
    container, _, name = path.rpartition(".")
    held = {name: {"$ne": None}}
    # Without it, one label that lacks the attribute would speak for all.
    return {container: {"$elemMatch": held}} if container else held
