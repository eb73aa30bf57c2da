"""What agreement on units would be worth: the rise of their image's alpha."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alpha import alpha_of_sums, coincidences, value_counts
from ..arrays import BoolArray, FloatArray, IntArray, freeze, sum_by
from ..model import NO_OBJECT, ReliabilityMatrix

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
    return _Images(reliability, n_images).gain()


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
    while len(images.unit):
        gain = images.gain()
        unit = np.unique(images.unit)
        image = reliability.image_of[unit]
        worth = np.rint(gain[unit] / ROUNDING)
        order = np.lexsort((rank[unit], -worth, image))
        first = np.append(True, image[order][1:] != image[order][:-1])
        best = unit[order[first]]
        parts.append((reliability.image_of[best], best, gain[best]))
        images.agree(best)
    nothing: IntArray = np.empty(0, np.int64)
    columns = zip((nothing, nothing, np.empty(0)), *parts, strict=True)
    image, unit, gain = map(np.concatenate, columns)
    order = np.argsort(image, kind="stable")
    return RepairSteps(image[order], unit[order], gain[order])


class _Images:
    """Sums of images, and what each of their units has in them."""

    def __init__(self, reliability: ReliabilityMatrix, n_images: int) -> None:
        values, self.image_of = reliability.values, reliability.image_of
        sums = coincidences(values, self.image_of, n_images)
        self.n, self.n_c = sums.n, sums.n_c.copy()
        self.o_cc, self.chance = sums.o_cc.copy(), sums.chance()
        unit, value, count = value_counts(values)
        self.m_u = sum_by(unit, count, reliability.n_units)
        self.unit, self.value, self.count = unit, value, count
        span = int(value.max(initial=0)) - NO_OBJECT + 1
        self.slot = np.searchsorted(
            sums.group * span + sums.value - NO_OBJECT,
            self.image_of[unit] * span + value - NO_OBJECT,
        )
        self.keep(self.m_u >= 2)

    def keep(self, units: BoolArray) -> None:
        """Leave out what is not in these units (U,); the sums stay as they are."""
        kept = units[self.unit]
        for name in ("unit", "value", "count", "slot"):
            setattr(self, name, getattr(self, name)[kept])

    def disputed(self) -> BoolArray:
        """Return (U,) which units have several values."""
        several: BoolArray = np.bincount(self.unit, minlength=len(self.m_u)) > 1
        return several

    def gain(self) -> FloatArray:
        """Return (U,) what agreement on each unit is worth."""
        _, o_cc, chance = self._changes()
        image_of = self.image_of
        alpha, _ = alpha_of_sums(self.n, self.o_cc, self.chance)
        repaired, _ = alpha_of_sums(
            self.n[image_of], self.o_cc[image_of] + o_cc, self.chance[image_of] + chance
        )
        gain: FloatArray = repaired - alpha[image_of]
        return gain

    def agree(self, units: IntArray) -> None:
        """Make these units agreed, at most one of each image, and leave them out."""
        after, o_cc, chance = self._changes()
        image = self.image_of[units]
        self.o_cc[image] += o_cc[units]
        self.chance[image] += chance[units]
        done = np.zeros(len(self.m_u), dtype=bool)
        done[units] = True
        own = done[self.unit]
        self.n_c[self.slot[own]] = after[own]
        self.keep(~done)

    def _changes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (M,) n_c after its unit is agreed, and (U,) rises of both sums."""
        unit, count, m_u, n_units = self.unit, self.count, self.m_u, len(self.m_u)
        n_c = self.n_c[self.slot]
        chosen = _most_frequent(unit, self.value, count, n_c)
        after = n_c - count
        after[chosen] = (n_c - count)[chosen] + m_u[unit[chosen]]
        agreeing = count * (count - 1) / (m_u[unit] - 1)
        o_cc = sum_by(unit[chosen], m_u[unit[chosen]], n_units)
        o_cc -= sum_by(unit, agreeing, n_units)
        chance = sum_by(unit, after * (after - 1) - n_c * (n_c - 1), n_units)
        return after, o_cc, chance


def _most_frequent(
    unit: IntArray, value: IntArray, count: FloatArray, n_c: FloatArray
) -> IntArray:
    """Return the place of the most frequent value of each unit that has values."""
    order = np.lexsort((value, n_c, value != NO_OBJECT, count, unit))
    last = np.append(unit[order][1:] != unit[order][:-1], True)
    chosen: IntArray = order[last[: len(order)]]
    return chosen
