"""Are classes confused at random? Tests by permutation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray, as_array, sum_by
from ..errors import FitError, KalosError
from .fitting.estimate import Outcome, enough

N_PERMUTATIONS = 1999

LEAST_CLASSES = 4
"""Of three classes, no permutation of them is rarer than one in six."""

LEAST_MISTAKES = 10
"""Category mistakes for a test of what they are taken for."""

N_ROUNDS = 5
"""Times that every mistake may change its class between two permutations."""


def mantel_test(
    confusion: npt.ArrayLike,
    similarity: npt.ArrayLike,
    rng: np.random.Generator,
    n_permutations: int = N_PERMUTATIONS,
) -> Outcome:
    """Correlate the confusion of classes (C, C) with their similarity (C, C).

    Both are made symmetric. The p value is two-sided, by permuting the names of
    classes. Positive where similar classes are confused; the paper, which correlates
    with distances, has a negative sign.
    """
    counts, near = (
        np.asarray(as_array(matrix, np.float64, name))
        for matrix, name in ((confusion, "confusion"), (similarity, "similarity"))
    )
    if counts.shape != near.shape or counts.shape != (len(counts), len(counts)):
        raise KalosError(
            "confusion and similarity must be square and of one shape, got "
            f"{counts.shape} and {near.shape}"
        )
    enough(len(counts), LEAST_CLASSES, "classes")
    counts, near = counts + counts.T, near + near.T
    i, j = np.triu_indices(len(counts), 1)
    deviation = counts[i, j].std() * near[i, j].std()
    if deviation == 0:
        raise FitError("all classes are confused alike, or are as similar")
    means = counts[i, j].mean() * near[i, j].mean()
    # Most classes are never confused, and only the others have to be looked at.
    some = counts[i, j] > 0
    n, i, j = len(i), i[some], j[some]

    def correlation(order: IntArray) -> float:
        product = counts[i, j] @ near[order[i], order[j]] / n
        return float((product - means) / deviation)

    found = correlation(np.arange(len(near)))
    permuted = [correlation(rng.permutation(len(near))) for _ in range(n_permutations)]
    return Outcome("Mantel", found, _p_value(abs(found), np.abs(permuted)))


def confusion_permutation_test(
    label_from: IntArray,
    label_to: IntArray,
    n_classes: int,
    rng: np.random.Generator,
    *,
    directed: bool = True,
    n_permutations: int = N_PERMUTATIONS,
) -> Outcome:
    """Test whether what a class is taken for depends on the class: chi-square.

    Mistakes exchange the class that they are taken for, but never for their own: a
    class that is not mistaken is no mistake, and counting that as evidence would always
    reject. Two mistakes at a time change places, a chain that leads to all
    arrangements alike.

    Parameters
    ----------
    label_from, label_to : (M,) classes of each mistake, which differ.
    directed : whether it matters which of the two comes first.
    """
    enough(len(label_from), LEAST_MISTAKES, "category mistakes")
    ends = np.stack([label_from, label_to], axis=1)
    if not directed:
        ends.sort(axis=1)
    ends = ends[np.lexsort(ends.T)]  # chance does not depend on the order of raters
    expected = _expected(ends, n_classes, directed)
    found = _chi_square(ends, expected, directed)
    permuted = []
    for _ in range(n_permutations):
        for _ in range(N_ROUNDS):
            _exchange(ends, rng, directed)
        permuted.append(_chi_square(ends, expected, directed))
    return Outcome("chi-square", found, _p_value(found, np.array(permuted)))


def _exchange(ends: IntArray, rng: np.random.Generator, directed: bool) -> None:
    """Let mistakes in pairs exchange what they are taken for, where both stay so."""
    if not directed:
        turned = rng.random(len(ends)) < 0.5
        ends[turned] = ends[turned, ::-1]
    order = rng.permutation(len(ends))
    one, other = order[::2][: len(ends) // 2], order[1::2]
    possible = (ends[one, 0] != ends[other, 1]) & (ends[other, 0] != ends[one, 1])
    possible &= (
        rng.random(len(one)) < 0.5
    )  # may stay, so that no arrangement is left out
    one, other = one[possible], other[possible]
    ends[one, 1], ends[other, 1] = ends[other, 1], ends[one, 1]


def _table(ends: IntArray, n: int, directed: bool) -> FloatArray:
    cell = ends[:, 0] * n + ends[:, 1]
    table = sum_by(cell, np.ones(len(cell)), n * n).reshape(n, n)
    return table if directed else table + table.T


def _expected(ends: IntArray, n: int, directed: bool) -> FloatArray:
    """Return (C, C) mistakes as if rows and columns had nothing to do with each other.

    Fitted to both sums with nothing on the diagonal, row and column in turn.
    """
    table = _table(ends, n, directed)
    expected = 1.0 - np.eye(n)
    for _ in range(100):
        for axis in (0, 1):
            total = expected.sum(axis=axis, keepdims=True)
            wanted = table.sum(axis=axis, keepdims=True)
            expected *= np.divide(
                wanted, total, where=total > 0, out=np.zeros_like(total)
            )
    return expected


def _chi_square(ends: IntArray, expected: FloatArray, directed: bool) -> float:
    table = _table(ends, len(expected), directed)
    possible = expected > 0
    off = table[possible] - expected[possible]
    return float((off**2 / expected[possible]).sum())


def _p_value(found: float, permuted: FloatArray) -> float:
    """Return how rarely chance gives as much; what was found is one of its cases."""
    as_much = permuted >= found * (1 - 1e-9)
    return float((1 + as_much.sum()) / (1 + len(permuted)))
