"""What alpha needs, per image and class: sums of the units that mention the class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .alpha import Coincidences, coincidences_of, unit_values
from .arrays import FloatArray, IntArray, freeze
from .model import ReliabilityMatrix
from .ranges import grouped, places, runs

ALL = -1
"""In place of a class: all units, whatever they mention."""


@dataclass(frozen=True, eq=False, slots=True)
class ClassSums:
    """Sums of the units of an image that mention a class, where there are any.

    Parameters
    ----------
    image, label : (G,) of each group, both ascending; ``ALL`` stands for all units.
    n_units : (G,) units with at least two values.
    sums : G groups.
    """

    image: IntArray
    label: IntArray
    n_units: IntArray
    sums: Coincidences

    def __post_init__(self) -> None:
        for name in ("image", "label", "n_units"):
            freeze(self, name, np.int64, len(self.sums))

    def alpha(self) -> FloatArray:
        """Return (G,) alpha of each group."""
        return self.sums.alpha()[0]

    def find(self, image: IntArray, label: IntArray) -> IntArray:
        """Return (Q,) the group of each image and class, -1 where there is none."""
        span = int(max(self.label.max(initial=ALL), label.max(initial=ALL))) + 2
        key, wanted = (
            i * span + c + 1 for i, c in ((self.image, self.label), (image, label))
        )
        place = np.searchsorted(key, wanted)
        inside = np.minimum(place, max(len(key) - 1, 0))
        found = key[inside] == wanted if len(key) else np.zeros(len(wanted), bool)
        return np.where(found, inside, -1)


def class_sums(reliability: ReliabilityMatrix) -> ClassSums:
    """Return the sums of each image and class, and of each image's units together.

    A unit counts for every class that a rater gave it, with all its values.
    """
    return sums_of_classes(*unit_values(reliability.values), reliability.image_of)


def sums_of_classes(
    unit: IntArray,
    value: IntArray,
    count: FloatArray,
    agreed: FloatArray,
    image_of: IntArray,
) -> ClassSums:
    """Return the same from what ``unit_values`` found and the image of each unit."""
    named = value >= 0
    some = unit[np.flatnonzero(np.diff(unit, prepend=-1))]
    member = np.concatenate([some, unit[named]])
    label = np.concatenate([np.full(len(some), ALL), value[named]])
    span = int(label.max(initial=ALL)) + 2
    key = image_of[member] * span + label + 1
    key, group = grouped(key, (int(image_of.max(initial=-1)) + 1) * span)
    first, length = (found[member] for found in runs(unit, len(image_of)))
    place = places(first, length)
    return ClassSums(
        image=key // span,
        label=key % span - 1,
        n_units=np.bincount(group, minlength=len(key)),
        sums=coincidences_of(
            np.repeat(group, length),
            value[place],
            count[place],
            agreed[place],
            len(key),
        ),
    )


class PerClass:
    """Sums per class for ``rematch``, which remember which group is which."""

    def __init__(self) -> None:
        self._n_problems = 0
        nothing: IntArray = np.empty(0, np.int64)
        self._columns = [[nothing] for _ in range(3)]

    def __call__(self, reliability: ReliabilityMatrix, n_problems: int) -> Coincidences:
        """Return the sums of each class of some more problems."""
        found = class_sums(reliability)
        problem = found.image + self._n_problems
        added = (problem, found.label, found.n_units)
        for column, array in zip(self._columns, added, strict=True):
            column.append(array)
        self._n_problems += n_problems
        return found.sums

    def repeat(self, sums: Coincidences, place: IntArray) -> Coincidences:
        """Return the sums of the problems at ``place``, which are from now on all."""
        if len(place) == self._n_problems:
            return sums
        problem, label, n_units = map(np.concatenate, self._columns)
        first, count = (found[place] for found in runs(problem, self._n_problems))
        group = places(first, count)
        again = np.repeat(np.arange(len(place)), count)
        self._columns = [[again], [label[group]], [n_units[group]]]
        self._n_problems = len(place)
        return sums.take(group)

    def of(self, sums: Coincidences) -> ClassSums:
        """Return what ``rematch`` found; ``image`` is then the number of a problem."""
        problem, label, n_units = map(np.concatenate, self._columns)
        return ClassSums(problem, label, n_units, sums)
