"""Where raters live in a data set: one field with an attribute, or a field each."""

from dataclasses import asdict, dataclass
from typing import ClassVar

from ..kalos_core import KalosError
from ..kalos_core.readers.coco import ON_UNASSIGNED
from . import new_fields
from .parameters import choice, flag, names, nearest, text
from .schema import (
    KINDS,
    assigned_fields,
    drawn_fields,
    label_fields,
    label_list,
    labels_path,
    rater_attributes,
    simulated,
)
from .views import check_filters, check_media

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
    ``raters`` leaves out all others; None takes everyone. ``on_unassigned`` says what
    to do with labels by raters whom the list does not name, "error" or "drop".
    """

    label_field: str
    rater_attribute: str = RATER_ATTRIBUTE
    assigned: str = ASSIGNED_FIELD
    raters: tuple[str, ...] | None = None
    on_unassigned: str = "error"
    layout: ClassVar = "one_field"
    remedies: ClassVar = (
        f"or count as assigned everyone (assigned='{EVERY_RATER}') or those who drew "
        f"something (assigned='{WHO_DREW}'), or leave such labels out "
        "(on_unassigned='drop')"
    )
    """What else to do where the list of assigned raters lacks one."""

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


_FIELDS = names(
    ("ana", "ben"),
    least=0,
    expected="the name of a field, or a list of them, one for each rater",
)


def _one_or_several(name, value):
    return str(value) if isinstance(value, str) else _FIELDS(name, value)


TAKES = {
    "layout": choice((OneField.layout, FieldPerRater.layout)),
    "label_field": _one_or_several,
    "label_fields": _FIELDS,
    "rater_attribute": text(RATER_ATTRIBUTE),
    "assigned": text(ASSIGNED_FIELD),
    "raters": names(("ana", "ben"), least=2, numbered=True),
    "on_unassigned": choice(ON_UNASSIGNED),
    "drop_unassigned": flag,
}
"""The rules of all parameters that say where raters are."""


def to_params(layout):
    """Return a layout as the parameters of a form or a run: plain JSON values."""
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(layout).items()
    }
    if values.get("on_unassigned") == "error":
        del values["on_unassigned"]  # as layouts were stored before there was a choice
    return {"layout": layout.layout, **values}


def from_arguments(label_field, rater_attribute, assigned, raters, on_unassigned):
    """Return the layout that the arguments of a call from Python describe."""
    if isinstance(label_field, str):
        return OneField(label_field, rater_attribute, assigned, raters, on_unassigned)
    if raters is not None:
        raise KalosError(
            "raters are chosen by name where all are in one field; with a field for "
            f"each, name the fields to compare: label_field={list(raters)!r}, say."
        )
    return FieldPerRater(label_field)


def from_params(params, view):
    """Return the layout that ``params`` describe; the view fills what is missing."""
    kind = params.get("layout") or detect_layout(view).layout
    guess = _per_rater(view) if kind == FieldPerRater.layout else _one_field(view)
    given = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in params.items()
        if name in asdict(guess) and value is not None
    }
    if "drop_unassigned" in params and "on_unassigned" in asdict(guess):
        given["on_unassigned"] = "drop" if params["drop_unassigned"] else "error"
    return type(guess)(**{**asdict(guess), **given})


def detect_layout(view):
    """Return the layout that the view seems to have."""
    per_rater = _per_rater(view)
    few = len(per_rater.label_fields) < 2
    return _one_field(view) if _with_rater(view) or few else per_rater


def _likely_fields(view):
    """Return the fields that people drew, if raters are there, else synthetic ones too.

    Whoever simulates raters beside real ones wants to compare the real ones first.
    """
    fields = drawn_fields(view)
    real = [name for name in fields if not simulated(view, name)]
    with_rater = any(RATER_ATTRIBUTE in rater_attributes(view, f) for f in real)
    return real if with_rater or len(real) > 1 else fields


def _with_rater(view):
    return [
        name
        for name in _likely_fields(view)
        if RATER_ATTRIBUTE in rater_attributes(view, name)
    ]


def _one_field(view):
    fields, lists = _likely_fields(view), assigned_fields(view)
    with_rater = _with_rater(view)
    label_field = next(iter(with_rater + fields), "")
    attributes = [RATER_ATTRIBUTE, *rater_attributes(view, label_field)]
    assigned = [ASSIGNED_FIELD] if ASSIGNED_FIELD in lists else [*lists, EVERY_RATER]
    return OneField(
        label_field, attributes[0] if with_rater else attributes[-1], assigned[0]
    )


def _per_rater(view):
    """Return the fields of the kind that most fields are of."""
    fields = _likely_fields(view)
    kinds = [label_list(view, name) for name in fields]
    most = max(kinds, key=kinds.count, default=None)
    return FieldPerRater(tuple(f for f in fields if label_list(view, f) is most))


def left_out(found):
    """Return in words how many labels were dropped, as one more sentence; or nothing.

    Parameters
    ----------
    found : the results of work, with "n_dropped".
    """
    if not found["n_dropped"]:
        return ""
    return f" Left out as their raters were not assigned: {found['n_dropped']} labels."


def containers(view, layout):
    """Return the paths of the lists that hold the raters' labels."""
    return [labels_path(view, field) for field in layout.label_fields]


def check_layout(view, layout, first=None):
    """Raise a `KalosError` if the view cannot be read with that layout.

    ``first`` looks at that many samples only, for a form that must open at once.
    """
    check_media(view)
    if not view.limit(1):
        raise KalosError("There are no samples to audit: the view is empty.")
    new_fields.settle(view._root_dataset, layout.label_fields)
    for name in layout.label_fields:
        check_label_field(view, name)
    if isinstance(layout, FieldPerRater):
        _check_per_rater(view, layout)
    else:
        _check_one_field(view, layout, first)
    listed = getattr(layout, "assigned", EVERY_RATER)
    others = () if listed in (EVERY_RATER, WHO_DREW) else (listed,)
    check_filters(view, layout.label_fields, others)


def check_label_field(view, name):
    """Raise a `KalosError` if there is no such field of labels."""
    if label_list(view, name):
        return
    choices = label_fields(view)
    if not choices:
        raise KalosError(
            f"There is no field of labels ({KINDS}) to compare. Add the raters' "
            "labels first, or try the demo data set."
        )
    known = f"Fields of labels are: {', '.join(choices)}."
    if name in view.get_field_schema():
        raise KalosError(f"Field '{name}' does not hold {KINDS}. {known}")
    raise KalosError(f"There is no field '{name}'. {known}{nearest(name, choices)}")


def _check_per_rater(view, layout):
    names = layout.label_fields
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise KalosError(f"Field '{twice}' is chosen twice; choose one for each rater.")
    if len(names) < 2:
        raise KalosError(
            "Choose at least two fields, one for each rater; got "
            f"{', '.join(names) or 'none'}."
        )
    kind = {name: label_list(view, name).__name__ for name in names}
    other = next((name for name in names if kind[name] != kind[names[0]]), None)
    if other:
        raise KalosError(
            f"All raters' fields must be of one kind, but '{names[0]}' holds "
            f"{kind[names[0]]} and '{other}' {kind[other]}. Choose fields of one kind."
        )


def _check_one_field(view, layout, first):
    name, attribute = layout.label_field, layout.rater_attribute
    if attribute not in rater_attributes(view, name):
        _check_undeclared(view, name, attribute, first)
    if layout.assigned in (EVERY_RATER, WHO_DREW):
        return
    if layout.assigned not in assigned_fields(view):
        raise KalosError(
            f"There is no list field '{layout.assigned}' that names the raters "
            "assigned to each sample. Choose another, or say that every rater saw "
            f"every sample ('{EVERY_RATER}') or only those who drew ('{WHO_DREW}')."
        )


def _check_undeclared(view, name, attribute, first):
    """Raise unless the attribute is in the data, though it is not declared."""
    seen = view if first is None else view.limit(first)
    if seen.count(f"{labels_path(view, name)}.{attribute}"):
        return
    hint = (
        ""
        if first is None
        else f" (Only {first} samples were looked at; if others have it, declare it: "
        "dataset.add_dynamic_sample_fields().)"
    )
    raise KalosError(
        f"No label in field '{name}' has an attribute '{attribute}' that says who drew "
        f"it. Choose another attribute, or the layout with a field per rater.{hint}"
    )
