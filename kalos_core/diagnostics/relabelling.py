"""Agreement of pairs apart from single raters, and with raters relabelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ..alpha import Coincidences
from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, by_name, sum_by
from ..rematch import Problems
from .collaboration import raters_of

N_BLOCKS = 512
"""Blocks of images that are relabelled together, where more are not needed."""

AT_A_TIME = 1 << 22
"""Numbers of relabelled matrices in memory."""


@dataclass(frozen=True, eq=False, slots=True)
class Residuals:
    """What alpha of pairs leaves after image and both raters, in blocks of images.

    The images of a block have the same raters, who are numbered by name.

    Parameters
    ----------
    rest : (M,) sums of residuals over the images of a block.
    block, a, b : (M,) the block and the raters of each.
    count : (R, R) images that each pair of raters has.
    """

    rest: FloatArray
    block: IntArray
    a: IntArray
    b: IntArray
    count: FloatArray

    def total(self) -> FloatArray:
        """Return (1, R, R) the sums of each pair of raters."""
        return _added(self.rest, self.a, self.b, len(self.count))[None]

    def relabelled(self, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield n such matrices, with the raters of each block exchanged at random."""
        n_raters = len(self.count)
        slot = np.unique(
            np.concatenate([self.block, self.block]) * n_raters
            + np.concatenate([self.a, self.b])
        )
        block, rater = np.divmod(slot, n_raters)
        one, other = (
            np.searchsorted(slot, self.block * n_raters + who)
            for who in (self.a, self.b)
        )
        most = max(AT_A_TIME // n_raters**2, 1)
        for done in range(0, n, most):
            made = []
            for _ in range(min(most, n - done)):
                new = rater[np.lexsort((rng.random(len(slot)), block))]
                made.append(_added(self.rest, new[one], new[other], n_raters))
            yield np.stack(made)


def residuals(
    annotations: Annotations, problems: Problems, sums: Coincidences
) -> Residuals:
    """Return the residuals of all pairs, from images that at least three raters saw.

    alpha of raters a and b in image i is fitted by m_i + e_a + e_b. Images and raters
    are numbered by name, so that chance does not depend on the order of either.

    Parameters
    ----------
    problems, sums : of all pairs of raters.
    """
    images, raters = by_name(annotations.images), by_name(annotations.raters)
    assigned = annotations.assigned[np.ix_(images, raters)]
    image = np.argsort(images)[problems.image]
    a, b = np.sort(np.argsort(raters)[np.stack(raters_of(problems))], axis=0)
    (alpha, _), n_raters = sums.alpha(), len(raters)
    n_seen = assigned.sum(axis=1)
    n_known = np.bincount(image[~np.isnan(alpha)], minlength=len(assigned))
    whole = (n_seen >= 3) & (n_known == n_seen * (n_seen - 1) // 2)
    chosen = whole[image]
    a, b = a[chosen], b[chosen]
    image = np.searchsorted(np.flatnonzero(whole), image[chosen])
    rest = _without_effects(alpha[chosen], image, a, b, n_raters)
    block = _blocks(assigned[whole])[image]
    cell, place = np.unique((block * n_raters + a) * n_raters + b, return_inverse=True)
    of_block, pair = np.divmod(cell, n_raters**2)
    return Residuals(
        sum_by(place, rest, len(cell)),
        of_block,
        pair // n_raters,
        pair % n_raters,
        _added(np.ones(len(a)), a, b, n_raters),
    )


def _without_effects(
    alpha: FloatArray, image: IntArray, a: IntArray, b: IntArray, n_raters: int
) -> FloatArray:
    """Return (M,) what image and raters do not explain, by least squares."""
    m, n_images = len(alpha), int(image.max(initial=-1)) + 1
    rows = np.tile(np.arange(m), 2)
    raters = csr_array((np.ones(2 * m), (rows, np.r_[a, b])), shape=(m, n_raters))
    images = csr_array((np.ones(m), (image, np.arange(m))), shape=(n_images, m))
    share = 1 / np.bincount(image, minlength=n_images)

    def centred(column: FloatArray) -> FloatArray:
        left: FloatArray = column - (share * (images @ column))[image]
        return left

    per_image = (images @ raters).toarray()
    normal = (raters.T @ raters).toarray() - (per_image.T * share) @ per_image
    effect = np.linalg.lstsq(normal, raters.T @ centred(alpha), rcond=None)[0]
    return centred(alpha - raters @ effect)


def _blocks(assigned: BoolArray) -> IntArray:
    """Return (I,) blocks of images with the same raters, at least ``N_BLOCKS``.

    Relabelling blocks is as valid as relabelling images, where all raters are alike.
    """
    _, same, count = np.unique(
        assigned, axis=0, return_inverse=True, return_counts=True
    )
    n_blocks = -(-N_BLOCKS * count // max(len(assigned), 1))
    order = np.argsort(same, kind="stable")
    nth = np.empty_like(order)
    nth[order] = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
    block: IntArray = (np.cumsum(n_blocks) - n_blocks)[same] + nth % n_blocks[same]
    return block


def _added(value: FloatArray, a: IntArray, b: IntArray, n_raters: int) -> FloatArray:
    """Return the symmetric matrix (R, R) of the sums of pairs."""
    half = sum_by(a * n_raters + b, value, n_raters**2).reshape(n_raters, n_raters)
    return half + half.T
