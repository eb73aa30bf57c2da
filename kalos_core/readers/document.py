"""Files as plain values, with errors that say where in the file the fault is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import shown
from ..errors import AnnotationError, KalosError

LARGEST = float(np.finfo(np.float64).max)


def as_path(path: str | Path) -> Path:
    """Return the path of a file or folder."""
    try:
        return Path(path)
    except TypeError as error:
        raise KalosError(f"path must be text or a Path, got {path!r}") from error


@contextmanager
def naming(path: Path, kind: str = "file") -> Iterator[str]:
    """Yield the file as a source, and put it in front of errors that have none."""
    source = f"{kind} '{path}'"
    try:
        with np.errstate(over="ignore"):  # what is infinite then is refused by name
            yield source
    except AnnotationError as error:
        if error.source:
            raise
        raise AnnotationError(
            str(error),
            source=source,
            image=error.image,
            annotation_id=error.annotation_id,
        ) from error


def read_text(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise AnnotationError(
            f"must be text in UTF-8, got something else at byte {error.start}"
        ) from error
    except OSError as error:
        raise AnnotationError(f"cannot be read: {error.strerror}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; of equal keys all but the last would be lost."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise AnnotationError(f"has the key {twice!r} twice in one object")
    return made


def read_json(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds."""
    try:
        document = json.loads(read_text(path), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise AnnotationError(
            f"is not valid JSON at line {error.lineno}, column {error.colno}: "
            f"{error.msg}"
        ) from error
    except AnnotationError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise AnnotationError(f"cannot be read: {error}") from error
    except RecursionError as error:
        raise AnnotationError("is nested too deeply to be read") from error
    return as_object(document, "the top level")


def as_object(value: Any, what: str) -> dict[str, Any]:
    """Return ``value`` if it is a JSON object."""
    if not isinstance(value, dict):
        raise AnnotationError(f"{what} must be an object, got {shown(value)}")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """Return ``value`` if it is a JSON list."""
    if not isinstance(value, list):
        raise AnnotationError(f"{what} must be a list, got {shown(value)}")
    return value


def as_name(value: Any, what: str) -> str:
    """Return an id or a name as text: 7 and "7" are one id.

    Examples
    --------
    >>> as_name(7, "the id"), as_name("7", "the id")
    ('7', '7')
    """
    if type(value) is str:
        return value
    if type(value) is int:  # not bool, which is an int too
        return str(value)
    raise AnnotationError(f"{what} must be a whole number or text, got {shown(value)}")


def entries(
    document: dict[str, Any], key: str, *required: str
) -> Sequence[dict[str, Any]]:
    """Return a list of objects that have the ``required`` keys."""
    if key not in document:
        raise AnnotationError(f"the top level has no {key!r}")
    found = as_list(document[key], f"{key!r}")
    for n, entry in enumerate(found):
        if not isinstance(entry, dict):
            as_object(entry, f"{key}[{n}]")
        for name in required:
            if name not in entry:
                known = f" (id {shown(entry['id'])})" if "id" in entry else ""
                raise AnnotationError(f"{key}[{n}]{known} has no {name!r}")
    return found


def is_number(value: Any) -> bool:
    """Return whether ``value`` is a finite number, and neither text nor a bool.

    Examples
    --------
    >>> [is_number(v) for v in (1, 0.5, "1", True, float("nan"), 10**400)]
    [True, True, False, False, False, False]
    """
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST


def as_float(text: str) -> float:
    """Return text as a number; unlike Python, neither ``1_0`` nor other digits.

    Examples
    --------
    >>> as_float("1e-1")
    0.1
    """
    if "_" in text or not text.isascii():
        raise ValueError(f"not a number: {text!r}")
    return float(text)


def size_of(entry: dict[str, Any], image: str) -> tuple[float, float]:
    """Return width and height of an image or of the slices of a scan."""
    for key in ("width", "height"):
        if key not in entry:
            raise AnnotationError(f"image {image!r} has no {key!r}", image=image)
        if not is_number(entry[key]) or entry[key] <= 0:
            raise AnnotationError(
                f"image {image!r} must have a positive {key}, got {shown(entry[key])}",
                image=image,
            )
    return entry["width"], entry["height"]
