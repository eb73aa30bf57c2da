"""Names of fields: those that a person chose, and one for each rater."""

import keyword
import re

import fiftyone as fo

from ..kalos_core import KalosError

PREFIX = "rater_"


def check_field_name(name, what):
    """Raise if a field, or an attribute of labels, cannot have that name."""
    if not _is_plain(name):
        raise KalosError(
            f"The {what} must have a name like 'ratings' (letters, digits, "
            f"underscores, a letter first) that FiftyOne does not use; got {name!r}."
        )


def field_of_raters(raters):
    """Return a field for each rater, the name itself where that can be one.

    Raises
    ------
    KalosError
        If two raters would share a field.
    """
    fields = {rater: _field_of(rater) for rater in raters}
    taken = {}
    for rater, field in fields.items():
        other = taken.setdefault(field, rater)
        if other != rater:
            raise KalosError(
                f"Raters {other!r} and {rater!r} would share the field '{field}'. "
                "Import them into one field, where a name may be anything."
            )
    return fields


def _field_of(rater):
    if _is_plain(rater):
        return rater
    name = re.sub(r"\W+", "_", rater).strip("_")
    return name if _is_plain(name) else f"{PREFIX}{name}"


def _is_plain(name):
    return (
        isinstance(name, str)
        and name.isidentifier()
        and not name.startswith("_")
        and not keyword.iskeyword(name)
        and not hasattr(fo.Sample, name)
        and name not in DEFAULT_FIELDS
    )


DEFAULT_FIELDS = frozenset(fo.Sample(filepath="image.jpg").field_names)
