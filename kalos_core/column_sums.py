"""Sums of images that are drawn and weighted anew many times."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from .alpha import Coincidences, alpha_of_sums
from .arrays import FloatArray, IntArray, sum_by
from .ranges import grouped

Weights = npt.NDArray[np.float32] | FloatArray
"""How often images are drawn. Sums of rounds are in single precision: that is exact for
counts up to 16 million, and for fractions far within what rounds vary by."""


DENSE = 8
"""Places of a matrix per value up to which it is multiplied as a whole."""


PIECE = 1 << 18
"""Products of numbers from which on OpenBLAS starts threads."""

ROWS = 16
"""Rows that are multiplied at a time."""


def matrix(
    value: FloatArray, row: IntArray, column: IntArray, shape: tuple[int, int]
) -> csr_array | npt.NDArray[np.float32]:
    """Return a matrix to multiply rounds by; values of one place are added up."""
    if shape[0] * shape[1] <= DENSE * len(value):
        full = sum_by(row * shape[1] + column, value, shape[0] * shape[1])
        return full.reshape(shape).astype(np.float32)
    return csr_array((value, (row, column)), shape=shape).astype(np.float32)


def product(
    matrix: csr_array | npt.NDArray[np.float32], weight: Weights
) -> npt.NDArray[np.float32]:
    """Return (K, rounds) a matrix (K, I) times weights (I, rounds).

    In pieces so small that no threads are started for them: these would mostly wait for
    each other, and where others are at work too, twice as long as all takes.
    """
    if not isinstance(matrix, np.ndarray):
        of_few: npt.NDArray[np.float32] = matrix @ weight
        return of_few
    if len(matrix) > 1 and (matrix == matrix[0]).all():  # the same images in each row
        return np.repeat(product(matrix[:1], weight), len(matrix), axis=0)
    found = np.zeros((len(matrix), weight.shape[1]), dtype=np.float32)
    n_images = max(PIECE // (ROWS * weight.shape[1]), 1)
    for row in range(0, len(matrix), ROWS):
        rows = slice(row, row + ROWS)
        for image in range(0, len(weight), n_images):
            images = slice(image, image + n_images)
            found[rows] += matrix[rows, images] @ weight[images]
    return found


class ColumnSums:
    """The sums of K columns, over images that may be weighted in many ways.

    Parameters
    ----------
    sums : G groups.
    image, column : (G,) of each group.
    n_columns, n_images : K and I.
    """

    def __init__(
        self,
        sums: Coincidences,
        image: IntArray,
        column: IntArray,
        n_columns: int,
        n_images: int,
    ) -> None:
        shape = (n_columns, n_images)
        self.o_cc = csr_array((sums.o_cc, (column, image)), shape=shape)
        self.span = int(sums.value.max(initial=0)) + 2  # from NO_OBJECT, -1
        self.key, place = grouped(
            column[sums.group] * self.span + sums.value + 1, n_columns * self.span
        )
        n_keys = len(self.key)
        self.n_c = csr_array(
            (sums.n_c, (place, image[sums.group])), shape=(n_keys, n_images)
        )
        self.single = self.o_cc.astype(np.float32), self.n_c.astype(np.float32)
        self.of_key = csr_array(
            (np.ones(n_keys), (self.key // self.span, np.arange(n_keys))),
            shape=(n_columns, n_keys),
        )

    def weighted(self, weight: Weights) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (K, rounds) n and o_cc, and n_c of each ``key`` (keys, rounds).

        Parameters
        ----------
        weight : (I, rounds) of the images in each round.
        """
        is_single = weight.dtype == np.float32
        o_cc, n_c = self.single if is_single else (self.o_cc, self.n_c)
        drawn = (n_c @ weight).astype(np.float64)
        return self.of_key @ drawn, (o_cc @ weight).astype(np.float64), drawn

    def alpha(self, weight: Weights) -> FloatArray:
        """Return (K, rounds) alpha of each column in each round."""
        n, o_cc, n_c = self.weighted(weight)
        return alpha_of_sums(n, o_cc, self.of_key @ (n_c * (n_c - 1)))[0]
