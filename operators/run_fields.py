"""The fields of a run: on samples, one label per unit, and attributes of labels.

All values come from the collection that an audit staged, by one command. Those of an
older run of the same key are replaced by it, so that they are never missing.
"""

import fiftyone as fo

from ..kalos_core import KalosError
from . import journal, staging, undeclared
from .sample_values import filled, labels, mapped, without
from .schema import LABEL_LISTS, OWNER, labels_field, owner

SAMPLE_FIELDS = {
    "alpha": (fo.FloatField, "KαLOS agreement of the raters on this image"),
    "status": (fo.StringField, "Why alpha is trivial or undefined, else 'computed'"),
    "n_units": (fo.IntField, "Objects that at least one rater drew"),
    "n_no_object": (fo.IntField, "Cells in which an assigned rater drew nothing"),
}
TRIES = 3
"""To declare fields while others change the schema."""

UNITS = "units"
LABEL_FIELDS = {
    "unit": (fo.IntField, "The object, by its number in the image"),
    "kind": (fo.StringField, "What the raters of this object disagree in"),
}
UNIT_ATTRIBUTES = {
    "unit": (fo.IntField, None, "Number of the object in its image"),
    "raters": (fo.ListField, fo.StringField, "Who drew it"),
    "no_object": (fo.ListField, fo.StringField, "Who was assigned and drew nothing"),
    "kind": (fo.StringField, None, "What the raters disagree in"),
    "outlier": (fo.StringField, None, "The one rater who stands against all others"),
    "agreement": (fo.FloatField, None, "Share of pairs of raters who say the same"),
    "gain": (fo.FloatField, None, "What alpha would rise by were it agreed"),
    "holds_from": (fo.FloatField, None, "Lowest tau at which its labels are linked"),
    "joins_from": (fo.FloatField, None, "Lowest tau at which it joins another one"),
}


def names(key):
    """Return the names of all fields and attributes that a run adds."""
    return [f"{key}_{name}" for name in (*SAMPLE_FIELDS, UNITS, *LABEL_FIELDS)]


def sample_paths(key):
    """Return the fields that a run adds to samples."""
    return [f"{key}_{name}" for name in (*SAMPLE_FIELDS, UNITS)]


def label_paths(key, containers):
    """Return the attributes that a run adds to labels in these lists."""
    return [f"{path}.{key}_{name}" for path in containers for name in LABEL_FIELDS]


def clash(dataset, key, containers, look=True):
    """Return a path that a run would write to and that is the user's, or None.

    Parameters
    ----------
    look : also at the samples, for what they hold undeclared.
    """
    paths = [*sample_paths(key), *label_paths(key, containers)]
    for path in paths:
        field = dataset.get_field(path)
        if field is not None and owner(field) != key:
            return path
    return undeclared.first(dataset, paths) if look else None


def locked(dataset, key, containers):
    """Return the first field that is read-only and that a run has to change, or None.

    Parameters
    ----------
    containers : paths of the lists whose labels have, or get, attributes.
    """
    roots = [path.partition(".")[0] for path in containers]
    paths = (*roots, *containers, *written(dataset, key))
    fields = ((path, dataset.get_field(path)) for path in paths)
    return next((path for path, f in fields if getattr(f, "read_only", False)), None)


def written(dataset, key):
    """Return the fields that a run under ``key`` wrote; not the user's copies."""
    own, schema = names(key), dataset.get_field_schema(flat=True)
    return [
        path
        for path, field in schema.items()
        if path.rpartition(".")[2] in own and owner(field) == key
    ]


def containers_of(dataset, key):
    """Return the lists of labels that a run added attributes to."""
    paths = [path.rpartition(".") for path in written(dataset, key)]
    return list(dict.fromkeys(root for root, dot, _ in paths if dot))


def remove(dataset, key):
    """Remove all fields that a run wrote."""
    paths = written(dataset, key)
    if paths:
        dataset.delete_sample_fields(paths)


def write(dataset, key, record):
    """Declare the fields of a run and fill them from what is staged."""
    containers, units = record["containers"], f"{key}_{UNITS}"
    declared = _declared(key, containers, containers[0].rpartition(".")[2])
    before = written(dataset, key)
    kind = declared[units].document_type
    if units in before and dataset.get_field(units).document_type is not kind:
        dataset.delete_sample_field(units)
    dataset.add_dynamic_sample_fields(fields=declared)
    if before:
        _stage_left_out(dataset, key, record)
    staging.merge(dataset, record, _values(key, containers, bool(before)))
    other = [path for path in before if path not in declared]
    if other:
        dataset.delete_sample_fields(other)
    dataset.create_index(f"{key}_alpha")
    dataset.reload()
    _declare_lost(dataset, declared)


def _declare_lost(dataset, declared):
    """Declare again what others overwrote: FiftyOne keeps what the last one says."""
    for _ in range(TRIES):
        if all(dataset.get_field(path) is not None for path in declared):
            return
        dataset.add_dynamic_sample_fields(fields=declared)
        dataset.reload()
    raise KalosError(
        f"Other processes change the fields of '{dataset.name}' at the same time, and "
        "FiftyOne keeps what the last one says. Let them end; what was computed is "
        "stored then, by whatever is done next with its runs."
    )


def move(dataset, old, new):
    """Give all fields of a run new names; may be repeated after a kill."""
    before, units = written(dataset, old), f"{old}_{UNITS}"
    if units not in before:
        return
    mine, containers = names(old), containers_of(dataset, old)
    listed = dataset.get_field(units).document_type._LABEL_LIST_FIELD
    dataset.add_dynamic_sample_fields(fields=_declared(new, containers, listed))
    renamed = dict(zip(mine, names(new), strict=True))
    values = {renamed[path]: f"${path}" for path in sample_paths(old)}
    attributes = [f"{old}_{name}" for name in LABEL_FIELDS]
    added = {renamed[name]: f"$$label.{name}" for name in attributes}
    label = {"$mergeObjects": [without("$$label", attributes), added]}
    for path in containers:
        values.update(filled(path, mapped(f"${path}", "label", label)))
    dataset._sample_collection.update_many(
        {f"{old}_status": {"$ne": None}},
        [
            {"$set": {**values, "last_modified_at": "$$NOW"}},
            {"$unset": sample_paths(old)},
        ],
    )
    dataset.delete_sample_fields(before)
    dataset.create_index(f"{new}_alpha")
    dataset.reload()


def _declared(key, containers, listed):
    """Return the fields of a run by their paths.

    Parameters
    ----------
    listed : the name of the list of units.
    """
    info, units = {OWNER: key}, f"{key}_{UNITS}"
    fields = {
        f"{key}_{name}": ftype(description=words, info=info)
        for name, (ftype, words) in SAMPLE_FIELDS.items()
    }
    attributes = {
        name: {"ftype": ftype, "subfield": subfield, "description": words}
        for name, (ftype, subfield, words) in UNIT_ATTRIBUTES.items()
    }
    words = "One label per object: its class by vote, and who drew it"
    fields[units] = labels_field(
        LABEL_LISTS[listed], attributes, description=words, info=info
    )
    for path in containers:
        for name, (ftype, words) in LABEL_FIELDS.items():
            fields[f"{path}.{key}_{name}"] = ftype(description=words, info=info)
    return fields


def _stage_left_out(dataset, key, record):
    """Stage the samples of an older run that this one does not know, without values."""
    waiting = journal.staged(record).name
    same = {"from": waiting, "localField": "_id", "foreignField": "_id", "as": "new"}
    dataset._sample_collection.aggregate(
        [
            {"$match": {f"{key}_status": {"$ne": None}}},
            {"$lookup": same},
            {"$match": {"new": []}},
            {"$project": {"_id": 1}},
            {"$merge": waiting},
        ]
    )


def _values(key, containers, replacing):
    """Return how a staged document goes into its sample.

    Parameters
    ----------
    replacing : whether an older run may have left attributes in labels.
    """
    values = {f"{key}_{name}": f"$$new.{name}" for name in (*SAMPLE_FIELDS, UNITS)}
    added = {f"{key}_{name}": name for name in LABEL_FIELDS}
    for n, path in enumerate(containers):
        made = labels(path, f"$$new.labels_{n}", added, added if replacing else ())
        values.update(filled(path, made))
    return values
