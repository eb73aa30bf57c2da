"""Polygons to pixels, with the rule of scikit-image that the reference uses."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, IntArray

BATCH = 2048
"""Polygons filled at a time, which bounds the memory."""


def fill(points: IntArray, first: IntArray) -> list[BoolArray]:
    """Return the pixels of polygons with corners on pixel centres, cropped.

    A pixel belongs to a polygon if it is a corner, or if the ray to its right or the
    one to its left crosses the outline an odd number of times (O'Rourke; in
    ``skimage.draw.polygon`` alike): the inside by the even-odd rule, and edges.

    Many polygons are filled at once, row by row in one flat buffer.

    Parameters
    ----------
    points : (M, 2) integer row and column of the corners of all polygons.
    first : (N + 1,) where the corners of each polygon begin, and the end of the last.

    Returns
    -------
    for each polygon the pixels from its least to its greatest row and column.

    Examples
    --------
    >>> (triangle,) = fill(np.array([[5, 7], [5, 9], [7, 7]]), np.array([0, 3]))
    >>> triangle.astype(int)
    array([[1, 1, 1],
           [1, 1, 0],
           [1, 0, 0]])
    """
    filled = []
    for start in range(0, len(first) - 1, BATCH):
        ends = first[start : start + BATCH + 1]
        filled += _fill(points[ends[0] : ends[-1]], ends - ends[0])
    return filled


def _fill(points: IntArray, first: IntArray) -> list[BoolArray]:
    n_polygons = len(first) - 1
    owner = np.repeat(np.arange(n_polygons), np.diff(first))
    low = np.minimum.reduceat(points, first[:-1])
    size = np.maximum.reduceat(points, first[:-1]) - low + 1
    row, column = (points - low[owner]).T
    width, base = size[:, 1], np.cumsum([0, *size.prod(axis=1)])

    following = np.arange(1, len(points) + 1)
    following[first[1:] - 1] = first[:-1]
    falls = row < row[following]
    upper = np.where(falls, np.arange(len(points)), following)
    lower = np.where(falls, following, np.arange(len(points)))
    height = row[lower] - row[upper]
    edge = np.repeat(np.arange(len(points)), height)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(height) - height, height)
    run, rise = (column[lower] - column[upper])[edge], height[edge]
    start, of = column[upper][edge], owner[edge]
    line = base[of] + (row[upper][edge] + nth) * width[of]

    # Rows from the upper corner to just above the lower: crossings to the right. In
    # integers, so that a pixel on an edge is told exactly.
    last_left_of = start - (-nth * run // rise) - 1
    there = last_left_of >= 0
    to_right = np.bincount((line + last_left_of)[there], minlength=base[-1])

    # Rows from just below the upper corner to the lower: crossings to the left.
    first_right_of = start + (nth + 1) * run // rise + 1
    there = first_right_of < width[of]
    cells = (line + width[of] + first_right_of)[there]
    to_left = np.bincount(cells, minlength=base[-1])

    row_width = np.repeat(width, size[:, 0])
    inside = ((_from_right(to_right, row_width) | _sums(to_left, row_width)) & 1) == 1
    inside[base[owner] + row * width[owner] + column] = True
    return [inside[base[n] : base[n + 1]].reshape(size[n]) for n in range(n_polygons)]


def _sums(values: IntArray, row_width: IntArray) -> IntArray:
    """Return running sums of a flat buffer that begin anew with each row."""
    total = np.cumsum(values)
    start = np.cumsum(row_width) - row_width
    sums: IntArray = total - np.repeat(total[start] - values[start], row_width)
    return sums


def _from_right(values: IntArray, row_width: IntArray) -> IntArray:
    """Return running sums from the right end of each row."""
    return _sums(values[::-1], row_width[::-1])[::-1]
