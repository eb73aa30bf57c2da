"""Weights of raters from their agreement with the others."""

import numpy as np
import pytest
from test_repair import random_matrix

from kalos_core import (
    UNASSIGNED,
    Agreement,
    Configuration,
    ReliabilityMatrix,
    compute_agreement,
    nominal_alpha,
    rater_weights,
)
from kalos_core.rater_weights import rater_agreement


def matrix(values):
    values = np.array(values)
    return ReliabilityMatrix(values, np.zeros(values.shape[1], int), [])


def weights_of(values):
    found = Agreement([1], ["computed"], 1, 1, matrix(values), Configuration())
    return rater_weights(found)


def test_agreement_by_hand():
    # Units: cat cat cat, cat cat dog. n = 6, cats 5, dog 1: D_e = 1 - 20 / 30 = 1/3.
    # ana and ben differ from the others in 0 and 1/2 of their pairs, D_o = 1/4; cho in
    # 0 and 1, D_o = 1/2.
    found = rater_agreement(matrix([[0, 0], [0, 0], [0, 1]]))
    assert found == pytest.approx([1 - 3 / 4, 1 - 3 / 4, 1 - 3 / 2])
    assert weights_of([[0, 0], [0, 0], [0, 1]]) == pytest.approx([0.25, 0.25, 0])


@pytest.mark.parametrize("seed", range(30))
def test_raters_are_parts_of_global_alpha(seed):
    reliability, _ = random_matrix(seed)
    values = reliability.values
    alpha, uniform = nominal_alpha(values, np.zeros(values.shape[1], int), 1)
    found = rater_agreement(reliability)
    asked = values != UNASSIGNED
    n_r = (asked & (asked.sum(axis=0) >= 2)).sum(axis=1)
    assert (np.isnan(found) == (n_r == 0)).all()
    if n_r.any():
        assert np.nansum(found * n_r) / n_r.sum() == pytest.approx(alpha[0])
    if uniform[0]:
        assert (found[n_r > 0] == 1).all()


def test_raters_in_another_order_have_the_same_weights():
    reliability, _ = random_matrix(3)
    order = np.random.default_rng(0).permutation(len(reliability.values))
    expected = weights_of(reliability.values)[order]
    assert weights_of(reliability.values[order]) == pytest.approx(expected)


def test_without_any_agreement_all_weigh_alike():
    assert weights_of([[0, 1], [1, 0]]).tolist() == [1, 1]


def test_whoever_is_alone_keeps_their_vote(annotations):
    made = annotations("x ana: cat 0 0 9 9", "x ben: cat 0 0 9 9", "y cho: dog 0 0 9 9")
    found = rater_weights(compute_agreement(made, Configuration()))
    assert found.tolist() == [1, 1, 1]
    assert weights_of(np.empty((2, 0), int)).tolist() == [1, 1]
