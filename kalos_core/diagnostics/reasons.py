"""Why a unit or an image is disputed, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ..annotations import Annotations
from ..arrays import IntArray
from ..model import NO_OBJECT, ReliabilityMatrix
from .dissent import NOBODY
from .kinds import DISAGREEMENTS, SPLIT_MERGE, UnitKinds

MOST_NAMES, MOST_PARTS = 4, 4
"""Raters and reasons that are named before the rest is only counted."""


def unit_reasons(
    annotations: Annotations,
    reliability: ReliabilityMatrix,
    kinds: UnitKinds,
    units: IntArray,
) -> list[list[str]]:
    """Return for each of the units what is wrong with it, gravest first."""
    split = kinds.holds[DISAGREEMENTS.index(SPLIT_MERGE)]
    found = []
    for unit in units.tolist():
        parts = []
        if split[unit]:
            who = kinds.outlier[unit] if kinds.kind[unit] == SPLIT_MERGE else NOBODY
            parts.append(
                "split or merged"
                + (f" by {annotations.raters[who]}" if who != NOBODY else "")
            )
        values = reliability.values[:, unit]
        drew, missed = np.flatnonzero(values >= 0), np.flatnonzero(values == NO_OBJECT)
        if len(drew) and len(missed):
            few, verb = (
                (missed, "missed by")
                if len(drew) >= len(missed)
                else (drew, "drawn only by")
            )
            parts.append(f"{verb} {named([annotations.raters[r] for r in few])}")
        said = Counter(annotations.classes[c] for c in values[drew])
        if len(said) > 1:
            order = sorted(said, key=lambda name: (-said[name], name))
            parts.append(" against ".join(f"'{name}'" for name in order))
        found.append(parts)
    return found


def named(names: Sequence[str]) -> str:
    """Return names in order as one would say them.

    Examples
    --------
    >>> named(["cho", "ana", "ben"])
    'ana, ben and cho'
    >>> named("fedcba")
    'a, b, c, d and 2 more'
    """
    ordered = sorted(names)
    rest = len(ordered) - MOST_NAMES
    if rest > 0:
        ordered = [*ordered[:MOST_NAMES], f"{rest} more"]
    *but_last, last = ordered
    return f"{', '.join(but_last)} and {last}" if but_last else last


def together(units: Iterable[Sequence[str]]) -> str:
    """Return the reasons of several units as one, the most frequent first.

    Examples
    --------
    >>> together([["missed by ben"], ["'cat' against 'dog'"], ["missed by ben"]])
    "missed by ben (2 units); 'cat' against 'dog'"
    """
    count = Counter(part for parts in units for part in parts)
    ordered = sorted(count, key=lambda part: (-count[part], part))
    words = [
        part + (f" ({count[part]} units)" if count[part] > 1 else "")
        for part in ordered[:MOST_PARTS]
    ]
    rest = len(ordered) - MOST_PARTS
    return "; ".join([*words, f"{rest} more reasons"] if rest > 0 else words)
