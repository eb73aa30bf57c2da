import itertools

import numpy as np
import pytest
from diagnosing import find_vitality

from kalos_core.alpha import coincidences
from kalos_core.column_sums import product
from kalos_core.estimates import estimate_alphas, estimate_means, with_intervals
from kalos_core.model import UNASSIGNED
from kalos_core.resampling import Resampling, interval_of

N_IMAGES = 7


@pytest.fixture
def resampling():
    drawn_from = np.ones(N_IMAGES, bool)
    drawn_from[3] = False
    return Resampling(drawn_from, 150, seed=5)


def weights(resampling):
    return np.concatenate(list(resampling.weights()), axis=1)


def test_rounds_draw_as_many_images_as_there_are_and_the_same_ones_again(resampling):
    drawn = weights(resampling)
    assert drawn.shape == (N_IMAGES, 150)
    assert (drawn.sum(axis=0) == N_IMAGES - 1).all()
    assert not drawn[3].any()
    assert drawn[0].mean() == pytest.approx(1, abs=0.2)
    assert len(np.unique(drawn, axis=1).T) > 100
    assert np.array_equal(weights(resampling), drawn)
    again = Resampling(resampling.drawn_from, 150, seed=5)
    assert np.array_equal(weights(again), drawn)
    other = Resampling(resampling.drawn_from, 150, seed=6)
    assert not np.array_equal(weights(other), drawn)


def test_draws_that_are_not_kept_are_drawn_again(resampling, monkeypatch):
    drawn = weights(resampling)
    monkeypatch.setattr("kalos_core.resampling.REMEMBERED", 0)
    forgetful = Resampling(resampling.drawn_from, 150, seed=5)
    assert np.array_equal(weights(forgetful), drawn)
    assert np.array_equal(weights(forgetful), drawn)


@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("shape", [(1, 9), (3, 40), (5, 41), (0, 4), (4, 0)])
def test_products_in_pieces_are_those_of_the_whole(shape, alike, monkeypatch):
    monkeypatch.setattr("kalos_core.column_sums.ROWS", 2)
    monkeypatch.setattr("kalos_core.column_sums.PIECE", 2 * 6 * 7)
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 9, shape).astype(np.float32)
    matrix[:] = matrix[:1] if alike else matrix
    weight = rng.integers(0, 4, (shape[1], 6)).astype(np.float32)
    assert np.array_equal(product(matrix, weight), matrix @ weight)


def test_alphas_of_rounds_are_those_of_repeated_images(resampling):
    rng = np.random.default_rng(0)
    n_units, n_columns = 60, 2
    values = rng.integers(UNASSIGNED, 3, (4, n_units)).astype(np.int32)
    image = rng.integers(0, N_IMAGES, n_units)
    column = rng.integers(0, n_columns, n_units)
    sums = coincidences(values, image * n_columns + column, N_IMAGES * n_columns)
    groups = np.divmod(np.arange(len(sums)), n_columns)
    rounds = resampling.alphas(sums, *groups, n_columns)
    for nth, drawn in enumerate(weights(resampling).T[:20].astype(int)):
        for c in range(n_columns):
            own = np.flatnonzero(column == c)
            repeated = values[:, np.repeat(own, drawn[image[own]])]
            together = np.zeros(repeated.shape[1], int)
            [expected], _ = coincidences(repeated, together, 1).alpha()
            # Rounds are summed in single precision.
            assert rounds[nth, c] == pytest.approx(expected, abs=1e-6, nan_ok=True)
    estimates = estimate_alphas(resampling, sums, *groups, n_columns)
    [first], _ = coincidences(
        values[:, column == 0], np.zeros((column == 0).sum(), int), 1
    ).alpha()
    assert estimates.value[0] == pytest.approx(first, abs=1e-12)
    assert (estimates.low < estimates.value).all()
    assert (estimates.value < estimates.high).all()


def test_means_leave_out_what_is_undefined_and_count_images(resampling):
    value = np.array([1.0, 3.0, np.nan, 5.0, 7.0])
    image = np.array([0, 1, 2, 1, 4])
    column = np.array([0, 0, 0, 1, 2])
    found = estimate_means(resampling, value, image, column, 4)
    assert found.value.tolist()[:3] == [2, 5, 7]
    assert np.isnan(found.value[3])
    assert found.n_images.tolist() == [2, 1, 1, 0]
    # One image says nothing about others: no interval, and not one of width 0.
    assert np.isnan(found.low[1:]).all()
    assert np.isnan(found.high[1:]).all()
    # Of two images t is 12.7: rounds are 1, 2 and 3, and tell nothing from zero.
    assert found.low[0] < -9
    assert found.high[0] > 13
    assert not found.told_from_zero.any()


def test_intervals_leave_out_undefined_rounds():
    rounds = np.stack([np.arange(101.0), np.full(101, np.nan)], axis=1)
    rounds[::2, 1] = np.arange(51.0)
    many = np.array([10**6, 10**6])
    interval = interval_of(rounds, many)
    assert interval[0] == pytest.approx([2.5, 97.5], abs=1e-3)
    assert interval[1] == pytest.approx([1.25, 48.75], abs=1e-3)
    # Of 5 images t is 2.776, 3.104 widened: a normal curve has 0.00095 beyond that.
    few = interval_of(rounds[:, :1], np.array([5]))
    assert few[0] == pytest.approx([0.0955, 100 - 0.0955], abs=1e-3)
    nothing = with_intervals(np.array([np.nan]), np.full((9, 1), np.nan), np.array([5]))
    assert np.isnan(nothing.low).all()


def test_without_rounds_there_are_values_but_no_intervals(strange_dogs):
    found, expected = (find_vitality(strange_dogs, n_boot=n) for n in (0, 50))
    for name in ("mean", "relative", "overall"):
        one, other = getattr(found, name), getattr(expected, name)
        assert np.array_equal(one.value, other.value, equal_nan=True)
        assert np.array_equal(one.n_images, other.n_images)
        assert np.isnan(one.low).all()
        assert np.isnan(one.high).all()
        assert not one.told_from_zero.any()


def test_a_few_images_that_are_all_alike_say_nothing_of_others():
    # Of 15 / 23 no number of single precision is the mean.
    for n_images, value in itertools.product((3, 7, 30), (1.0, 15 / 23)):
        rounds = Resampling(np.ones(n_images, bool), 100, 0)
        image = np.arange(n_images)
        found = estimate_means(rounds, np.full(n_images, value), image, 0 * image, 1)
        assert found.value[0] == pytest.approx(value)
        many = n_images == 30
        assert found.low[0] == pytest.approx(value if many else np.nan, nan_ok=True)
        assert found.told_from_zero.tolist() == [many]
