"""Sums of images that are drawn and weighted anew many times."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from .alpha import Coincidences, alpha_of_sums
from .arrays import FloatArray, IntArray


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
        self.key, place = np.unique(
            column[sums.group] * self.span + sums.value + 1, return_inverse=True
        )
        n_keys = len(self.key)
        self.n_c = csr_array(
            (sums.n_c, (place, image[sums.group])), shape=(n_keys, n_images)
        )
        self.of_key = csr_array(
            (np.ones(n_keys), (self.key // self.span, np.arange(n_keys))),
            shape=(n_columns, n_keys),
        )

    def weighted(self, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (K, rounds) n and o_cc, and n_c of each ``key`` (keys, rounds).

        Parameters
        ----------
        weight : (I, rounds) of the images in each round.
        """
        n_c = self.n_c @ weight
        return self.of_key @ n_c, self.o_cc @ weight, n_c

    def alpha(self, weight: FloatArray) -> FloatArray:
        """Return (K, rounds) alpha of each column in each round."""
        n, o_cc, n_c = self.weighted(weight)
        return alpha_of_sums(n, o_cc, self.of_key @ (n_c * (n_c - 1)))[0]
