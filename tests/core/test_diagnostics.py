import numpy as np
import pytest

from kalos_core import ReliabilityMatrix
from kalos_core.diagnostics.class_difficulty import class_difficulty
from kalos_core.diagnostics.tally import tally

# Rows ana, ben, cho; 0 = cat, 1 = dog, -1 = nothing, -2 = not assigned.
VALUES = [
    [0, 0, -1, 1, -1, 0, 0],
    [0, 0, -1, 0, -1, 1, -2],
    [0, -1, 1, 0, -1, -1, -2],
]
MATRIX = ReliabilityMatrix(VALUES, np.zeros(7, int), np.arange(0))


def test_tally_by_hand():
    # Unit 0 agreed; 1 cho misses; 2 cho's is extra; 3 ana says dog; 4 is virtual;
    # 5 has no majority; 6 has one rater, who is the majority.
    counted = tally(MATRIX, 2)
    assert counted.expected.tolist() == [4, 3, 3]
    assert counted.missed.tolist() == [0, 0, 1]
    assert counted.drawn.tolist() == [4, 3, 3]
    assert counted.extra.tolist() == [0, 0, 1]
    assert counted.other_class.tolist() == [1, 0, 0]


def test_class_difficulty_by_hand():
    found = class_difficulty(MATRIX, 3)
    # dog: units 2, 3 and 5, that is (- - d) (d c c) (c d -): n = 9, n_none = 3,
    # n_dog = 3, n_cat = 3, chance 18; agreeing pairs 2/2 + 2/2 + 0 = 2.
    assert found[1] == pytest.approx((8 * 2 - 18) / (72 - 18))
    # cat: units 0, 1, 3, 5 (6 has one value only): n = 12, n_cat = 8, n_none = 2,
    # n_dog = 2, chance 56 + 2 + 2 = 60; agreeing 6/2 + 2/2 + 2/2 + 0 = 5.
    assert found[0] == pytest.approx((11 * 5 - 60) / (132 - 60))
    assert np.isnan(found[2])  # a class that nobody used


def test_nothing_at_all():
    empty = ReliabilityMatrix(np.empty((2, 0)), [], [])
    assert tally(empty, 1).expected.tolist() == [0, 0]
    assert np.isnan(class_difficulty(empty, 1)).all()
