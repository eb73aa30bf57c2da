import numpy as np
import pytest

from kalos_core import ReliabilityMatrix
from kalos_core.class_sums import class_sums
from kalos_core.diagnostics.class_difficulty import (
    class_difficulty,
    difficulty_of_classes,
)
from kalos_core.diagnostics.tally import tally
from kalos_core.estimates import with_intervals
from kalos_core.resampling import Resampling

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


def difficulty(matrix, n_classes=3, n_images=3):
    rounds = Resampling(np.ones(n_images, bool), 80, seed=0)
    return difficulty_of_classes(class_sums(matrix), n_classes, rounds), rounds


def test_difficulty_per_image_by_hand():
    # Image 0: (c c c) (c c -); image 1: (- - d) (d c c); image 2: nothing, (c d -), and
    # one cat that only ana was asked about.
    matrix = ReliabilityMatrix(VALUES, [0, 0, 1, 1, 2, 2, 2], np.arange(0))
    found, rounds = difficulty(matrix)
    assert found.overall.value == pytest.approx(
        class_difficulty(matrix, 3), nan_ok=True
    )
    assert found.n_units.tolist() == [4, 3, 0]
    # cat: (5 * 4 - 20) / (30 - 20) = 0 in image 0; (d c c) in 1, (2 * 1 - 2) / 4 = 0;
    # (c d -) in 2, (0 - 0) / 6 = 0. dog: (- - d) (d c c) in 1, n 2 each, o 2:
    # (5 * 2 - 6) / (30 - 6) = 1/6; (c d -) in 2.
    assert found.mean.value == pytest.approx([0, 1 / 12, np.nan], nan_ok=True)
    assert found.mean.n_images.tolist() == [3, 2, 0]
    assert found.overall.n_images.tolist() == [3, 2, 0]
    drawn = np.concatenate(list(rounds.weights()), axis=1)
    with np.errstate(invalid="ignore"):
        means = drawn[1] / 6 / (drawn[1] + drawn[2])
    expected = with_intervals(np.array([1 / 12]), means[:, None], np.array([2]))
    assert found.mean.low[1] == pytest.approx(max(expected.low[0], -1))
    assert found.mean.high[1] == pytest.approx(min(expected.high[0], 1))


def test_a_class_that_nobody_could_contradict_is_undefined():
    found, _ = difficulty(ReliabilityMatrix([[0, 1], [-2, 1]], [0, 1], np.arange(0)))
    assert found.mean.value == pytest.approx([np.nan, 1, np.nan], nan_ok=True)
    assert found.overall.value == pytest.approx([np.nan, 1, np.nan], nan_ok=True)
    assert found.mean.n_images.tolist() == [0, 1, 0]
    assert found.n_units.tolist() == [0, 1, 0]
    assert np.isnan(found.mean.low).all()  # seen once: no interval


def test_nothing_at_all():
    empty = ReliabilityMatrix(np.empty((2, 0)), [], [])
    assert tally(empty, 1).expected.tolist() == [0, 0]
    assert np.isnan(class_difficulty(empty, 1)).all()
    assert np.isnan(difficulty(empty)[0].mean.value).all()
