"""The field of a consensus: declared and filled when all of it is staged.

It belongs to the user and outlives its run. Its schema says what it was made from.
"""

import fiftyone as fo

from ..kalos_core import KalosError
from . import journal, staging
from .rater_fields import check_field_name
from .schema import CONSENSUS

ATTRIBUTES = {
    "existence": (fo.FloatField, None, "Part of the raters asked who drew it"),
    "class_confidence": (fo.FloatField, None, "Part of those who gave it the class"),
    "geometry_confidence": (
        fo.FloatField,
        None,
        "1 less the mean distance to the other shapes that were drawn",
    ),
    "raters": (fo.ListField, fo.StringField, "Who drew it"),
}
CONTAINERS = {cls.__name__: cls for cls in (fo.Detections, fo.Polylines, fo.Keypoints)}


def key_of(field):
    """Return the key in the journal, which no run can have."""
    return f"field {field}"


def check_free(dataset, field):
    """Raise if there is a field of that name, or cannot be."""
    check_field_name(field, "consensus")
    if dataset.get_field(field) is not None:
        raise KalosError(_taken(dataset, field))


def made_from(dataset, run_key):
    """Return the fields with a consensus of that run; not the user's copies."""
    infos = {n: _info(f) for n, f in dataset.get_field_schema().items()}
    return [
        name
        for name, info in infos.items()
        if (info.get("field"), info.get("run_key")) == (name, run_key)
    ]


def is_of(record):
    """Return whether a record of the journal is that of a consensus."""
    return "field" in record


def write(steps, dataset, field, container, info, documents, n_documents):
    """Stage the documents and make the field of them.

    Parameters
    ----------
    steps : the journal's work, which holds the name of the field.
    container : the class of the field's values.
    info : what it is made from, as plain JSON values.
    documents : of each sample ``_id`` and ``value``.
    """
    staging.stage(steps, documents, n_documents)
    info = {**info, "field": field, "token": steps.record["token"]}
    steps.ready(field=field, container=container.__name__, info=info)
    if not finish(dataset, steps.record):
        raise KalosError(_taken(dataset, field))


def finish(dataset, record):
    """Make the field of what is staged; may be repeated after a kill.

    Returns False if somebody else has made a field of that name meanwhile.
    """
    field = record["field"]
    with journal.turn_to_write(dataset):
        _remove_begun(dataset, record)
        free = dataset.get_field(field) is None
        if free:
            _declare(dataset, field, CONTAINERS[record["container"]], record["info"])
            staging.merge(dataset, record, {field: "$$new.value"})
            dataset.reload()
        record["written"] = True
    return free


def discard(dataset, field):
    """Remove what is left of a consensus under that name that was killed."""
    for record in journal.abandoned(dataset):
        if record["key"] == key_of(field):
            with journal.turn_to_write(dataset):
                _remove_begun(dataset, record)
            journal.forget(record)


def _remove_begun(dataset, record):
    field = dataset.get_field(record["field"]) if is_of(record) else None
    if field is not None and _info(field).get("token") == record["token"]:
        dataset.delete_sample_field(record["field"])


def _declare(dataset, field, container, info):
    dataset.add_sample_field(
        field,
        fo.EmbeddedDocumentField,
        embedded_doc_type=container,
        description="One label per object, by the votes of the raters",
        info={CONSENSUS: info},
    )
    root = f"{field}.{container._LABEL_LIST_FIELD}"
    for name, (ftype, subfield, words) in ATTRIBUTES.items():
        dataset.add_sample_field(
            f"{root}.{name}", ftype, subfield=subfield, description=words
        )


def _info(field):
    return (field.info or {}).get(CONSENSUS) or {}


def _taken(dataset, field):
    return (
        f"'{dataset.name}' has a field '{field}' already, which is left alone. Choose "
        "another name."
    )
