"""Checks of what callers pass: errors say what was expected and what was given."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from .errors import AnnotationError, KalosError


def shown(value: object, most: int = 60) -> str:
    """Return a value as text that is short enough for an error message."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def check_type(name: str, value: object, wanted: type, expected: str = "") -> None:
    """Raise where an argument is of another type; ``expected`` is that in words."""
    if not isinstance(value, wanted):
        own = wanted.__name__
        expected = expected or f"{'an' if own[0] in 'AEIOU' else 'a'} {own}"
        got = f"{type(value).__name__} {shown(value)}"
        raise KalosError(f"{name} must be {expected}, got {got}")


def check_generator(rng: object) -> None:
    """Raise where nothing can be drawn from ``rng``."""
    if not isinstance(rng, np.random.Generator):
        raise KalosError(
            "rng must be a numpy.random.Generator, got "
            f"{shown(rng)}; pass rng=numpy.random.default_rng(0)"
        )


def at_least_one(name: str, value: int) -> None:
    """Raise where something is to be done not even once."""
    number = isinstance(value, Integral) and not isinstance(value, bool)
    if not number or value < 1:
        raise KalosError(f"{name} must be at least 1, got {value!r}")


def as_names(values: object, what: str) -> tuple[str, ...]:
    """Return names as a tuple; a bare text, and what is no text, is an error."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise AnnotationError(f"{what} must be a list of names, got {shown(values)}")
    names = tuple(values)
    if not all(issubclass(kind, str) for kind in set(map(type, names))):
        odd = next(name for name in names if not isinstance(name, str))
        raise AnnotationError(f"{what} must be names as text, got {shown(odd)}")
    return names
