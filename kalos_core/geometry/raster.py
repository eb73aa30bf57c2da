"""Polygons to pixels, with the rule of scikit-image that the reference uses."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, IntArray


def fill(row: IntArray, column: IntArray) -> BoolArray:
    """Return the pixels of a polygon with corners on pixel centres.

    A pixel belongs to it if it is a corner, or if the ray to its right or the one to
    its left crosses the outline an odd number of times (O'Rourke; in
    ``skimage.draw.polygon`` alike): the inside by the even-odd rule, and edges.

    Parameters
    ----------
    row, column : (P,) integer corners, from 0.

    Returns
    -------
    (max row + 1, max column + 1) True inside.

    Examples
    --------
    >>> fill(np.array([0, 0, 2]), np.array([0, 2, 0])).astype(int)
    array([[1, 1, 1],
           [1, 1, 0],
           [1, 0, 0]])
    """
    shape = int(row.max()) + 1, int(column.max()) + 1
    start, end = _downward_edges(row, column)
    height = end[0] - start[0]
    edge = np.repeat(np.arange(len(height)), height)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(height) - height, height)
    to_left, to_right = np.zeros(shape, np.int64), np.zeros(shape, np.int64)

    # Rows from the upper corner to just above the lower: crossings to the right.
    floor, rest = _crossing(start, end, edge, nth)
    last_left_of = floor + (rest > 0) - 1
    there = last_left_of >= 0
    cells = (start[0][edge] + nth)[there], last_left_of[there]
    np.add.at(to_right, cells, 1)

    # Rows from just below the upper corner to the lower: crossings to the left.
    floor, _ = _crossing(start, end, edge, nth + 1)
    there = floor + 1 < shape[1]
    cells = (start[0][edge] + nth + 1)[there], floor[there] + 1
    np.add.at(to_left, cells, 1)

    right = to_right[:, ::-1].cumsum(axis=1)[:, ::-1]
    inside: BoolArray = (right | to_left.cumsum(axis=1)) % 2 == 1
    inside[row, column] = True
    return inside


def _downward_edges(
    row: IntArray, column: IntArray
) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Return row and column of both ends of the edges that are not level."""
    one, other = (row, column), (np.roll(row, -1), np.roll(column, -1))
    falls = one[0] < other[0]
    start = [np.where(falls, a, b) for a, b in zip(one, other, strict=True)]
    end = [np.where(falls, b, a) for a, b in zip(one, other, strict=True)]
    level = start[0] == end[0]
    return (start[0][~level], start[1][~level]), (end[0][~level], end[1][~level])


def _crossing(
    start: tuple[IntArray, IntArray],
    end: tuple[IntArray, IntArray],
    edge: IntArray,
    below: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return where edges are ``below`` rows under their start: column and remainder.

    In integers, so that a pixel on an edge is told exactly.
    """
    slope = (end[1] - start[1])[edge]
    floor, rest = np.divmod(below * slope, (end[0] - start[0])[edge])
    return floor + start[1][edge], rest
