"""Confused classes counted by hand, planted swaps found, and none in pure noise."""

import json

import numpy as np
import pytest

from kalos_core import NO_OBJECT, UNASSIGNED, ReliabilityMatrix
from kalos_core.diagnostics.confusion import class_confusion
from kalos_core.diagnostics.swaps import n_to_correct
from kalos_core.plain import plain

CAT, DOG, COW = range(3)


def confusion(values, n_classes=3):
    values = np.array(values)
    matrix = ReliabilityMatrix(values, np.zeros(values.shape[1], int), [])
    return class_confusion(matrix, n_classes)


def drawn(seed, n_raters=3, n_units=300, swap=0.1, missed=0.05, n_classes=3):
    """Return what raters of like care say about random objects."""
    rng = np.random.default_rng(seed)
    values = np.tile(rng.integers(0, n_classes, n_units), (n_raters, 1))
    other = rng.random(values.shape) < swap
    values[other] = rng.integers(0, n_classes, other.sum())
    values[rng.random(values.shape) < missed] = NO_OBJECT
    return values


def turn(values, rater, share, seed, one=CAT, other=DOG):
    """Let a rater say the other class for a share of what is the one."""
    rng = np.random.default_rng([seed, 1])
    turned = (values[rater] == one) & (rng.random(values.shape[1]) < share)
    values[rater, turned] = other
    return values


def only(found, label=CAT, other=DOG):
    """Return the source of that confusion, and the rater, the other and the class."""
    (place,) = np.flatnonzero((found.label == label) & (found.other == other))
    swaps = found.swaps
    return swaps.source[place], *(
        int(column[place]) for column in (swaps.rater, swaps.against, swaps.said)
    )


def test_counts_by_hand():
    # Units (cat cat dog) (cat cat -) (dog cow *) (cow * *) (cat - cat): labels alone,
    # n_cat = 6, n_dog = 2, n_cow = 1, n = 9. cat against dog: 2 * 1 / 2 = 1, by
    # chance 6 * 2 / 8; dog against cow: 1 * 1 / 1, by chance 2 * 1 / 8.
    none, away = NO_OBJECT, UNASSIGNED
    found = confusion(
        [
            [CAT, CAT, DOG, COW, CAT],
            [CAT, CAT, COW, away, none],
            [DOG, none, away, away, CAT],
        ]
    )
    assert found.label.tolist() == [CAT, DOG]
    assert found.other.tolist() == [DOG, COW]
    assert found.n_units.tolist() == [1, 1]
    assert found.observed.tolist() == [1, 1]
    assert found.expected.tolist() == [1.5, 0.25]
    assert found.ratio == pytest.approx([2 / 3, 4])
    assert found.swaps.source.tolist() == ["undetermined"] * 2
    assert found.swaps.n_cases.tolist() == [1, 1]
    assert np.isnan(found.swaps.p_value).all()


def test_counts_add_up_to_the_coincidence_matrix():
    values = drawn(0, n_raters=5, missed=0.3)
    found = confusion(values)
    o = np.zeros((3, 3))
    for unit in values.T:
        said = unit[unit >= 0]
        for i in range(len(said)):
            for j in range(len(said)):
                if i != j:
                    o[said[i], said[j]] += 1 / (len(said) - 1)
    assert found.observed == pytest.approx(o[found.label, found.other])
    n_c = o.sum(axis=1)
    chance = n_c[found.label] * n_c[found.other] / (n_c.sum() - 1)
    assert found.expected == pytest.approx(chance)


@pytest.mark.parametrize("n_raters", [3, 4, 5])
@pytest.mark.parametrize("rater", [0, 2])
def test_a_one_sided_swap_is_that_raters(n_raters, rater):
    for seed in range(10):
        values = turn(drawn(seed, n_raters, swap=0.05), rater, 0.3, seed)
        found = confusion(values)
        assert only(found) == ("one_rater", rater, -1, DOG)
        assert only(confusion(turn(values, rater, 1, seed, COW, DOG)), DOG, COW) == (
            "one_rater",
            rater,
            -1,
            DOG,
        )
        place = np.flatnonzero((found.label == CAT) & (found.other == DOG))
        assert found.swaps.n_cases[place] >= found.swaps.n_theirs[place] > 0
        assert (found.swaps.p_value[place] < 0.05).all()


def test_a_rater_who_swaps_both_ways_is_named_without_a_direction():
    values = drawn(0, 3, 400, swap=0)
    cats, dogs = (np.flatnonzero((values == c).all(axis=0))[:20] for c in (CAT, DOG))
    values[1, cats], values[1, dogs] = DOG, CAT
    assert only(confusion(values)) == ("one_rater", 1, -1, -1)


def test_of_two_raters_the_direction_is_told():
    for seed in range(10):
        values = turn(drawn(seed, 2, swap=0.05), 0, 0.3, seed)
        assert only(confusion(values)) == ("directed", 0, 1, DOG)
        # Whoever says the second class is named, whichever of the two it is.
        assert only(confusion(values[::-1])) == ("directed", 1, 0, DOG)
        again = turn(drawn(seed, 2, swap=0.05), 0, 0.3, seed, DOG, CAT)
        assert only(confusion(again)) == ("directed", 1, 0, DOG)


@pytest.mark.parametrize("n_raters", [2, 3, 5])
def test_a_swap_that_all_make_is_symmetric(n_raters):
    sources = []
    for seed in range(20):
        values = drawn(seed, n_raters, swap=0)
        for rater in range(n_raters):
            turn(values, rater, 0.15, seed * 10 + rater, CAT, DOG)
        sources.append(only(confusion(values))[0])
    assert sources.count("symmetric") >= 18


@pytest.mark.parametrize(
    ("n_raters", "n_units", "n_classes"), [(2, 200, 3), (3, 200, 3), (4, 900, 12)]
)
def test_in_pure_noise_hardly_anyone_is_named(n_raters, n_units, n_classes):
    # The chance of naming anyone is at most 0.05, and in 100 data sets with it more
    # than 11 have a name with a chance of 0.004.
    n_named = 0
    for seed in range(100):
        values = drawn(seed, n_raters, n_units, n_classes=n_classes)
        found = confusion(values, n_classes).swaps
        named = np.isin(found.source, ["one_rater", "directed"])
        assert ((found.rater >= 0) == named).all()
        n_named += named.any()
    assert n_named <= 11


def test_raters_who_see_different_images_are_not_named_for_it():
    # Rater 0 is asked for the hard images only, where all raters confuse more.
    n_named = 0
    for seed in range(60):
        easy, hard = drawn(seed, 4, 300, 0.02), drawn(seed + 1000, 4, 100, 0.5)
        easy[0] = UNASSIGNED
        found = confusion(np.hstack([easy, hard])).swaps
        n_named += (found.source == "one_rater").any()
    assert n_named <= 8


def test_nothing_is_said_of_cases_that_could_not_tell():
    # Five units of two labels, all one way: the chance of that is 2 / 32.
    values = np.tile([[CAT], [DOG]], 5)
    assert only(confusion(values))[0] == "undetermined"
    found = confusion(np.tile([[CAT], [DOG]], 6))
    assert only(found) == ("directed", 1, 0, DOG)
    assert found.swaps.p_value.tolist() == [2 / 64]
    assert found.swaps.n_cases.tolist() == [6]


def test_pairs_of_raters_who_share_few_units_are_undetermined():
    # 40 units of two labels each, by ever other two of ten raters.
    rng = np.random.default_rng(0)
    values = np.full((10, 40), UNASSIGNED)
    for unit in range(40):
        values[rng.choice(10, 2, replace=False), unit] = [CAT, DOG]
    assert only(confusion(values))[0] == "undetermined"


def test_where_nobody_was_in_most_cases_nobody_accounts_for_them():
    # Three of nine raters a unit, one of them alone: each in a third of the cases.
    values = np.full((9, 90), UNASSIGNED)
    for unit in range(90):
        trio = 3 * (unit % 3) + np.arange(3)
        values[trio, unit] = CAT
        values[trio[unit // 3 % 3], unit] = DOG
    assert only(confusion(values)) == ("symmetric", -1, -1, -1)


def test_the_order_of_raters_does_not_matter():
    values = turn(drawn(3, 4), 1, 0.4, 3)
    expected = confusion(values)
    order = np.array([2, 0, 3, 1])
    found = confusion(values[order])
    named = expected.swaps.rater >= 0
    assert named.any()
    assert (order[found.swaps.rater[named]] == expected.swaps.rater[named]).all()
    for column in ("source", "said", "n_cases", "n_theirs"):
        one, other = (getattr(f.swaps, column) for f in (found, expected))
        assert (one == other).all()
    assert found.observed == pytest.approx(expected.observed)
    assert np.allclose(found.swaps.p_value, expected.swaps.p_value, equal_nan=True)


def test_no_confusion_at_all():
    for values in (np.empty((2, 0), int), np.array([[CAT, DOG], [CAT, DOG]])):
        found = confusion(values)
        assert len(found) == len(found.swaps.source) == 0
        assert json.loads(json.dumps(plain(found)))["swaps"]["p_value"] == []
    assert len(confusion(np.empty((0, 0), int), 0)) == 0


def test_only_tests_that_could_succeed_are_corrected_for():
    assert n_to_correct(np.array([])) == 1
    assert n_to_correct(np.array([0.5, 0.9])) == 1
    assert n_to_correct(np.full(7, 1e-9)) == 7
    # 0.03 could be significant alone, but not once corrected for the other two.
    assert n_to_correct(np.array([1e-9, 1e-9, 0.03])) == 2
    assert n_to_correct(np.array([1e-9, 1e-9, 0.02])) == 3
