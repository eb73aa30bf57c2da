"""Transition matrices, and tests of whether classes are confused at random."""

import numpy as np
import pytest

from kalos_core import KalosError
from kalos_core.errors import FitError
from kalos_core.noise import (
    confusion_permutation_test,
    mantel_test,
    transition_from_confusion,
    transition_from_similarity,
)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def similarity(rng, n=12):
    vectors = rng.normal(size=(n, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors @ vectors.T


def test_only_the_nearest_classes_are_taken(rng):
    near = similarity(rng, 30)
    matrix = transition_from_similarity(near, n_nearest=10)
    assert ((matrix > 0).sum(axis=1) == 10).all()
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    assert not matrix.diagonal().any()
    others = near - 9 * np.eye(30)
    for row, nearness in zip(matrix, others, strict=True):
        assert nearness[row > 0].min() >= nearness[row == 0].max()
    # The paper's equation for one pair of classes.
    top = np.argsort(-others[0])[:10]
    expected = np.exp(near[0, top[0]] / 0.1) / np.exp(near[0, top] / 0.1).sum()
    assert matrix[0, top[0]] == pytest.approx(expected)


def test_low_temperatures_do_not_overflow():
    matrix = transition_from_similarity(
        [[1, 0.5, 0.2], [0.5, 1, 0.1], [0.2, 0.1, 1]], temperature=1e-6
    )
    assert matrix.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]


def test_a_single_class_becomes_nothing():
    assert transition_from_similarity([[1.0]]).tolist() == [[0]]
    assert transition_from_confusion([[0]], [5]).tolist() == [[0]]
    assert transition_from_similarity(np.empty((0, 0))).shape == (0, 0)


def test_mistakes_outweigh_frequency():
    matrix = transition_from_confusion([[7, 99, 0], [0, 0, 0], [0, 0, 0]], [1, 1, 98])
    assert matrix[0, 1] > 0.98  # what lies on the diagonal is no mistake
    assert matrix[1, 2] == pytest.approx(98 / 99)
    np.testing.assert_allclose(
        transition_from_confusion(np.zeros((3, 3)), [0, 0, 0])[0], [0, 0.5, 0.5]
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: transition_from_similarity([[1, 2]]), r"shape \(1, 2\)"),
        (lambda: transition_from_similarity([[np.nan]]), "finite"),
        (lambda: transition_from_similarity(np.eye(2), temperature=0), "temperature"),
        (lambda: transition_from_confusion(np.eye(2), [1]), "2 numbers"),
        (lambda: transition_from_confusion(-np.ones((2, 2)), [1, 1]), "at least 0"),
        (lambda: mantel_test(np.eye(4), np.eye(5), None), "one shape"),
    ],
)
def test_what_is_no_matrix_is_refused(make, message):
    with pytest.raises(KalosError, match=message):
        make()


def mistakes(rng, transition, n):
    label = rng.integers(0, len(transition), n)
    chance = transition[label].cumsum(axis=1)
    return label, (rng.random((n, 1)) > chance).sum(axis=1)


def test_planted_confusion_is_told_and_chance_is_not(rng):
    near = similarity(rng)
    told = {"planted": [], "chance": []}
    flat = transition_from_confusion(np.zeros((12, 12)), np.ones(12))
    for transition, p_values in zip(
        (transition_from_similarity(near), flat), told.values(), strict=True
    ):
        for _ in range(10):
            one, other = mistakes(rng, transition, 150)
            counts = np.zeros((12, 12))
            np.add.at(counts, (one, other), 1)
            p_values.append(
                [
                    mantel_test(counts, near, rng, 99).p_value,
                    *(
                        confusion_permutation_test(
                            one, other, 12, rng, directed=way, n_permutations=99
                        ).p_value
                        for way in (True, False)
                    ),
                ]
            )
    assert np.max(told["planted"]) < 0.05
    assert (np.mean(np.array(told["chance"]) < 0.1, axis=0) < 0.35).all()
    assert (np.mean(told["chance"], axis=0) > 0.3).all()


def test_mantels_correlation_is_pearsons(rng):
    near, counts = similarity(rng), rng.poisson(1.0, (12, 12))
    above = np.triu_indices(12, 1)
    expected = np.corrcoef((counts + counts.T)[above], (near + near.T)[above])[0, 1]
    assert mantel_test(counts, near, rng, 9).statistic == pytest.approx(expected)


def test_two_classes_are_never_confused_against_chance(rng):
    """With one other class to choose from, nothing depends on the class."""
    label = rng.integers(0, 2, 60)
    assert (
        confusion_permutation_test(label, 1 - label, 2, rng, n_permutations=99).p_value
        == 1
    )


def test_the_order_of_mistakes_and_raters_does_not_matter(rng):
    flat = transition_from_confusion(np.zeros((12, 12)), np.ones(12))
    one, other = mistakes(rng, flat, 80)
    order, turned = rng.permutation(80), rng.random(80) < 0.5
    swapped = np.where(turned, other, one)[order], np.where(turned, one, other)[order]
    outcomes = [
        confusion_permutation_test(
            *ends, 12, np.random.default_rng(0), directed=False, n_permutations=99
        )
        for ends in ((one, other), swapped)
    ]
    assert outcomes[0] == outcomes[1]
    assert 0.05 < outcomes[0].p_value < 0.95  # or it would be the same by chance


def test_too_little_to_test(rng):
    with pytest.raises(FitError, match="there are 3 category mistakes"):
        confusion_permutation_test(np.zeros(3, int), np.ones(3, int), 2, rng)
    with pytest.raises(FitError, match="there are 3 classes"):
        mantel_test(np.eye(3), np.eye(3), rng)
    with pytest.raises(FitError, match="confused alike"):
        mantel_test(np.zeros((5, 5)), similarity(rng, 5), rng)
