"""The gain of agreeing on a unit, against computing alpha anew."""

from collections import Counter

import numpy as np
import pytest

from kalos_core import NO_OBJECT, UNASSIGNED, ReliabilityMatrix, nominal_alpha
from kalos_core.diagnostics.dissent import lone_dissent
from kalos_core.diagnostics.repair import repair_gain


def random_matrix(seed):
    rng = np.random.default_rng(seed)
    n_raters, n_units, n_images = rng.integers(2, 7), rng.integers(1, 30), 6
    n_classes = rng.integers(1, 5)
    values = rng.integers(NO_OBJECT, n_classes, (n_raters, n_units))
    agreed = rng.random(n_units) < 0.4
    values[:, agreed] = values[0, agreed]
    values[rng.random(values.shape) < rng.choice([0, 0.2, 0.6])] = UNASSIGNED
    image_of = np.sort(rng.integers(0, n_images, n_units))
    return ReliabilityMatrix(values, image_of, np.arange(0)), n_images


def repaired_value(values, image_of, unit):
    said = values[:, unit][values[:, unit] != UNASSIGNED].tolist()
    own = (image_of == image_of[unit]) & ((values != UNASSIGNED).sum(axis=0) >= 2)
    in_image = Counter(values[:, own].ravel().tolist())
    count = Counter(said)
    return max(count, key=lambda v: (count[v], v != NO_OBJECT, in_image[v], v))


@pytest.mark.parametrize("seed", range(40))
def test_gain_is_that_of_computing_alpha_anew(seed):
    matrix, n_images = random_matrix(seed)
    alpha, _ = nominal_alpha(matrix.values, matrix.image_of, n_images)
    gain = repair_gain(matrix, n_images)
    for unit in range(matrix.n_units):
        values = matrix.values.copy()
        asked = values[:, unit] != UNASSIGNED
        image = matrix.image_of[unit]
        if asked.any():
            value = repaired_value(values, matrix.image_of, unit)
            values[asked, unit] = value
        after, _ = nominal_alpha(values, matrix.image_of, n_images)
        expected = after[image] - alpha[image]
        assert gain[unit] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_ties_go_to_the_object_and_then_to_the_class_of_the_image():
    # Unit 1: cat and nothing, twice each. All say cat: n = 8, all cats, alpha 1. All
    # say nothing: n_cat = 4, n_none = 4, alpha 1 too; so a unit of two classes decides.
    # Unit 2: dog against cat, as often; the image has more cats.
    values = [[0, 0, 1], [0, -1, 0], [0, 0, 1], [0, -1, 0]]
    matrix = ReliabilityMatrix(values, [0, 0, 0], [])
    gain = repair_gain(matrix, 1)
    # n = 12, n_cat = 8, n_none = 2, n_dog = 2, chance 56 + 2 + 2 = 60; agreeing
    # pairs 12/3 + 4/3 + 4/3.
    alpha = (11 * (4 + 8 / 3) - 60) / (132 - 60)
    # Unit 1 all cat: n_cat = 10, n_dog = 2, chance 92, agreeing 4 + 4 + 4/3.
    assert gain[1] == pytest.approx((11 * (8 + 4 / 3) - 92) / (132 - 92) - alpha)
    # Unit 2 all cat: n_cat = 10, n_none = 2: the same by symmetry.
    assert gain[2] == pytest.approx(gain[1])
    assert gain[0] == 0


def test_no_unit_has_no_gain():
    assert len(repair_gain(ReliabilityMatrix(np.empty((2, 0)), [], []), 3)) == 0


def test_lone_dissent_by_hand():
    # Unit 0: -, cat, cat: alone with nothing; 1: three values; 2: two against two is
    # not alone; 3: unassigned do not count; 4: only two said anything.
    values = np.array(
        [
            [-1, 0, 0, 2, 0],
            [0, 1, 0, -2, 1],
            [0, 2, 1, 1, -2],
            [-2, -2, 1, 2, -2],
        ]
    )
    found = lone_dissent(values)
    assert found.unit.tolist() == [0, 3]
    assert found.rater.tolist() == [0, 2]
    assert found.value.tolist() == [-1, 1]
    assert found.majority.tolist() == [0, 2]
    assert found.n_values.tolist() == [3, 3]
