"""Rows of a file, on the way to annotations."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray
from ..checks import shown
from ..errors import AnnotationError, KalosWarning
from ..geometry import Shapes
from .document import is_number

SESSION = re.compile(r"(.+)_S(\d+)")


def session_name(person: str, session: str) -> str:
    """Return the name of a person's session as a rater, as in the reference."""
    return f"{person} (S{session})"


def rater_and_person(name: str) -> tuple[str, str]:
    """Return the rater that a folder or file is named after, and the person behind.

    Examples
    --------
    >>> rater_and_person("ana_S1"), rater_and_person("ana_Smith")
    (('ana (S1)', 'ana'), ('ana_Smith', 'ana_Smith'))
    """
    session = SESSION.fullmatch(name)
    if session is None:
        return name, name
    return session_name(session[1], session[2]), session[1]


def blame(annotation_id: str, image: str, problem: str) -> AnnotationError:
    """Return an error about one annotation, in the words of the model."""
    return AnnotationError(
        f"annotation {annotation_id!r} (image {image!r}) {problem}",
        image=image,
        annotation_id=annotation_id,
    )


@dataclass
class Table:
    """One row per annotation, all columns of equal length, and who was assigned.

    Parameters
    ----------
    images : names of the images.
    persons : for each image its assigned raters, each with the person behind.
    image : numbers of the images of the rows.
    rater, label, annotation_id : names.
    entry : what the file says about each row, for its shape to be read from.
    """

    images: list[str]
    persons: list[dict[str, str]]
    image: list[int] = field(default_factory=list)
    rater: list[str] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    annotation_id: list[str] = field(default_factory=list)
    entry: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.image)

    def add(
        self, image: int, rater: str, label: str, annotation_id: str, entry: Any
    ) -> None:
        """Append a row."""
        self.image.append(image)
        self.rater.append(rater)
        self.label.append(label)
        self.annotation_id.append(annotation_id)
        self.entry.append(entry)

    def error(self, row: int, problem: str) -> AnnotationError:
        """Return an error about the annotation of a row."""
        image = self.images[self.image[row]]
        return blame(self.annotation_id[row], image, problem)

    def lists(self, key: str) -> list[list[Any]]:
        """Return the list ``key`` of every row's entry."""
        lists = [entry.get(key) for entry in self.entry]
        for row, values in enumerate(lists):
            if not isinstance(values, list):
                if key not in self.entry[row]:
                    raise self.error(row, f"has no {key!r}")
                raise self.error(row, f"must have a list as {key}, got {shown(values)}")
        return lists

    def finite(
        self, values: Sequence[list[Any]], owner: Sequence[int], what: str
    ) -> FloatArray:
        """Return all ``values`` in one flat array.

        Parameters
        ----------
        values : lists of numbers.
        owner : the row that each list belongs to, for the error.
        what : what the numbers are, for the error.
        """
        flat = list(chain.from_iterable(values))
        # numpy would read text and bools as numbers.
        if set(map(type, flat)) <= {int, float}:
            with suppress(OverflowError):  # whole numbers beyond any float
                array = np.array(flat, dtype=np.float64)
                if np.isfinite(array).all():
                    return array
        row, wrong = next(
            (row, value)
            for row, numbers in zip(owner, values, strict=True)
            for value in numbers
            if not is_number(value)
        )
        raise self.error(row, f"must have {what} of finite numbers, got {shown(wrong)}")

    def drop_unassigned(self, path: Path, stacklevel: int) -> None:
        """Remove the rows of raters who were not assigned, and warn of them."""
        stray = [
            rater not in self.persons[image]
            for image, rater in zip(self.image, self.rater, strict=True)
        ]
        if not any(stray):
            return
        who = Counter(r for r, out in zip(self.rater, stray, strict=True) if out)
        counts = ", ".join(f"{rater!r} ({who[rater]})" for rater in sorted(who))
        warnings.warn(
            f"file '{path}': dropped {sum(stray)} annotations by raters who are not "
            f"assigned to the image: {counts}",
            KalosWarning,
            stacklevel=stacklevel + 1,
        )
        self.remove(stray)

    def remove(self, rows: Sequence[bool]) -> None:
        """Remove the rows that are True."""
        for name in ("image", "rater", "label", "annotation_id", "entry"):
            column = zip(getattr(self, name), rows, strict=True)
            setattr(self, name, [value for value, out in column if not out])

    def annotations(
        self, geometry: Shapes, classes: Iterable[str], source: str
    ) -> Annotations:
        """Return the rows as annotations, raters and classes sorted by name."""
        person = {name: name for name in self.rater}
        for assigned in self.persons:
            person.update(assigned)
        raters, names = sorted(person), sorted(classes)
        rater_of = {name: n for n, name in enumerate(raters)}
        class_of = {name: n for n, name in enumerate(names)}
        grid = np.zeros((len(self.images), len(raters)), dtype=bool)
        for image, assigned in enumerate(self.persons):
            grid[image, [rater_of[name] for name in assigned]] = True
        return Annotations(
            image=np.array(self.image, dtype=np.int64),
            rater=np.array([rater_of[name] for name in self.rater], dtype=np.int64),
            label=np.array([class_of[name] for name in self.label], dtype=np.int64),
            geometry=geometry,
            annotation_id=np.array(self.annotation_id, dtype=np.str_),
            assigned=grid,
            images=tuple(self.images),
            raters=tuple(raters),
            classes=tuple(names),
            identity=tuple(person[name] for name in raters),
            source=source,
        )
