"""Where a confusion of two classes comes from: one rater, or all alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray, StrArray, freeze
from .dissent import NOBODY
from .swap_tests import EITHER, direction_tests, lone_tests

ONE_RATER, DIRECTED, SYMMETRIC = "one_rater", "directed", "symmetric"
UNDETERMINED = "undetermined"
SOURCES = (ONE_RATER, DIRECTED, SYMMETRIC, UNDETERMINED)
"""Where a confusion comes from: one rater stands alone more often than chance and in
the larger part of the cases; of two raters, one says this class where the other says
that one; no one rater accounts for it, as under a vague guideline; or there are too
few cases to say."""

FEWEST = 5
"""Cases below which nothing is said."""

LEVEL = 0.05
"""Chance of naming anyone at all where raters differ by chance alone."""


@dataclass(frozen=True, eq=False, slots=True)
class Swaps:
    """Where the confusion of each of K pairs of classes comes from.

    Parameters
    ----------
    source : (K,) one of ``SOURCES``.
    rater : (K,) whom it comes from, or ``NOBODY``.
    against : (K,) the other one where it is directed, or ``NOBODY``.
    said : (K,) the class that ``rater`` says for the other one, or ``EITHER``.
    n_cases : (K,) units that could tell the source.
    n_theirs : (K,) of these, the ones that ``rater`` accounts for.
    p_value : (K,) chance of that, corrected for all tests; nan where none was made.
    """

    source: StrArray
    rater: IntArray
    against: IntArray
    said: IntArray
    n_cases: IntArray
    n_theirs: IntArray
    p_value: FloatArray

    def __post_init__(self) -> None:
        n = len(self.source)
        freeze(self, "source", np.str_, n)
        for name in ("rater", "against", "said", "n_cases", "n_theirs"):
            freeze(self, name, np.int64, n)
        freeze(self, "p_value", np.float64, n)


def find_swaps(values: npt.NDArray[np.int32], key: IntArray, n_classes: int) -> Swaps:
    """Return where each confusion comes from.

    It is tested in units of three labels or more, by who stands alone; where these
    are too few, in units of two labels, by who says which class. Corrected for raters
    (Bonferroni) and for the pairs of classes that could be found at all (Tarone
    1990), so that among raters who are alike hardly ever anyone is named. Symmetric
    is only what would have been found, had one rater done all of it.

    Parameters
    ----------
    values : (R, U) classes; all that is no object is ``UNASSIGNED``.
    key : (K,) pairs of classes, first * n_classes + second, ascending.
    """
    lone = lone_tests(values, key, n_classes)
    direction = direction_tests(values, key, n_classes)
    by_lone = (lone.n_cases >= FEWEST) | (lone.n_cases > direction.n_cases)
    tests = lone.or_else(by_lone, direction)
    enough = tests.n_cases >= FEWEST
    tested = enough & tests.possible
    n_tests = n_to_correct(tests.least[tested])
    p = np.where(tested, np.minimum(tests.p * n_tests, 1), np.nan)
    found = tested & (p < LEVEL)
    nobodys = enough & by_lone & ~tests.possible
    return Swaps(
        source=np.select(
            [
                found & by_lone,
                found,
                nobodys | tested & (tests.least * n_tests < LEVEL),
            ],
            [ONE_RATER, DIRECTED, SYMMETRIC],
            UNDETERMINED,
        ),
        rater=np.where(found, tests.rater, NOBODY),
        against=np.where(found, tests.against, NOBODY),
        said=np.where(found, tests.said, EITHER),
        n_cases=tests.n_cases,
        n_theirs=np.where(found, tests.n_theirs, 0),
        p_value=p,
    )


def n_to_correct(least: FloatArray) -> int:
    """Return how many tests to correct for, given the least p that each can have.

    The smallest number not exceeded by that of the tests which, corrected for it,
    could be significant.

    Examples
    --------
    Of three tests, one cannot be significant whatever is found:

    >>> n_to_correct(np.array([0.001, 0.002, 0.4]))
    2
    """
    number = np.arange(1, len(least) + 2)
    n_possible = np.searchsorted(np.sort(least), LEVEL / number)
    return int(number[(n_possible <= number).argmax()])
