"""The ``annotations`` of a COCO-style document: id, image, rater and class of each."""

from __future__ import annotations

from typing import Any

from ..checks import shown
from ..errors import AnnotationError
from .document import as_name, entries
from .table import Table, blame, session_name


def read_rows(
    document: dict[str, Any],
    number: dict[str, int],
    in_sessions: list[bool],
    names: dict[str, str],
    table: Table,
) -> None:
    """Add every annotation to the table.

    Parameters
    ----------
    document : the whole file.
    number : the images by their ids.
    in_sessions : for each image, whether its ``rater_list`` has sessions.
    names : names of classes by id.
    table : where the images are, and the rows go.
    """
    seen: set[str] = set()
    sessions: dict[tuple[int, str], str] = {}
    for n, entry in enumerate(entries(document, "annotations", "image_id")):
        key = _key(entry, n, number, table.images)
        image_id = as_name(entry["image_id"], f"the image_id of annotation {key!r}")
        if image_id not in number:
            raise AnnotationError(
                f"annotation {key!r} is of image {image_id!r}, which is not among the "
                f"{len(number)} images of the file",
                image=image_id,
                annotation_id=key,
            )
        image = number[image_id]
        if key in seen:
            raise blame(key, table.images[image], "has the id of another one")
        seen.add(key)
        try:
            rater = _rater(entry, in_sessions[image])
            if not in_sessions[image] and entry.get("session_id") is not None:
                _check_session(entry, sessions, (image, rater))
            label = _label(entry, names)
        except AnnotationError as error:
            raise blame(key, table.images[image], str(error)) from error
        table.add(image, rater, label, key, entry)


def _key(
    entry: dict[str, Any], n: int, number: dict[str, int], images: list[str]
) -> str:
    """Return the id of the n-th annotation."""
    try:
        if "id" not in entry:
            raise AnnotationError("has no 'id'")
        return as_name(entry["id"], "is wrong: its id")
    except AnnotationError as error:
        image = number.get(str(entry["image_id"]))
        name = None if image is None else images[image]
        place = f"annotations[{n}]" + (f" (image {name!r})" if name else "")
        raise AnnotationError(f"{place} {error}", image=name) from error


def _check_session(
    entry: dict[str, Any], sessions: dict[tuple[int, str], str], who: tuple[int, str]
) -> None:
    """Raise if two sessions of a rater would become one.

    Like the reference, a ``session_id`` that tells nothing apart is left alone.
    """
    session = as_name(entry["session_id"], "is wrong: its session_id")
    other = sessions.setdefault(who, session)
    if other != session:
        raise AnnotationError(
            f"has session_id {session!r} and another one by rater {who[1]!r} has "
            f"{other!r}; the rater_list of the image must then be an object of raters "
            "and their sessions, got a list"
        )


def _rater(entry: dict[str, Any], in_sessions: bool) -> str:
    if "rater_id" not in entry:
        raise AnnotationError("has no 'rater_id'")
    rater = as_name(entry["rater_id"], "is wrong: its rater_id")
    if not in_sessions:
        return rater
    if entry.get("session_id") is None:
        raise AnnotationError(
            "has no 'session_id', and the rater_list of its image has sessions"
        )
    return session_name(rater, as_name(entry["session_id"], "is wrong: its session_id"))


def _label(entry: dict[str, Any], names: dict[str, str]) -> str:
    if "category_id" not in entry:
        raise AnnotationError("has no 'category_id'")
    label = as_name(entry["category_id"], "is wrong: its category_id")
    if label == "-1":
        raise AnnotationError("has category -1, which is reserved for 'no object'")
    if label not in names:
        raise AnnotationError(
            f"has category {label!r}, expected one of {shown(sorted(names))}"
        )
    return names[label]
