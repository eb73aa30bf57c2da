"""The best split of raters into two groups, of many matrices of agreement at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class RaterSplits:
    """RaterSplits of R raters into two groups of at least two.

    Parameters
    ----------
    second : (B, R) True for the raters of the second group.
    gain : (B,) how much higher agreement is within the groups than between them; what
        a single rater adds to all of their agreements cancels out.
    score : (B,) the gain in standard errors, if all agreements vary alike.
    """

    second: BoolArray
    gain: FloatArray
    score: FloatArray


def best_splits(total: FloatArray, count: FloatArray) -> RaterSplits:
    """Return the best split along the leading eigenvector of each matrix.

    Parameters
    ----------
    total : (B, R, R) sums of the agreement of pairs, symmetric, 0 on the diagonal.
    count : (R, R) how many numbers each sum has.
    """
    _, vectors = np.linalg.eigh(_interaction(total))
    order = vectors[:, :, -1].argsort(axis=1)
    n_raters = len(count)
    size = np.arange(2, n_raters - 1)  # of the first group
    sums = _parts(np.take_along_axis(total, order[:, :, None], 1), order, size)
    counts = _parts(count[order], order, size)
    with np.errstate(invalid="ignore", divide="ignore"):
        one, between, other = (s / n for s, n in zip(sums, counts, strict=True))
        gain = (one + other) / 2 - between
        weight = [1 / counts[0], 4 / counts[1], 1 / counts[2]]
        score = 2 * gain / np.sqrt(sum(weight))
    score = np.where(np.isnan(score), -np.inf, score)
    best = score.argmax(axis=1)
    each = np.arange(len(total))
    rank = order.argsort(axis=1)
    return RaterSplits(rank >= size[best, None], gain[each, best], score[each, best])


def _interaction(total: FloatArray) -> FloatArray:
    """Return (B, R, R) sums without what single raters add to all of theirs."""
    n_raters = total.shape[1]
    row = total.sum(axis=2)
    everything = row.sum(axis=1, keepdims=True)
    effect = (row - everything / (2 * (n_raters - 1))) / (n_raters - 2)
    rest: FloatArray = total - effect[:, :, None] - effect[:, None, :]
    rest[:, np.arange(n_raters), np.arange(n_raters)] = 0
    return rest


def _parts(rows: FloatArray, order: IntArray, size: IntArray) -> list[FloatArray]:
    """Return (B, S) sums within the first group, between both, and within the second.

    Parameters
    ----------
    rows : (B, R, R) matrices whose rows are in ``order``.
    order : (B, R) raters; the first ``size`` (S,) of them are the first group.
    """
    table = np.take_along_axis(rows, order[:, None, :], 2).cumsum(1).cumsum(2)
    first = table[:, size - 1, size - 1]
    side = table[:, size - 1, -1]
    everything = table[:, -1, -1][:, None]
    return [first / 2, side - first, (everything - 2 * side + first) / 2]
