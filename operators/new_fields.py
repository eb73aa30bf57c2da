"""New fields of labels: declared and filled when all that goes into them is staged.

They belong to the user and outlive the work that made them. Their schema says which
work that was, so that a field that a kill left half-filled is known as such.
"""

import fiftyone as fo
from fiftyone.core.odm import create_field

from ..kalos_core import KalosError
from . import journal, staging, undeclared
from .schema import LABEL_LISTS, labels_field

KINDS = {
    "float": {"ftype": fo.FloatField},
    "string": {"ftype": fo.StringField},
    "strings": {"ftype": fo.ListField, "subfield": fo.StringField},
}
"""What attributes can hold, by names that a record can hold; fields also labels."""

CONTAINERS = {document.__name__: document for document in LABEL_LISTS.values()}


def check_free(dataset, names, look=True):
    """Raise if there is a field of one of these names, be it empty.

    Parameters
    ----------
    look : also at the samples, for what they hold undeclared.
    """
    for name in names:
        if dataset.get_field(name) is not None:
            raise KalosError(taken(dataset, name))
    name = undeclared.first(dataset, names) if look else None
    if name is not None:
        raise KalosError(
            f"Samples of '{dataset.name}' hold a value '{name}', which is not declared "
            "as a field and is left alone. Choose another name."
        )


def taken(dataset, name):
    """Return in words that there is a field of that name."""
    return (
        f"'{dataset.name}' has a field '{name}' already, which is left alone, filled "
        "or not. Choose another name, or delete that field first."
    )


def is_of(record):
    """Return whether a record of the journal is that of new fields, ready to write."""
    return "declared" in record


def ready(steps, declared, mark, info, **more):
    """Note that all is staged: of each sample ``_id`` and the fields by name.

    Parameters
    ----------
    steps : the journal's work.
    declared : path, kind and description of each field and attribute: one of ``KINDS``
        or, of a field, of ``CONTAINERS``.
    mark : under which the schema keeps ``info``, what the fields are made from.
    more : what else the record is to hold.
    """
    info = {**info, "token": steps.record["token"]}
    steps.ready(declared=[list(one) for one in declared], mark=mark, info=info, **more)


def finish(dataset, record):
    """Make the fields of what is staged; may be repeated after a kill.

    Returns the name of a field that somebody else has made meanwhile, if any; nothing
    is written then.
    """
    with journal.turn_to_write(dataset):
        theirs = _theirs(dataset, record)
        if theirs is None:
            _declare(dataset, record)
            # A second time nothing is replaced: labels may have been edited since.
            values = {n: {"$ifNull": [f"${n}", f"$$new.{n}"]} for n in names(record)}
            staging.merge(dataset, record, values)
            dataset.reload()
        else:
            begun = _begun(dataset, record)
            _remove(dataset, [n for n in begun if not dataset.exists(n).limit(1)])
        record["written"] = True
    return theirs


def discard(dataset, record):
    """Remove the fields that the work of a record has begun to write."""
    with journal.turn_to_write(dataset):
        _remove(dataset, _begun(dataset, record))


def settle(dataset, wanted):
    """Finish what a kill left of these fields; raise if one is being filled."""
    for record in journal.abandoned(dataset):
        if _concerns(record, wanted):
            journal.take_over(record, lambda own: finish(dataset, own))
    for record in journal.at_work(dataset):
        if _concerns(record, wanted):
            raise KalosError(
                f"The {journal.in_words(record)} is writing its labels to "
                f"'{dataset.name}' just now. Try again when it is done."
            )
    for record in journal.abandoned(dataset):
        if _concerns(record, wanted):
            raise KalosError(journal.unfinished(record))


def names(record):
    """Return the fields that a record is to write."""
    return [path for path, *_ in record["declared"] if "." not in path]


def _concerns(record, wanted):
    return is_of(record) and any(name in wanted for name in names(record))


def _begun(dataset, record):
    """Return those of a record's fields that it has declared."""
    if not is_of(record):
        return []
    return [name for name in names(record) if _is_mine(dataset.get_field(name), record)]


def _theirs(dataset, record):
    begun = _begun(dataset, record)
    others = (name for name in names(record) if name not in begun)
    return next((n for n in others if dataset.get_field(n) is not None), None)


def _is_mine(field, record):
    info = (field.info if field is not None else None) or {}
    return (info.get(record["mark"]) or {}).get("token") == record["token"]


def _remove(dataset, begun):
    if begun:
        dataset.delete_sample_fields(begun)


def _declare(dataset, record):
    fields = {}
    for name, kind, words in record["declared"]:
        if "." in name:
            continue
        about = {
            "description": words,
            "info": {record["mark"]: {**record["info"], "field": name}},
        }
        if kind in CONTAINERS:
            attributes = _attributes(record, name)
            fields[name] = labels_field(CONTAINERS[kind], attributes, **about)
        else:
            fields[name] = create_field(name, **KINDS[kind], **about)
    dataset.add_dynamic_sample_fields(fields=fields)


def _attributes(record, name):
    """Return how to create the attributes of a field of labels."""
    return {
        path.rpartition(".")[2]: {**KINDS[kind], "description": words}
        for path, kind, words in record["declared"]
        if path.startswith(f"{name}.")
    }
