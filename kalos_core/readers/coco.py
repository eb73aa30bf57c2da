"""COCO-style JSON with ``rater_list`` per image and ``rater_id`` per annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..checks import shown
from ..errors import AnnotationError
from ..registry import Registry
from .coco_rows import read_rows
from .coco_shapes import SHAPES
from .document import (
    as_list,
    as_name,
    as_path,
    entries,
    naming,
    read_json,
    size_of,
)
from .table import Table, session_name

ON_UNASSIGNED = Registry("on_unassigned", error=False, drop=True)


def read_coco(
    path: str | Path, *, shapes: str = "boxes", on_unassigned: str = "error"
) -> Annotations:
    """Return the annotations of a COCO-style file.

    Where ``rater_list`` maps raters to their sessions, every session is a rater of its
    own, "ana (S1)", and ``identity`` holds the person.

    Parameters
    ----------
    path : the file.
    shapes : "boxes" (``bbox``), "polygons" (``segmentation``) or "keypoints".
    on_unassigned : what happens to annotations by raters whom the image's
        ``rater_list`` does not name: "error", or "drop" with a warning. The reference
        drops them in silence.
    """
    path = as_path(path)
    drop, shapes_of = ON_UNASSIGNED[on_unassigned], SHAPES[shapes]
    with naming(path) as source:
        document = read_json(path)
        number, in_sessions, size, table = read_images(document)
        names = read_categories(document)
        read_rows(document, number, in_sessions, names, table)
        if drop:
            table.drop_unassigned(path, stacklevel=2)
        pixels = np.array(size, dtype=np.float64).reshape(-1, 2)
        of_rows = pixels[np.array(table.image, dtype=np.int64)]
        geometry = shapes_of(table, of_rows)
        return table.annotations(geometry, names.values(), source)


def read_images(
    document: dict[str, Any],
) -> tuple[dict[str, int], list[bool], list[tuple[float, float]], Table]:
    """Return numbers by id, whether raters have sessions, sizes, and an empty table."""
    found = entries(document, "images", "id", "file_name")
    number: dict[str, int] = {}
    for n, entry in enumerate(found):
        name = as_name(entry["id"], f"the id of images[{n}]")
        if number.setdefault(name, n) != n:
            raise AnnotationError(f"image id {name!r} appears twice", image=name)
        if not isinstance(entry["file_name"], str):
            raise AnnotationError(
                f"images[{n}] must have text as file_name, "
                f"got {shown(entry['file_name'])}"
            )
    images = [entry["file_name"] for entry in found]
    if len(set(images)) < len(images):
        images = list(number)
    table = Table(images, [])
    in_sessions, size = [], []
    for image, entry in zip(images, found, strict=True):
        size.append(size_of(entry, image))
        in_sessions.append(isinstance(entry.get("rater_list"), dict))
        table.persons.append(_read_raters(entry, image))
    return number, in_sessions, size, table


def _read_raters(entry: dict[str, Any], image: str) -> dict[str, str]:
    """Return the raters of an image, each with the person behind."""
    if "rater_list" not in entry:
        raise AnnotationError(f"image {image!r} has no 'rater_list'", image=image)
    listed = entry["rater_list"]
    what = f"the rater_list of image {image!r}"
    if isinstance(listed, list):
        names = [as_name(rater, f"a rater in {what}") for rater in listed]
        raters = [(name, name) for name in names]
    elif isinstance(listed, dict):
        raters = [
            (session_name(rater, as_name(session, f"a session in {what}")), rater)
            for rater, sessions in listed.items()
            for session in as_list(sessions, f"the sessions of {rater!r} in {what}")
        ]
    else:
        raise AnnotationError(
            f"{what} must be a list of raters, or an object of raters and their "
            f"sessions, got {shown(listed)}",
            image=image,
        )
    persons = dict(raters)
    if len(persons) < len(raters):
        rows = [row for row, _ in raters]
        twice = next(row for row in rows if rows.count(row) > 1)
        raise AnnotationError(f"{what} names {twice!r} twice", image=image)
    return persons


def read_categories(document: dict[str, Any]) -> dict[str, str]:
    """Return names of classes by id."""
    names: dict[str, str] = {}
    for n, entry in enumerate(entries(document, "categories", "id", "name")):
        key = as_name(entry["id"], f"the id of categories[{n}]")
        name = as_name(entry["name"], f"the name of category {key!r}")
        if key in names:
            raise AnnotationError(f"category id {key!r} appears twice")
        if key == "-1":
            raise AnnotationError(
                f"category id -1 (name {name!r}) is reserved for 'no object'; give the "
                "category another id"
            )
        names[key] = name
    return names
