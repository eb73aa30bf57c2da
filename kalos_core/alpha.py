"""Krippendorff's nominal alpha of many matrices at once (paper, Step 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from .arrays import BoolArray, FloatArray, IntArray, as_array, freeze, sum_by
from .errors import KalosError
from .model import UNASSIGNED
from .ranges import DENSE, counted, places, runs

BLOCK = 1 << 16
"""Units whose values are counted at a time, which bounds the memory."""

TABLE = 1 << 20
"""Cells of a table up to which numbers are added up in it, if there are some for it."""

FEW_ROWS = 3
"""Rows up to which every two of them are compared, which is quicker than counting
values; all sums are whole then, and thus the same to the last bit."""


@dataclass(frozen=True, eq=False, slots=True)
class Coincidences:
    """Margins of G coincidence matrices, and the sums of their diagonals.

    Alpha is a function of these sums alone, and the sums of groups add up: kept per
    image, they give alpha for any choice, weighting or repetition of images.

    Parameters
    ----------
    n : (G,) values in units with at least two of them.
    o_cc : (G,) agreeing pairs of values, each unit's divided by m_u - 1.
    group, value, n_c : (M,) how often a value occurs in a group; both ascending.
    """

    n: FloatArray
    o_cc: FloatArray
    group: IntArray
    value: IntArray
    n_c: FloatArray

    def __post_init__(self) -> None:
        freeze(self, "n", np.float64, None)
        freeze(self, "o_cc", np.float64, len(self.n))
        freeze(self, "group", np.int64, None)
        freeze(self, "value", np.int64, len(self.group))
        freeze(self, "n_c", np.float64, len(self.group))

    def __len__(self) -> int:
        return len(self.n)

    def alpha(self) -> tuple[FloatArray, BoolArray]:
        """Return (G,) alpha, and whether only one value occurs."""
        return alpha_of_sums(self.n, self.o_cc, self.chance())

    def chance(self) -> FloatArray:
        """Return (G,) the sum of n_c (n_c - 1), pairs of values that are equal."""
        return sum_by(self.group, self.n_c * (self.n_c - 1), len(self))

    def take(self, index: IntArray) -> Coincidences:
        """Return the groups at ``index``, in that order."""
        first, count = (found[index] for found in runs(self.group, len(self)))
        place = places(first, count)
        return Coincidences(
            self.n[index],
            self.o_cc[index],
            np.repeat(np.arange(len(index)), count),
            self.value[place],
            self.n_c[place],
        )

    def summed(self, into: IntArray, n_groups: int) -> Coincidences:
        """Return the sums of all groups that go ``into`` (G,) the same new one."""
        group, value, n_c = _added(into[self.group], self.value, self.n_c)
        return Coincidences(
            sum_by(into, self.n, n_groups),
            sum_by(into, self.o_cc, n_groups),
            group,
            value,
            n_c,
        )


def alpha_of_sums(
    n: FloatArray, o_cc: FloatArray, chance: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return alpha, and whether only one value occurs; ``chance`` is that of n_c.

    ((n - 1) sum_c o_cc - sum_c n_c (n_c - 1)) / (n (n - 1) - sum_c n_c (n_c - 1)):
    nan where no unit has two values to pair, 1 where only one value occurs, since
    disagreement had no chance to show. Arrays of any shape.
    """
    possible = n * (n - 1)
    uniform: BoolArray = (n > 0) & (chance == possible)
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = ((n - 1) * o_cc - chance) / (possible - chance)
    return np.where(uniform, 1.0, np.where(n > 0, alpha, np.nan)), uniform


def coincidences(
    values: npt.NDArray[np.int32], group: IntArray, n_groups: int
) -> Coincidences:
    """Return the sums of each group of units.

    Parameters
    ----------
    values : (R, U) codes; ``UNASSIGNED`` is missing data.
    group : (U,) the group of each unit, for example its image.
    n_groups : number of groups, G.
    """
    if len(values) <= FEW_ROWS:
        return _of_few_rows(values, group, n_groups)
    unit, value, count, agreed = unit_values(values)
    return coincidences_of(group[unit], value, count, agreed, n_groups)


def _of_few_rows(
    values: npt.NDArray[np.int32], group: IntArray, n_groups: int
) -> Coincidences:
    """Return the same by comparing every two rows, without counting values first."""
    assigned = [row != UNASSIGNED for row in values]
    m_u = np.zeros(len(group))
    equal = np.zeros(len(group))
    for row in assigned:
        m_u += row
    for a, b in combinations(range(len(values)), 2):
        equal += (values[a] == values[b]) & assigned[a]
    pairable = m_u >= 2
    by_unit = np.ascontiguousarray(values.T).ravel()
    of = np.repeat(group, len(values))
    some = by_unit != UNASSIGNED
    if not pairable.all():
        some &= np.repeat(pairable, len(values))
    if not some.all():
        of, by_unit = of[some], by_unit[some]
    return Coincidences(
        sum_by(group, m_u * pairable, n_groups),
        sum_by(group, 2 * equal / np.maximum(m_u - 1, 1), n_groups),
        *_added(of, by_unit.astype(np.int64), np.ones(len(of))),
    )


def unit_values(
    values: npt.NDArray[np.int32],
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return (M,) unit, value, how often it occurs there, and its agreeing pairs.

    Units with fewer than two values are left out: nothing can be paired in them. Both
    unit and value are ascending.
    """
    return pairable_values(*value_counts(values), values.shape[1])


def pairable_values(
    unit: IntArray, value: IntArray, count: FloatArray, n_units: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return the same of values that are counted already, both ascending."""
    m_u = sum_by(unit, count, n_units)
    pairable = m_u[unit] >= 2
    unit, value, count = unit[pairable], value[pairable], count[pairable]
    return unit, value, count, count * (count - 1) / (m_u[unit] - 1)


def coincidences_of(
    group: IntArray,
    value: IntArray,
    count: FloatArray,
    agreed: FloatArray,
    n_groups: int,
) -> Coincidences:
    """Return the sums of what ``unit_values`` found, each of it in a group (M,)."""
    return Coincidences(
        sum_by(group, count, n_groups),
        sum_by(group, agreed, n_groups),
        *_added(group, value, count),
    )


def value_counts(
    values: npt.NDArray[np.int32],
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return (M,) units, their values and how often each occurs, both ascending.

    Examples
    --------
    >>> unit, value, count = value_counts(np.array([[0, 3], [0, -1], [1, -2]]))
    >>> unit.tolist(), value.tolist(), count.tolist()
    ([0, 0, 1, 1], [0, 1, -1, 3], [2.0, 1.0, 1.0, 1.0])
    """
    nothing: IntArray = np.empty(0, np.int64)
    found = [(nothing, nothing, np.empty(0))]
    for start in range(0, values.shape[1], BLOCK):
        some = np.ascontiguousarray(values[:, start : start + BLOCK].T)
        unit, value, count = _counts_of(some)
        found.append((unit + start, value, count))
    unit, value, count = (np.concatenate(column) for column in zip(*found, strict=True))
    return unit, value, count


def _counts_of(
    values: npt.NDArray[np.int32],
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the same of values (U, R): by a table, or sorted where it were large."""
    n_units, n_raters = values.shape
    span = int(values.max(initial=0)) - UNASSIGNED + 1
    place = np.flatnonzero(values != UNASSIGNED)
    if n_units * span <= DENSE * len(place):
        key = place // n_raters * span + values.ravel()[place] - UNASSIGNED
        key, n = counted(key, n_units * span)
        return key // span, key % span + UNASSIGNED, n.astype(np.float64)
    ordered = np.sort(values, axis=1)  # unassigned ones come first
    new = ordered != UNASSIGNED
    new[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    first = np.flatnonzero(new)
    unit = first // n_raters
    end = np.minimum(np.append(first[1:], values.size), (unit + 1) * n_raters)
    value = ordered.ravel()[first].astype(np.int64)
    return unit, value, (end - first).astype(np.float64)


def nominal_alpha(
    values: npt.ArrayLike, group: npt.ArrayLike, n_groups: int
) -> tuple[FloatArray, BoolArray]:
    """Return (G,) alpha of each group of units, and whether only one value occurs.

    Parameters
    ----------
    values : (R, U) codes from 0, ``NO_OBJECT``, or ``UNASSIGNED`` for missing data.
    group : (U,) the group of each unit, from 0.
    n_groups : number of groups, G.

    Examples
    --------
    Two units in one group (agreed on 0; 0 against 1), one unit in another:

    >>> values = np.array([[0, 0, 3], [0, 1, 3]], dtype=np.int32)
    >>> nominal_alpha(values, np.array([0, 0, 1]), 2)
    (array([0., 1.]), array([False,  True]))
    """
    values, group = as_array(values, np.int32, "values"), as_array(group, int, "group")
    if values.ndim != 2 or group.shape != values.shape[1:]:
        raise KalosError(
            "values must have shape (raters, units) and group (units), got "
            f"{values.shape} and {group.shape}"
        )
    if values.min(initial=UNASSIGNED) < UNASSIGNED:
        raise KalosError(
            f"values must be at least {UNASSIGNED}, unassigned, got {values.min()}"
        )
    if len(group) and not 0 <= group.min() <= group.max() < n_groups:
        raise KalosError(
            f"group must be numbers of {n_groups} groups, from 0, got values from "
            f"{group.min()} to {group.max()}"
        )
    return coincidences(values, group, n_groups).alpha()


def joined(parts: Sequence[Coincidences]) -> Coincidences:
    """Return the groups of all parts, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    size = np.array([len(part) for part in parts], dtype=np.int64)
    n_rows = [len(part.group) for part in parts]
    shift = np.repeat(np.cumsum(size) - size, n_rows)
    group = np.concatenate([shift[:0], *(part.group for part in parts)])
    return Coincidences(
        np.concatenate([[], *(part.n for part in parts)]),
        np.concatenate([[], *(part.o_cc for part in parts)]),
        group + shift,
        np.concatenate([shift[:0], *(part.value for part in parts)]),
        np.concatenate([[], *(part.n_c for part in parts)]),
    )


def _added(
    group: IntArray, value: IntArray, count: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return groups, values and counts, those of equal group and value added up.

    What adds up to 0 is left out.
    """
    span = int(value.max(initial=0)) - UNASSIGNED + 1
    n_groups = int(group.max(initial=-1)) + 1
    code = value - UNASSIGNED
    if n_groups * span <= min(DENSE * len(group), TABLE):
        total = sum_by(group * span + code, count, n_groups * span)
        key = np.flatnonzero(total != 0)  # quicker than of floats
        return key // span, key % span + UNASSIGNED, total[key]
    table = csr_array((count, (group, code)), shape=(n_groups, span))
    table.sum_duplicates()
    table.eliminate_zeros()
    row = np.repeat(np.arange(n_groups), np.diff(table.indptr))
    return row, table.indices.astype(np.int64) + UNASSIGNED, table.data
