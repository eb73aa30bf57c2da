"""Whose a confusion of two classes is: tests of lone dissent and of direction."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from ..arrays import BoolArray, FloatArray, IntArray, sum_by
from ..model import UNASSIGNED
from ..ranges import cells
from .dissent import NOBODY, lone_dissent

EITHER = -1
"""In place of a class: the one as often as the other."""


@dataclass(frozen=True, eq=False, slots=True)
class SwapTests:
    """For each of K pairs of classes, the rater whom the confusion may come from.

    Parameters
    ----------
    n_cases : (K,) units that could tell.
    possible : (K,) whether anyone could account for more than half of these.
    rater : (K,) who accounts for the most.
    against : (K,) the other one, where two raters differ; else ``NOBODY``.
    said : (K,) which class the rater says instead of the other, or ``EITHER``.
    n_theirs : (K,) cases that the rater accounts for.
    p : (K,) chance of so many, corrected for raters; 1 if not more than half.
    least : (K,) what p would be were all cases one rater's.
    """

    n_cases: IntArray
    possible: BoolArray
    rater: IntArray
    against: IntArray
    said: IntArray
    n_theirs: IntArray
    p: FloatArray
    least: FloatArray

    def or_else(self, chosen: BoolArray, other: SwapTests) -> SwapTests:
        """Return these tests where ``chosen`` (K,), else the others."""
        return SwapTests(
            *(
                np.where(chosen, getattr(self, f.name), getattr(other, f.name))
                for f in fields(self)
            )
        )


def lone_tests(
    values: npt.NDArray[np.int32], key: IntArray, n_classes: int
) -> SwapTests:
    """Test who is the lone dissenter too often, in units of three labels or more.

    Were all raters alike, each of the m raters of a unit would be the lone one with
    chance 1 / m. That is exact whoever sees which images, however hard they are.

    Parameters
    ----------
    values : (R, U) classes; all that is no object is ``UNASSIGNED``.
    key : (K,) pairs of classes, first * n_classes + second, ascending.
    """
    shape = len(key), max(len(values), 1)
    lone = lone_dissent(values)
    pair = np.searchsorted(key, _keys(lone.value, lone.majority, n_classes))
    rater, case = cells(values[:, lone.unit] != UNASSIGNED)
    n_took_part = _table(pair[case], rater, np.ones(len(case)), shape)
    chance = _table(pair[case], rater, 1 / lone.n_values[case], shape)
    chance /= np.maximum(n_took_part, 1)
    n_alone = _table(pair, lone.rater, np.ones(len(pair)), shape)
    n_second = _table(
        pair, lone.rater, (lone.value > lone.majority).astype(np.float64), shape
    )
    n_cases = n_alone.sum(axis=1)
    may_be = 2 * n_took_part > n_cases[:, None]
    most = np.arange(len(key)), n_alone.argmax(axis=1)
    p = binom.sf(n_alone[most] - 1, n_took_part[most], chance[most])
    n_may_be = may_be.sum(axis=1)
    least = np.where(may_be, chance**n_took_part, 1).min(axis=1)
    return SwapTests(
        n_cases=n_cases.astype(np.int64),
        possible=n_may_be > 0,
        rater=most[1],
        against=np.full(len(key), NOBODY),
        said=_said(key, n_classes, n_second[most], n_alone[most]),
        n_theirs=n_alone[most].astype(np.int64),
        p=np.where(2 * n_alone[most] > n_cases, np.minimum(p * n_may_be, 1), 1),
        least=least * n_may_be,
    )


def direction_tests(
    values: npt.NDArray[np.int32], key: IntArray, n_classes: int
) -> SwapTests:
    """Test whether two raters differ always the same way, in units of two labels.

    An exact test of signs (McNemar) for the two raters behind most of these units.
    ``rater`` is the one who says the second class. Parameters as above.
    """
    two = values[:, (values != UNASSIGNED).sum(axis=0) == 2]
    unit, rater = cells(two.T != UNASSIGNED)
    (a, b), (one, other) = (
        column.reshape(-1, 2).T for column in (rater, two[rater, unit].astype(np.int64))
    )
    differ = one != other
    a, b, one, other = a[differ], b[differ], one[differ], other[differ]
    pair = np.searchsorted(key, _keys(one, other, n_classes))
    square = len(values) ** 2
    table, place = np.unique(pair * square + a * len(values) + b, return_inverse=True)
    n_differ = np.bincount(place, minlength=len(table) + 1)
    n_second = np.bincount(place, other > one, len(table) + 1)  # b says the second
    most: IntArray = np.full(len(key), len(table))
    by_number = np.argsort(n_differ[:-1], kind="stable")
    most[table[by_number] // square] = by_number
    raters: IntArray = np.append(table, 0)[most] % square
    first, second = np.divmod(raters, len(values))
    n_theirs = np.maximum(n_second, n_differ - n_second)[most]
    n_cases = np.bincount(pair, minlength=len(key))
    possible = 2 * n_differ[most] > n_cases
    swap = 2 * n_second[most] < n_differ[most]
    p = np.minimum(2 * binom.sf(n_theirs - 1, n_differ[most], 0.5), 1)
    return SwapTests(
        n_cases=n_cases,
        possible=possible,
        rater=np.where(swap, first, second),
        against=np.where(swap, second, first),
        said=key % n_classes,
        n_theirs=n_theirs.astype(np.int64),
        p=np.where(possible, p, 1),
        least=np.exp2(1.0 - n_differ[most]),
    )


def _keys(one: IntArray, other: IntArray, n_classes: int) -> IntArray:
    """Return pairs of classes as numbers, whichever is named first."""
    keys: IntArray = np.minimum(one, other) * n_classes + np.maximum(one, other)
    return keys


def _table(
    row: IntArray, column: IntArray, weight: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Return sums of weights as a table."""
    cell = row * shape[1] + column
    return sum_by(cell, weight, shape[0] * shape[1]).reshape(shape)


def _said(
    key: IntArray, n_classes: int, n_second: FloatArray, n: FloatArray
) -> IntArray:
    """Return (K,) the class said in more than half of n cases."""
    first, second = np.divmod(key, n_classes)
    return np.select([2 * n_second > n, 2 * n_second < n], [second, first], EITHER)
