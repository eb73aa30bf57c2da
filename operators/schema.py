"""Which fields of a data set can hold what raters drew; read off its schema."""

import fiftyone as fo
from fiftyone.core.odm import create_field

LABEL_LISTS = {
    document._LABEL_LIST_FIELD: document
    for document in (fo.Detections, fo.Polylines, fo.Keypoints)
}
"""Documents that hold the labels of a sample, by the name of their list."""

OWNER, CONSENSUS, IMPORT = "kalos_run", "kalos_consensus", "kalos_import"
SIMULATION = "kalos_simulation"
"""In the info of a field: the run that it belongs to, or what it was made from."""

KINDS = "Detections, Polylines or Keypoints"


def owner(field):
    """Return the key of the run that a field belongs to, if any."""
    return (field.info or {}).get(OWNER)


def labels_field(document, attributes, **about):
    """Return a new field of labels with all their attributes.

    To be declared at once: what other processes do meanwhile may move it in the schema,
    where FiftyOne finds it by its place.

    Parameters
    ----------
    document : the class of its values.
    attributes : how to create the field of each, by name.
    """
    listed = document._LABEL_LIST_FIELD
    label = getattr(document, listed).field.document_type
    labels = create_field(
        listed,
        fo.ListField,
        subfield=fo.EmbeddedDocumentField,
        embedded_doc_type=label,
        fields=[create_field(name, **how) for name, how in attributes.items()],
    )
    return fo.EmbeddedDocumentField(document, fields=[labels], **about)


def label_list(view, name):
    """Return the class of the label lists in field ``name``, or None."""
    return _label_list(view.get_field_schema().get(name))


def label_fields(view):
    """Return the names of the fields that hold labels, but not those of runs."""
    schema = view.get_field_schema()
    return [
        name
        for name, field in schema.items()
        if _label_list(field) and not owner(field)
    ]


def drawn_fields(view):
    """Return those that raters may have drawn: all but what runs made."""
    schema = view.get_field_schema()
    made = {OWNER, CONSENSUS}
    return [f for f in label_fields(view) if made.isdisjoint(schema[f].info or ())]


def simulated(view, name):
    """Return whether synthetic raters drew what is in a field."""
    return SIMULATION in (view.get_field_schema()[name].info or ())


def _label_list(field):
    document = getattr(field, "document_type", None)
    return document if document in LABEL_LISTS.values() else None


def labels_path(view, name):
    """Return the path to the labels of field ``name``, "gt.detections" say."""
    return f"{name}.{label_list(view, name)._LABEL_LIST_FIELD}"


def assigned_fields(view):
    """Return the names of the fields that may list the assigned raters."""
    return [
        name
        for name, field in view.get_field_schema(ftype=fo.ListField).items()
        if isinstance(field.field, (fo.StringField, fo.IntField)) and name != "tags"
    ]


def rater_attributes(view, label_field):
    """Return the declared attributes of a field's labels that may name the rater."""
    if not label_list(view, label_field):
        return []
    labels = view.get_field(labels_path(view, label_field)).field
    return [
        name
        for name, field in labels.get_field_schema().items()
        if isinstance(field, (fo.StringField, fo.IntField))
        and name not in ("label", "mask_path", "index")
        and not owner(field)
    ]
