"""Many ranges and pairs of indices at once, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .arrays import IntArray

CHUNK = 1 << 17
"""Indices made at a time, which bounds the memory of whoever loops over them."""


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
    start, done = 0, 0
    while start < len(first):
        stop = max(int(np.searchsorted(end, done + CHUNK, side="right")), start + 1)
        i = np.repeat(np.arange(start, stop), count[start:stop])
        yield i, shift[i] + np.arange(done, end[stop - 1])
        start, done = stop, int(end[stop - 1])


def pairs_in_groups(group: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs ``(i, j)``, i before j, of one group (M,), in chunks.

    Examples
    --------
    >>> [(i, j)] = pairs_in_groups(np.array([7, 4, 7, 7]))
    >>> i.tolist(), j.tolist()
    ([0, 0, 2], [2, 3, 3])
    """
    order = np.argsort(group, kind="stable")
    place, ordered = np.arange(len(order)), group[order]
    end = np.searchsorted(ordered, ordered, side="right")
    for i, j in ranges(place + 1, end - place - 1):
        yield order[i], order[j]
