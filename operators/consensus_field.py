"""The field of a consensus: declared and filled when all of it is staged.

Its schema says what it was made from.
"""

from ..kalos_core import KalosError
from . import journal, new_fields, staging
from .rater_fields import check_field_name
from .schema import CONSENSUS

WHAT = "consensus"
ATTRIBUTES = {
    "existence": ("float", "Part of the raters asked who drew it"),
    "class_confidence": ("float", "Part of those who gave it the class"),
    "geometry_confidence": (
        "float",
        "1 less the mean distance to the other shapes that were drawn",
    ),
    "raters": ("strings", "Who drew it"),
}


def check_free(dataset, field, look=True):
    """Raise if there is a field of that name, or cannot be."""
    check_field_name(field, WHAT)
    new_fields.check_free(dataset, [field], look)


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
    return record["what"] == WHAT


def write(steps, dataset, field, container, info, documents, n_documents):
    """Stage the documents and make the field of them.

    Parameters
    ----------
    steps : the journal's work, which holds the name of the field.
    container : the class of the field's values.
    info : what it is made from, as plain JSON values.
    documents : of each sample ``_id`` and the value by the field's name.
    """
    staging.stage(steps, documents, n_documents)
    root = f"{field}.{container._LABEL_LIST_FIELD}"
    words = "One label per object, by the votes of the raters"
    declared = [
        (field, container.__name__, words),
        *((f"{root}.{name}", *own) for name, own in ATTRIBUTES.items()),
    ]
    new_fields.ready(steps, declared, CONSENSUS, info)
    if new_fields.finish(dataset, steps.record):
        raise KalosError(new_fields.taken(dataset, field))


def discard(dataset, field):
    """Remove what is left of a consensus under that name that was killed."""
    for record in journal.abandoned(dataset):
        if record["key"] == journal.key_of(field, WHAT):
            journal.take_over(record, lambda own: new_fields.discard(dataset, own))


def _info(field):
    return (field.info or {}).get(CONSENSUS) or {}
