"""Where raters live in a data set: one field with an attribute, or a field each."""

from dataclasses import asdict, dataclass
from typing import ClassVar

import fiftyone as fo
from fiftyone.core.collections import SampleCollection

from ..kalos_core import KalosError

EVERY_RATER = "@all"
"""Every rater of the view was assigned to each of its samples."""

WHO_DREW = "@drew"
"""Only those who drew something on a sample were assigned to it."""

RATER_ATTRIBUTE = "rater"
ASSIGNED_FIELD = "raters"


@dataclass(frozen=True)
class OneField:
    """All raters' labels in one field; an attribute of each label names its rater.

    ``assigned`` is a list field of rater names, ``EVERY_RATER`` or ``WHO_DREW``.
    ``raters`` leaves out all others; None takes everyone.
    """

    label_field: str
    rater_attribute: str = RATER_ATTRIBUTE
    assigned: str = ASSIGNED_FIELD
    raters: tuple[str, ...] | None = None
    layout: ClassVar = "one_field"

    @property
    def label_fields(self):
        """The fields that hold labels."""
        return (self.label_field,)


@dataclass(frozen=True)
class FieldPerRater:
    """A label field for each rater, named after the rater.

    A rater is assigned to a sample if the field is not None there; an empty field
    means that the rater saw the sample and found nothing.
    """

    label_fields: tuple[str, ...]
    layout: ClassVar = "field_per_rater"


def to_params(layout):
    """Return a layout as the parameters of a form or a run."""
    return {"layout": layout.layout, **asdict(layout)}


def from_params(params, view):
    """Return the layout that ``params`` describe; the view fills what is missing."""
    kind = params.get("layout") or detect_layout(view).layout
    guess = _per_rater(view) if kind == FieldPerRater.layout else _one_field(view)
    given = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in params.items()
        if name in asdict(guess) and value is not None
    }
    return type(guess)(**{**asdict(guess), **given})


def detect_layout(view):
    """Return the layout that the view seems to have."""
    fields = label_fields(view)
    with_rater = any(RATER_ATTRIBUTE in rater_attributes(view, f) for f in fields)
    return _one_field(view) if with_rater or len(fields) < 2 else _per_rater(view)


def _one_field(view):
    fields, lists = label_fields(view), assigned_fields(view)
    with_rater = [f for f in fields if RATER_ATTRIBUTE in rater_attributes(view, f)]
    label_field = next(iter(with_rater + fields), "")
    attributes = [RATER_ATTRIBUTE, *rater_attributes(view, label_field)]
    assigned = [ASSIGNED_FIELD] if ASSIGNED_FIELD in lists else [*lists, EVERY_RATER]
    return OneField(
        label_field, attributes[0] if with_rater else attributes[-1], assigned[0]
    )


def _per_rater(view):
    return FieldPerRater(tuple(label_fields(view)))


def label_fields(view):
    """Return the names of the fields of boxes."""
    return [
        name
        for name, field in view.get_field_schema().items()
        if getattr(field, "document_type", None) is fo.Detections
    ]


def assigned_fields(view):
    """Return the names of the fields that may list the assigned raters."""
    return [
        name
        for name, field in view.get_field_schema(ftype=fo.ListField).items()
        if isinstance(field.field, (fo.StringField, fo.IntField)) and name != "tags"
    ]


def rater_attributes(view, label_field):
    """Return the declared attributes of a field's labels that may name the rater."""
    if label_field not in label_fields(view):
        return []
    labels = view.get_field(f"{label_field}.detections").field
    return [
        name
        for name, field in labels.get_field_schema().items()
        if isinstance(field, (fo.StringField, fo.IntField))
        and name not in ("label", "mask_path", "index")
    ]


def check_layout(view, layout):
    """Raise a `KalosError` if the view cannot be read with that layout."""
    if not isinstance(view, SampleCollection):
        raise KalosError(
            f"A data set or a view is expected, got {view!r}. Load a data set by its "
            "name with fiftyone.load_dataset(...)"
        )
    _check_media(view)
    if not view:
        raise KalosError("There are no samples to audit: the view is empty.")
    for name in layout.label_fields:
        _check_label_field(view, name)
    if isinstance(layout, FieldPerRater):
        _check_per_rater(layout)
    else:
        _check_one_field(view, layout)
    _check_filters(view, layout)


def _check_media(view):
    if view.media_type == "video":
        raise KalosError(
            "This is a video data set; this audit compares labels of single images. "
            "Audit a copy of its frames: dataset.to_frames(sample_frames=True).clone()"
        )
    if view.media_type == "group":
        raise KalosError(
            "This is a grouped data set; this audit needs one of its slices. "
            "Choose it in Python: dataset.select_group_slices(...)"
        )
    if view.media_type not in ("image", None):  # None: no sample was ever added
        raise KalosError(
            f"This data set holds media of type '{view.media_type}'; this audit "
            "compares labels of images."
        )
    if view._is_generated:
        raise KalosError(
            "This view shows patches, frames or clips. Go back to the samples that "
            "they are cut from."
        )


def _check_label_field(view, name):
    choices = label_fields(view)
    if name in choices:
        return
    if not choices:
        raise KalosError(
            "There is no field of boxes (Detections) to compare. Add the raters' "
            "boxes first, or try the demo data set."
        )
    known = f"Fields of boxes are: {', '.join(choices)}."
    if name in view.get_field_schema():
        raise KalosError(f"Field '{name}' does not hold boxes (Detections). {known}")
    raise KalosError(f"There is no field '{name}'. {known}")


def _check_per_rater(layout):
    names = layout.label_fields
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise KalosError(f"Field '{twice}' is chosen twice; choose one for each rater.")
    if len(names) < 2:
        raise KalosError(
            "Choose at least two fields, one for each rater; got "
            f"{', '.join(names) or 'none'}."
        )


def _check_one_field(view, layout):
    name, attribute = layout.label_field, layout.rater_attribute
    if attribute not in rater_attributes(view, name):
        # The attribute may be in the data without being declared.
        if not view.count(f"{name}.detections.{attribute}"):
            raise KalosError(
                f"No label in field '{name}' has an attribute '{attribute}' that says "
                "who drew it. Choose another attribute, or the layout with a field "
                "per rater."
            )
    if layout.assigned in (EVERY_RATER, WHO_DREW):
        return
    if layout.assigned not in assigned_fields(view):
        raise KalosError(
            f"There is no list field '{layout.assigned}' that names the raters "
            "assigned to each sample. Choose another, or say that every rater saw "
            f"every sample ('{EVERY_RATER}') or only those who drew ('{WHO_DREW}')."
        )


def _check_filters(view, layout):
    """Refuse hidden labels: each would count as an object that its rater missed."""
    filtered = view.view()._get_filtered_fields() or []
    for name in layout.label_fields:
        if name in {path.split(".")[0] for path in filtered}:
            raise KalosError(
                f"This view hides some labels of field '{name}', and what is hidden "
                "would count as missed. Clear the label filters; to leave out raters, "
                "name the ones to compare (raters=[...] or a list of fields)."
            )
