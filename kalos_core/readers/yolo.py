"""YOLO: a folder per rater with a text file per image."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..annotations import Annotations
from ..errors import AnnotationError
from ..geometry import Boxes
from .document import as_float, as_path, naming, read_text
from .names import class_names, listed_names, unique
from .table import Table, rater_and_person

CLASSES = "classes.txt"
NAMES = {"data.yaml": class_names, CLASSES: listed_names}

FARTHEST = 2.0
"""Relative numbers may leave the image by some rounding, but not by this much."""


def read_yolo(path: str | Path) -> Annotations:
    """Return the boxes of a folder that holds a folder of YOLO labels per rater.

    A rater is assigned to the images for which there is a file, be it empty. A folder
    ``ana_S1`` holds session 1 of ana. Classes are named by the ``data.yaml`` or the
    ``classes.txt`` (of LabelImg) of the folder or else of the raters' folders; without
    any, their numbers are their names.

    Parameters
    ----------
    path : the folder.
    """
    path = as_path(path)
    with naming(path, "folder") as source:
        files = _rater_files(path)
        images = sorted({file.stem for found in files.values() for file in found})
        number = {image: n for n, image in enumerate(images)}
        table = Table(images, [{} for _ in images])
        names = _read_names(path, list(files))
        for folder, found in files.items():
            rater, person = rater_and_person(folder)
            for file in found:
                image = number[file.stem]
                if rater in table.persons[image]:
                    raise AnnotationError(f"two folders stand for rater {rater!r}")
                table.persons[image][rater] = person
                _read_rows(table, file, image, rater, names)
        classes = names.values() or set(table.label)
        return table.annotations(_boxes(table), classes, source)


def _boxes(table: Table) -> Boxes:
    """Return the boxes of the rows, which must be relative to the image."""
    boxes = table.finite(table.entry, range(len(table)), "a box").reshape(-1, 4)
    centre, size = np.hsplit(boxes, 2)
    low, high = centre - size / 2, centre + size / 2
    pixels = (np.abs(boxes) > FARTHEST) | np.tile((low > 1) | (high < 0), 2)
    if pixels.any():
        row = int(pixels.any(axis=1).argmax())
        raise table.error(
            row,
            "must have a box relative to the image, with numbers from 0 to 1, "
            f"got {table.entry[row]}, which is outside or in pixels",
        )
    return Boxes(np.hstack([low, size]))


def _rater_files(path: Path) -> dict[str, list[Path]]:
    """Return the label files of every rater's folder."""
    if not path.is_dir():
        raise AnnotationError("is not a folder")
    files = {}
    for folder in sorted(path.iterdir()):
        if not folder.is_dir() or folder.name.startswith("."):
            continue
        found = sorted(f for f in folder.glob("*.txt") if f.name != CLASSES)
        if found:
            files[folder.name] = found
        else:  # a folder of images, say
            deeper = next((f for f in folder.rglob("*.txt") if f.name != CLASSES), None)
            if deeper is not None:
                raise AnnotationError(
                    "label files must lie directly in the folder of their rater, got "
                    f"'{deeper.relative_to(path).as_posix()}'"
                )
    if not files:
        raise AnnotationError("has no folder of a rater with .txt files")
    return files


def _read_names(path: Path, folders: list[str]) -> dict[int, str]:
    """Return names of classes by number; none where no file has them."""
    found = [path / name for name in NAMES if (path / name).exists()][:1]
    if not found:
        found = [path / folder / name for folder in folders for name in NAMES]
    read = {}
    for file in found:
        if file.exists():
            place = file.relative_to(path).as_posix()
            try:
                read[place] = unique(NAMES[file.name](read_text(file)))
            except AnnotationError as error:
                raise AnnotationError(f"{place}: {error}") from error
    names: dict[int, str] = next(iter(read.values()), {})
    for place, other in read.items():
        if other != names:
            raise AnnotationError(
                f"all files of names must have the same names, got {names} in "
                f"{next(iter(read))} and {other} in {place}; one data.yaml beside the "
                "raters' folders takes their place"
            )
    return names


def _read_rows(
    table: Table, file: Path, image: int, rater: str, names: dict[int, str]
) -> None:
    """Add the boxes of a file to the table, named by file and line."""
    place = f"{file.parent.name}/{file.name}"
    try:
        lines = read_text(file).splitlines()
    except AnnotationError as error:
        raise AnnotationError(f"{place} {error}", image=file.stem) from error
    for n, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            label, *box = map(as_float, line.split())
        except ValueError:
            box = []
        if len(box) != 4:
            raise AnnotationError(
                f"{place}, line {n} (image {file.stem!r}) must have five numbers: "
                f"class, x centre, y centre, width and height, got {line.strip()!r}",
                image=file.stem,
                annotation_id=f"{place}:{n}",
            )
        if not label.is_integer() or label < 0 or (names and label not in names):
            known = f"one of {sorted(names)}" if names else "a whole number from 0"
            raise AnnotationError(
                f"{place}, line {n} (image {file.stem!r}) must have as class {known}, "
                f"got {line.split()[0]}",
                image=file.stem,
                annotation_id=f"{place}:{n}",
            )
        name = names[int(label)] if names else str(int(label))
        table.add(image, rater, name, f"{place}:{n}", box)
