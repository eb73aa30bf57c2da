"""All that the database keeps of a data set, so that two moments can be compared."""

import bson
from bson.codec_options import DEFAULT_CODEC_OPTIONS
from bson.raw_bson import RawBSONDocument
from fiftyone.core.odm import get_db_conn
from gridfs import GridFS

CLOCKS = ("last_loaded_at", "last_modified_at", "last_deletion_at")
RAW = DEFAULT_CODEC_OPTIONS.with_options(document_class=RawBSONDocument)


def take(dataset, clocks=True):
    """Return a data set as stored, its samples byte for byte.

    Parameters
    ----------
    clocks : with the times at which samples were last changed.
    """
    return {**describe(dataset), "samples": documents(dataset, clocks)}


def describe(dataset):
    """Return all but the samples: schema, info, tags, App, indexes, runs, views."""
    dataset.reload()
    database, mine = get_db_conn(), {"_dataset_id": dataset._doc.id}
    (record,) = database["datasets"].find({"_id": dataset._doc.id})
    # FiftyOne forgets a list that has become empty.
    found = {"data set": {k: v for k, v in _timeless(record).items() if v != []}}
    for name in ("views", "workspaces", "runs"):
        found[name] = [_timeless(one) for one in database[name].find(mine).sort("_id")]
    for run in found["runs"]:
        if run["results"] is not None:
            run["results"] = GridFS(database).get(run["results"]).read()
    found["indexes"] = dataset._sample_collection.index_information()
    return found


def documents(dataset, clocks=True):
    """Return the samples as bytes, in the order of their ids."""
    collection = dataset._sample_collection.with_options(codec_options=RAW)
    samples = collection.find().sort("_id")
    if clocks:
        return [sample.raw for sample in samples]
    return [bson.encode(_timeless(sample)) for sample in samples]


def _timeless(record):
    return {name: value for name, value in record.items() if name not in CLOCKS}


def additions(before, after):
    """Return where something is new, by part; all that was there must be as it was.

    Members of a list have no path of their own: a new label is at "gt.detections".
    """
    found = {}
    for part, old in before.items():
        new = after[part]
        if part == "samples":
            old, new = ([bson.decode(one) for one in many] for many in (old, new))
        found[part] = set(_additions(old, new, part, ""))
    return {part: paths for part, paths in found.items() if paths}


def _additions(before, after, part, path):
    if isinstance(before, dict) and isinstance(after, dict):
        for name in {**after, **before}:
            inner = f"{path}.{name}".lstrip(".")
            assert name in after, f"{inner} of {part} is gone"
            if name in before:
                yield from _additions(before[name], after[name], part, inner)
            else:
                yield inner
    elif isinstance(before, list) and isinstance(after, list):
        assert len(before) <= len(after), f"{path} of {part} lost something"
        if len(before) < len(after):
            yield path
        for old, new in zip(before, after, strict=False):
            yield from _additions(old, new, part, path)
    else:  # as text, since nan is not itself
        assert repr(before) == repr(after), f"{path} of {part} changed"
