"""Ranges, runs, pairs, groups and ranks of indices, many at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .arrays import AnyArray, BoolArray, IntArray

CHUNK = 1 << 17
"""Indices made at a time, which bounds the memory of whoever loops over them."""

DENSE = 16
"""Possible keys per key up to which counting them all beats sorting."""

DENSE_FLAGS = 64
"""The same where a flag for each, a byte, is enough."""


def ranges(first: IntArray, count: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield ``(i, j)`` for j in first[i] ... first[i] + count[i] - 1, in chunks.

    Examples
    --------
    >>> [(i, j)] = ranges(np.array([5, 8]), np.array([2, 1]))
    >>> i.tolist(), j.tolist()
    ([0, 0, 1], [5, 6, 8])
    """
    end = np.cumsum(count)
    shift = first - (end - count)
    for start, stop in pieces(count, CHUNK):
        i = np.repeat(np.arange(start, stop), count[start:stop])
        yield i, shift[i] + np.arange(end[start] - count[start], end[stop - 1])


def places(first: IntArray, count: IntArray) -> IntArray:
    """Return j of first[i] ... first[i] + count[i] - 1 for all i, at once.

    Examples
    --------
    >>> places(np.array([5, 8]), np.array([2, 1])).tolist()
    [5, 6, 8]
    """
    shift = first - (np.cumsum(count) - count)
    all_places: IntArray = np.arange(int(count.sum())) + np.repeat(shift, count)
    return all_places


def runs(column: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return (n,) where the run of each number starts, and how long it is.

    Parameters
    ----------
    column : numbers from 0 to n - 1, ascending.

    Examples
    --------
    >>> first, count = runs(np.array([0, 0, 2]), 3)
    >>> first.tolist(), count.tolist()
    ([0, 2, 2], [2, 0, 1])
    """
    count = np.bincount(column, minlength=n)
    return np.cumsum(count) - count, count


def spans(column: IntArray, value: IntArray) -> tuple[IntArray, IntArray]:
    """Return where each value starts in an ascending column, and how often it occurs.

    Examples
    --------
    >>> first, count = spans(np.array([3, 3, 8]), np.array([8, 5, 3]))
    >>> first.tolist(), count.tolist()
    ([2, 2, 0], [1, 0, 2])
    """
    first: IntArray = np.searchsorted(column, value)
    return first, np.searchsorted(column, value, side="right") - first


def cells(mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Return row and column of each True, as ``np.nonzero`` does, but quicker.

    Examples
    --------
    >>> row, column = cells(np.array([[False, True], [True, False]]))
    >>> row.tolist(), column.tolist()
    ([0, 1], [1, 0])
    """
    n_columns = max(mask.shape[1], 1)
    place = np.flatnonzero(mask)
    row = place // n_columns
    return row, place - row * n_columns


def pieces(size: IntArray, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and stop of runs whose sizes add up to ``most`` at most.

    What is larger by itself is a run of its own.

    Examples
    --------
    >>> list(pieces(np.array([2, 3, 9, 1]), 5))
    [(0, 2), (2, 3), (3, 4)]
    """
    end = np.cumsum(size)
    start, done = 0, 0
    while start < len(size):
        stop = max(int(np.searchsorted(end, done + most, side="right")), start + 1)
        yield start, stop
        start, done = stop, int(end[stop - 1])


def ends_of_runs(column: IntArray) -> IntArray:
    """Return (N,) for each place where the run of values equal to its own ends.

    Examples
    --------
    >>> ends_of_runs(np.array([4, 4, 7, 9, 9])).tolist()
    [2, 2, 3, 5, 5]
    """
    last = np.ones(len(column), dtype=bool)
    last[:-1] = column[1:] != column[:-1]
    ends = np.flatnonzero(last) + 1
    return np.repeat(ends, np.diff(ends, prepend=0))


def pairs_in_groups(group: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs ``(i, j)``, i before j, of one group (M,), in chunks.

    Examples
    --------
    >>> [(i, j)] = pairs_in_groups(np.array([7, 4, 7, 7]))
    >>> i.tolist(), j.tolist()
    ([0, 0, 2], [2, 3, 3])
    """
    order = np.argsort(group, kind="stable")
    after = np.arange(1, len(order) + 1)
    for i, j in ranges(after, ends_of_runs(group[order]) - after):
        yield order[i], order[j]


def counted(key: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Return the different keys, ascending, and how often each occurs.

    Parameters
    ----------
    key : (M,) numbers from 0.
    size : one more than the largest that is possible.

    Examples
    --------
    >>> key, count = counted(np.array([5, 2, 5]), 6)
    >>> key.tolist(), count.tolist()
    ([2, 5], [1, 2])
    """
    if size <= DENSE * len(key):
        count = np.bincount(key, minlength=size)
        some = np.flatnonzero(count > 0)  # quicker than of integers
        return some, count[some]
    key = np.sort(key)
    end = np.flatnonzero(np.append(key[1:] != key[:-1], True)[: len(key)])
    return key[end], np.diff(end, prepend=-1)


def different(key: IntArray, size: int) -> IntArray:
    """Return the different keys, ascending.

    Parameters
    ----------
    key : (M,) numbers from 0.
    size : one more than the largest that is possible.

    Examples
    --------
    >>> different(np.array([5, 2, 5]), 6).tolist()
    [2, 5]
    """
    if size > DENSE_FLAGS * len(key):
        return np.unique(key)
    return np.flatnonzero(_occurs(key, size))


def grouped(key: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Return the different keys, ascending, and (M,) which of them each key is.

    Parameters
    ----------
    key : (M,) numbers from 0.
    size : one more than the largest that is possible.

    Examples
    --------
    >>> key, group = grouped(np.array([5, 2, 5]), 6)
    >>> key.tolist(), group.tolist()
    ([2, 5], [1, 0, 1])
    """
    if size <= DENSE * len(key):
        some = np.flatnonzero(_occurs(key, size))
        group: IntArray = np.empty(size, np.int64)  # set where it is looked at
        group[some] = np.arange(len(some))
        return some, group[key]
    return np.unique(key, return_inverse=True)


def _occurs(key: IntArray, size: int) -> BoolArray:
    """Return (size,) whether each possible key is among them."""
    occurs = np.zeros(size, dtype=bool)
    occurs[key] = True
    return occurs


def dense_rank(columns: Sequence[AnyArray]) -> IntArray:
    """Return (N,) ranks from 0 by the last column, then the one before, and so on.

    Examples
    --------
    >>> dense_rank([np.array([7, 5, 7, 7]), np.array([1, 2, 1, 0])]).tolist()
    [1, 2, 1, 0]
    """
    order = np.lexsort(columns)
    rank = np.zeros(len(order), dtype=np.int64)
    rank[order] = np.cumsum(changes(columns, order)) - 1
    return rank


def changes(columns: Sequence[AnyArray], order: IntArray) -> BoolArray:
    """Return (N,) True where a row differs from the one before it in ``order``."""
    new = np.zeros(len(order), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[order[1:]] != column[order[:-1]]
    return new
