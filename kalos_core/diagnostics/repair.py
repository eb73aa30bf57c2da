"""What agreement on a unit would be worth: the rise of its image's alpha."""

from __future__ import annotations

import numpy as np

from ..alpha import alpha_of_sums, coincidences, value_counts
from ..arrays import FloatArray, IntArray, sum_by
from ..model import NO_OBJECT, ReliabilityMatrix


def repair_gain(reliability: ReliabilityMatrix, n_images: int) -> FloatArray:
    """Return (U,) by how much the image's alpha would rise were the unit agreed.

    Agreed means that all who were asked give the unit's most frequent value; of
    equally frequent ones an object before nothing, then the class that is the more
    frequent in the image. All units at once, from the sums of their images with the
    part of the unit replaced. nan where the image's alpha is undefined; below zero
    where what chance explains rises more than agreement does.
    """
    values, image_of = reliability.values, reliability.image_of
    n_units = reliability.n_units
    sums = coincidences(values, image_of, n_images)
    unit, value, count = value_counts(values)
    m_u = sum_by(unit, count, n_units)
    pairable = m_u[unit] >= 2
    unit, value, count = unit[pairable], value[pairable], count[pairable]
    span = int(value.max(initial=0)) - NO_OBJECT + 1
    n_c = sums.n_c[
        np.searchsorted(
            sums.group * span + sums.value - NO_OBJECT,
            image_of[unit] * span + value - NO_OBJECT,
        )
    ]
    chosen = _most_frequent(unit, value, count, n_c)
    after = n_c - count
    after[chosen] = (n_c - count)[chosen] + m_u[unit[chosen]]
    agreeing = count * (count - 1) / (m_u[unit] - 1)
    o_cc = sum_by(unit[chosen], m_u[unit[chosen]], n_units)
    o_cc -= sum_by(unit, agreeing, n_units)
    chance = sum_by(unit, after * (after - 1) - n_c * (n_c - 1), n_units)
    alpha, _ = sums.alpha()
    repaired, _ = alpha_of_sums(
        sums.n[image_of], sums.o_cc[image_of] + o_cc, sums.chance()[image_of] + chance
    )
    gain: FloatArray = repaired - alpha[image_of]
    return gain


def _most_frequent(
    unit: IntArray, value: IntArray, count: FloatArray, n_c: FloatArray
) -> IntArray:
    """Return the place of the most frequent value of each unit that has values."""
    order = np.lexsort((n_c, value != NO_OBJECT, count, unit))
    last = np.append(unit[order][1:] != unit[order][:-1], True)
    chosen: IntArray = order[last[: len(order)]]
    return chosen
