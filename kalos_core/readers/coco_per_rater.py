"""Plain COCO: one file per rater, none of which says who drew it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..errors import AnnotationError, KalosError
from .coco import read_categories, read_images
from .coco_rows import read_rows
from .coco_shapes import SHAPES
from .document import as_path, entries, naming, read_json
from .table import Table, rater_and_person

Sizes = dict[str, tuple[tuple[float, float], str]]
"""Width and height of images by name, and the file that says so."""


def read_coco_per_rater(
    path: str | Path | Sequence[str | Path], *, shapes: str = "boxes"
) -> Annotations:
    """Return the annotations of several plain COCO files, each of one rater.

    A rater is named after the file, ``ana.json``, and ``ana_S1.json`` holds session 1
    of ana. Images are joined by ``file_name`` and classes by name. A rater is assigned
    to the images that the file lists.

    Parameters
    ----------
    path : a folder with the files (``*.json``), or a list of them.
    shapes : "boxes" (``bbox``), "polygons" (``segmentation``) or "keypoints".
    """
    shapes_of = SHAPES[shapes]
    files, place, kind = _files(path)
    with naming(place, kind) as source:
        table, size = Table([], []), Sizes()
        classes: set[str] = set()
        for file in files:
            with naming(file):
                part, names = _read_file(file, size)
            _join(table, part, file)
            classes |= names
        pixels = np.array([size[table.images[n]][0] for n in table.image])
        geometry = shapes_of(table, pixels.reshape(-1, 2).astype(np.float64))
        return table.annotations(geometry, classes, source)


def _files(path: str | Path | Sequence[str | Path]) -> tuple[list[Path], Path, str]:
    """Return the files, and what to call them in errors."""
    if isinstance(path, str | Path):
        place = as_path(path)
        with naming(place, "folder"):
            if not place.is_dir():
                raise AnnotationError("is not a folder")
            found = place.glob("*.json")
            files = sorted(file for file in found if not file.name.startswith("."))
            if not files:
                raise AnnotationError("has no .json file, of which every rater has one")
        return files, place, "folder"
    if not isinstance(path, list | tuple) or not path:
        raise KalosError(
            f"path must be a folder, or a list of files, one per rater; got {path!r}"
        )
    files = sorted(map(as_path, path), key=lambda file: file.name)
    stems = [file.stem for file in files]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise KalosError(
            f"two files are named {twice!r}, and a file's name is that of its rater; "
            "rename one"
        )
    names = ", ".join(map(str, files[:3])) + (", ..." if len(files) > 3 else "")
    return files, Path(names), "files"


def _read_file(file: Path, size: Sizes) -> tuple[Table, set[str]]:
    """Return what one rater drew, and the names of the classes."""
    rater, person = rater_and_person(file.stem)
    document = read_json(file)
    _enter_rater(document, rater)
    number, in_sessions, sizes, table = read_images(document)
    names = [entry["file_name"] for entry in document["images"]]
    if table.images != names:  # the reader falls back to ids
        twice = next(name for name in names if names.count(name) > 1)
        raise AnnotationError(
            f"image {twice!r} appears twice, and images are joined by file_name",
            image=twice,
        )
    classes = read_categories(document)
    if len(set(classes.values())) < len(classes):
        known = sorted(classes.values())
        twice = next(name for name in known if known.count(name) > 1)
        raise AnnotationError(f"category name {twice!r} appears twice")
    table.persons = [{rater: person} for _ in names]
    for name, own in zip(names, sizes, strict=True):
        other, where = size.setdefault(name, (own, file.name))
        if other != own:
            raise AnnotationError(
                f"image {name!r} must have the size {other[0]} x {other[1]} that it "
                f"has in {where}, got {own[0]} x {own[1]}",
                image=name,
            )
    read_rows(document, number, in_sessions, classes, table)
    return table, set(classes.values())


def _enter_rater(document: dict[str, Any], rater: str) -> None:
    """Write the rater where a file of several raters has it."""
    for key, name, value in (
        ("images", "rater_list", [rater]),
        ("annotations", "rater_id", rater),
    ):
        for n, entry in enumerate(entries(document, key)):
            if name in entry:
                raise AnnotationError(
                    f"{key}[{n}] has {name!r}, so this file names raters itself; read "
                    "it with read_coco (format 'coco')"
                )
            entry[name] = value


def _join(table: Table, part: Table, file: Path) -> None:
    """Add the images and rows of one file; rows are named by file and id."""
    place = {name: n for n, name in enumerate(table.images)}
    for name, persons in zip(part.images, part.persons, strict=True):
        if name not in place:
            place[name] = len(table.images)
            table.images.append(name)
            table.persons.append({})
        table.persons[place[name]] |= persons
    rows = zip(
        part.image, part.rater, part.label, part.annotation_id, part.entry, strict=True
    )
    for image, rater, label, key, entry in rows:
        number = place[part.images[image]]
        table.add(number, rater, label, f"{file.name}:{key}", entry)
