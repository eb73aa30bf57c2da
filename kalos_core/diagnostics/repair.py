"""What agreement on units would be worth: the rise of their image's alpha."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alpha import alpha_of_sums, coincidences, value_counts
from ..arrays import BoolArray, FloatArray, IntArray, freeze, sum_by
from ..model import NO_OBJECT, ReliabilityMatrix
from ..ranges import changes

ROUNDING = 1e-9
"""Gains that differ by less are equal."""


def repair_gain(reliability: ReliabilityMatrix, n_images: int) -> FloatArray:
    """Return (U,) by how much the image's alpha would rise were the unit agreed.

    Agreed means that all who were asked give the unit's most frequent value; of
    equally frequent ones an object before nothing, then the class that is the more
    frequent in the image, then the one of larger number. All units at once, from the
    sums of their images with the part of the unit replaced. nan where the image's
    alpha is undefined; below zero where what chance explains rises more than agreement
    does.
    """
    images = _Images(reliability, n_images)
    gain = 0 * images.alpha()[reliability.image_of]
    images.keep(images.disputed())  # the others are agreed, and gain nothing
    unit = images.units()
    gain[unit] = images.changes().gain
    return gain


@dataclass(frozen=True, eq=False, slots=True)
class RepairSteps:
    """Disputed units in the order in which each image is best repaired.

    Parameters
    ----------
    image, unit : (S,) images ascending, and in each of them the units in order.
    gain : (S,) by how much alpha of the image rises with the step, all before it
        being done. The gains of an image add up to what it lacks to 1. They need not
        fall: with one class, the last of two misses is worth more than the first.
    """

    image: IntArray
    unit: IntArray
    gain: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "image", np.int64, len(self.unit))
        freeze(self, "unit", np.int64, len(self.unit))
        freeze(self, "gain", np.float64, len(self.unit))

    def __len__(self) -> int:
        return len(self.unit)


def repair_steps(
    reliability: ReliabilityMatrix, n_images: int, rank: IntArray
) -> RepairSteps:
    """Return the disputed units of each image, that of the largest gain first.

    After each step the gains of the other units are found anew, in all images at once.

    Parameters
    ----------
    rank : (U,) decides between units of equal gain.
    """
    images = _Images(reliability, n_images)
    images.keep(images.disputed())
    parts = []
    while len(unit := images.units()):
        change = images.changes()
        image = reliability.image_of[unit]
        worth = np.rint(change.gain / ROUNDING)
        order = np.lexsort((rank[unit], -worth, image))
        first = np.append(True, image[order][1:] != image[order][:-1])
        best = np.sort(order[first])
        parts.append((image[best], unit[best], change.gain[best]))
        images.agree(best, change)
    nothing: IntArray = np.empty(0, np.int64)
    columns = zip((nothing, nothing, np.empty(0)), *parts, strict=True)
    image, unit, gain = map(np.concatenate, columns)
    order = np.argsort(image, kind="stable")
    return RepairSteps(image[order], unit[order], gain[order])


@dataclass(frozen=True, eq=False, slots=True)
class _Changes:
    """What agreement on each of D units changes.

    Parameters
    ----------
    n_c : (M,) how often values occur in their image afterwards.
    o_cc, chance, gain : (D,) rises of the image's sums, and of its alpha.
    """

    n_c: FloatArray
    o_cc: FloatArray
    chance: FloatArray
    gain: FloatArray


class _Images:
    """Sums of images, and what some of their units have in them, ascending."""

    def __init__(self, reliability: ReliabilityMatrix, n_images: int) -> None:
        values, self.image_of = reliability.values, reliability.image_of
        sums = coincidences(values, self.image_of, n_images)
        self.n, self.n_c = sums.n, sums.n_c.copy()
        self.o_cc, self.chance = sums.o_cc.copy(), sums.chance()
        unit, value, count = value_counts(values)
        m_u = sum_by(unit, count, reliability.n_units)
        self.unit, self.value, self.count, self.m_u = unit, value, count, m_u[unit]
        span = int(value.max(initial=0)) - NO_OBJECT + 1
        self.slot = np.searchsorted(
            sums.group * span + sums.value - NO_OBJECT,
            self.image_of[unit] * span + value - NO_OBJECT,
        )
        self.keep(self.m_u >= 2)

    def keep(self, kept: BoolArray) -> None:
        """Leave out all other values (M,); the sums stay as they are."""
        for name in ("unit", "value", "count", "m_u", "slot"):
            setattr(self, name, getattr(self, name)[kept])

    def disputed(self) -> BoolArray:
        """Return (M,) which values are not the only one of their unit."""
        several: BoolArray = self.count < self.m_u
        return several

    def units(self) -> IntArray:
        """Return (D,) the units that are left."""
        return self.unit[self._start()]

    def alpha(self) -> FloatArray:
        """Return (I,) alpha of all images as they are now."""
        return alpha_of_sums(self.n, self.o_cc, self.chance)[0]

    def changes(self) -> _Changes:
        """Return what agreement on each unit would change, one at a time."""
        nth = np.cumsum(self._start()) - 1
        n_c, count, m_u = self.n_c[self.slot], self.count, self.m_u
        chosen = _most_frequent(nth, self.value, count, n_c)
        after = n_c - count
        after[chosen] += m_u[chosen]
        o_cc = m_u[chosen] - sum_by(nth, count * (count - 1) / (m_u - 1), len(chosen))
        chance = sum_by(nth, after * (after - 1) - n_c * (n_c - 1), len(chosen))
        image = self.image_of[self.units()]
        repaired, _ = alpha_of_sums(
            self.n[image], self.o_cc[image] + o_cc, self.chance[image] + chance
        )
        return _Changes(after, o_cc, chance, repaired - self.alpha()[image])

    def agree(self, some: IntArray, change: _Changes) -> None:
        """Make some (of D) units agreed, one of an image at most; leave them out."""
        image = self.image_of[self.units()[some]]
        self.o_cc[image] += change.o_cc[some]
        self.chance[image] += change.chance[some]
        start = self._start()
        done = np.zeros(int(start.sum()), dtype=bool)
        done[some] = True
        own = done[np.cumsum(start) - 1]
        self.n_c[self.slot[own]] = change.n_c[own]
        self.keep(~own)

    def _start(self) -> BoolArray:
        """Return (M,) which value is the first of its unit."""
        return changes([self.unit], np.arange(len(self.unit)))


def _most_frequent(
    unit: IntArray, value: IntArray, count: FloatArray, n_c: FloatArray
) -> IntArray:
    """Return the place of the most frequent value of each unit that has values."""
    order = np.lexsort((value, n_c, value != NO_OBJECT, count, unit))
    last = np.append(unit[order][1:] != unit[order][:-1], True)
    chosen: IntArray = order[last[: len(order)]]
    return chosen
