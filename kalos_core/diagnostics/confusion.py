"""Class confusion between raters: how often, and how often by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..alpha import value_counts
from ..arrays import FloatArray, IntArray, freeze, sum_by
from ..model import UNASSIGNED, ReliabilityMatrix
from ..ranges import pairs_in_groups
from .swaps import Swaps, find_swaps


@dataclass(frozen=True, eq=False, slots=True)
class Confusion:
    """K pairs of classes that raters gave to one unit, in the order of classes.

    Parameters
    ----------
    label, other : (K,) the classes, ``label < other``.
    n_units : (K,) units in which both were said.
    observed : (K,) o_cc' of the labels alone: ordered pairs of labels of one unit,
        each divided by its number of labels less one.
    expected : (K,) what chance would give from how often each class is said.
    ratio : (K,) observed by expected.
    swaps : where each of them comes from.
    """

    label: IntArray
    other: IntArray
    n_units: IntArray
    observed: FloatArray
    expected: FloatArray
    ratio: FloatArray
    swaps: Swaps

    def __post_init__(self) -> None:
        for name in ("label", "other", "n_units"):
            freeze(self, name, np.int64, len(self.label))
        for name in ("observed", "expected", "ratio"):
            freeze(self, name, np.float64, len(self.label))

    def __len__(self) -> int:
        return len(self.label)


def class_confusion(reliability: ReliabilityMatrix, n_classes: int) -> Confusion:
    """Return which classes raters confuse, and where that comes from.

    Raters who drew nothing say nothing about the class.
    """
    drawn = reliability.values >= 0
    values = np.where(drawn, reliability.values, np.int32(UNASSIGNED))
    values = values[:, drawn.sum(axis=0) >= 2]
    unit, value, count = value_counts(values)
    m_u = sum_by(unit, count, values.shape[1])
    n_c = sum_by(value, count, n_classes)
    found = [(np.empty(0, np.int64),) * 2, *pairs_in_groups(unit)]
    i, j = (np.concatenate(column) for column in zip(*found, strict=True))
    key, pair = np.unique(value[i] * n_classes + value[j], return_inverse=True)
    label, other = np.divmod(key, max(n_classes, 1))
    observed = sum_by(pair, count[i] * count[j] / (m_u[unit[i]] - 1), len(key))
    expected = n_c[label] * n_c[other] / (n_c.sum() - 1)
    return Confusion(
        label=label,
        other=other,
        n_units=np.bincount(pair, minlength=len(key)),
        observed=observed,
        expected=expected,
        ratio=observed / expected,
        swaps=find_swaps(values, key, n_classes),
    )
