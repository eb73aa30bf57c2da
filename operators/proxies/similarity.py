"""How alike classes are: a matrix that is computed, or that the user brings."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...kalos_core import KalosError
from ...kalos_core.readers.document import naming, read_json
from ..export_files import check_folder, write_files
from ..parameters import nearest

ROUNDING = 1e-6
"""By how much numbers may differ that were written with few digits."""

MOST_SHOWN = 5


@dataclass(frozen=True, eq=False)
class ClassSimilarity:
    """How alike C classes are.

    Parameters
    ----------
    classes : C unique names.
    similarity : (C, C) finite and symmetric; more is more alike, and no class is more
        alike to another than to itself.
    n_crops : (C,) how many crops it was computed from; none if it was brought.
    source : where it is from, "file 'x.json'" say, for errors to begin with.
    """

    classes: tuple
    similarity: np.ndarray
    n_crops: tuple = ()
    source: str = field(default="similarity", compare=False)

    def __post_init__(self):
        classes = self._names()
        values = self._numbers(len(classes))
        values = (values + values.T) / 2
        values.flags.writeable = False
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "similarity", values)

    def _names(self):
        if isinstance(self.classes, (str, Mapping)) or not np.iterable(self.classes):
            raise self._fault(f"must list its classes, got {self.classes!r}")
        classes = tuple(self.classes)
        for name in classes:
            if not isinstance(name, str) or not name.strip():
                raise self._fault(f"must name classes by text, got {name!r}")
            if classes.count(name) > 1:
                raise self._fault(f"has the class {name!r} twice")
        if not classes:
            raise self._fault("must have classes, got none")
        return classes

    def _numbers(self, n):
        try:
            values = np.array(self.similarity)
        except ValueError:  # rows of several lengths
            values = np.empty(0, object)
        if values.dtype.kind not in "iuf":
            raise self._fault(f"must have {n} rows of {n} numbers")
        values = values.astype(np.float64)
        if values.shape != (n, n):
            shape = " x ".join(map(str, values.shape)) or "a single number"
            raise self._fault(
                f"must have a row and a column for each of its {n} classes, got {shape}"
            )
        self._refuse(~np.isfinite(values), values, "must be finite numbers")
        slack = ROUNDING * max(1.0, np.abs(values).max())
        apart = np.abs(values - values.T) > slack
        self._refuse(apart, values, "must be the same in both directions")
        itself = np.diag(values)[:, None]
        self._refuse(
            values > itself + slack,
            values,
            "must be largest between a class and itself (of distances take the "
            "negative)",
        )
        return values

    def _refuse(self, wrong, values, expected):
        if wrong.any():
            row, column = (int(n) for n in np.argwhere(wrong)[0])
            pairs = {(row, column), (column, row)}
            got = " and ".join(f"{values[pair]:g}" for pair in sorted(pairs))
            names = tuple(self.classes)
            raise self._fault(
                f"{expected}, got {got} between {names[row]!r} and {names[column]!r}"
            )

    def _fault(self, problem):
        return KalosError(f"{self.source}: {problem}")

    def of(self, classes):
        """Return the same for these classes, in this order; others are left out."""
        place = {name: n for n, name in enumerate(self.classes)}
        missing = [name for name in classes if name not in place]
        if missing:
            shown = ", ".join(map(repr, missing[:MOST_SHOWN]))
            more = ", ..." if len(missing) > MOST_SHOWN else ""
            raise self._fault(
                f"must have all classes of the labels, lacks {shown}{more}."
                + nearest(missing[0], place)
            )
        index = [place[name] for name in classes]
        n_crops = tuple(self.n_crops[n] for n in index) if self.n_crops else ()
        return ClassSimilarity(
            tuple(classes), self.similarity[np.ix_(index, index)], n_crops, self.source
        )

    def as_json(self):
        """Return it as plain values, which ``read_similarity`` reads."""
        return {
            "classes": list(self.classes),
            "similarity": self.similarity.tolist(),
            **({"n_crops": list(self.n_crops)} if self.n_crops else {}),
        }


def read_similarity(source, classes=None):
    """Return the similarity that a user brings.

    Parameters
    ----------
    source : a JSON file, or a mapping: {"classes": [...], "similarity": [[...]]}.
    classes : those of the labels, in the order that is returned; all if None.

    Raises
    ------
    KalosError
        If it is not a matrix of similarities, or lacks one of the classes.
    """
    if isinstance(source, Mapping):
        document, name = source, "similarity"
    elif isinstance(source, (str, os.PathLike)) and source:
        with naming(Path(source)) as name:
            document = read_json(Path(source))
    else:
        raise KalosError(
            f"similarity must be a file or a mapping with 'classes' and 'similarity', "
            f"got {source!r}"
        )
    for key in ("classes", "similarity"):
        if key not in document:
            raise KalosError(f"{name}: must have {key!r}, got {list(document)}")
    n_crops = tuple(document.get("n_crops") or ())
    found = ClassSimilarity(document["classes"], document["similarity"], n_crops, name)
    return found if classes is None else found.of(classes)


def write_similarity(path, similarity, overwrite=False):
    """Write a similarity to a JSON file, for ``read_similarity``; return its path."""
    path = Path(path)
    folder = check_folder(path.parent, [path.name], overwrite)
    text = json.dumps(similarity.as_json(), ensure_ascii=False)
    (written,) = write_files(folder, {path.name: text}, [path.name], overwrite)
    return written
