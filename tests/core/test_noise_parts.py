"""Draws of many at once, and shapes that go along with their boxes."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kalos_core import Boxes, Keypoints, Polygons
from kalos_core.noise.candidates import Candidates
from kalos_core.noise.carry import carried
from kalos_core.noise.confusable import Confusable
from kalos_core.noise.sampling import best_of, in_turn, race
from kalos_core.noise.shift import placed


def test_a_race_draws_by_weight_without_putting_back():
    weight, n = np.array([1.0, 2.0, 5.0]), 4000
    order = race(
        np.repeat(np.arange(n), 3), np.tile(weight, n), np.random.default_rng(0)
    )
    first, second, _ = (order % 3).reshape(n, 3).T
    assert stats.chisquare(np.bincount(first), n * weight / 8).pvalue > 0.01
    after = np.bincount(second[first == 2], minlength=3)
    assert stats.binomtest(int(after[1]), int(after.sum()), 2 / 3).pvalue > 0.01


def test_without_any_weight_nobody_is_chosen_first():
    order = race(np.array([0, 0]), np.array([0.0, 1e-9]), np.random.default_rng(0))
    assert order.tolist() == [1, 0]


def test_the_best_are_drawn_by_weight():
    n, log_weight = 4000, np.log([3.0, 1.0])
    group = np.repeat(np.arange(n), 2)
    best = best_of(group, np.tile(log_weight, n), np.random.default_rng(0))
    assert len(best) == n
    assert stats.binomtest(int((best % 2 == 0).sum()), n, 0.75).pvalue > 0.01
    none = best_of(np.array([0, 0, 1]), np.array([-np.inf, -np.inf, 0]), best_rng())
    assert none.tolist() == [2]


def best_rng():
    return np.random.default_rng(1)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_in_turn_is_one_after_the_other(pairs):
    pairs = [(k, l) for k, l in pairs if k != l]
    served = []
    for n in range(10):
        if not any({n, other} in [{*pair} for pair in pairs] for other in served):
            served.append(n)
    k, l = np.array(pairs, int).reshape(-1, 2).T
    assert np.flatnonzero(in_turn(10, k, l)).tolist() == served


def test_what_is_gone_is_lost():
    left = Candidates(5)
    assert left.claim("topology", np.array([0, 1])).tolist() == [0, 1]
    pairs = np.array([[2, 3], [3, 4], [0, 4]])
    assert left.claim_all("topology", pairs).tolist() == [[2, 3]]
    assert left.claim("category", np.array([1, 4])).tolist() == [4]
    assert left.n_attempted.tolist() == [0, 5, 2, 0]
    assert left.n_lost.tolist() == [0, 2, 1, 0]
    assert not left.free.any()


def test_classes_without_a_chance_are_never_drawn():
    transition = np.array([[0, 0, 1, 0], [0.5, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 0, 0]])
    label = np.tile(np.arange(4), 500)
    drawn = Confusable(transition, 4).draw(label, np.random.default_rng(0))
    assert set(zip(label.tolist(), drawn.tolist(), strict=True)) == {
        (0, 2),
        (1, 0),
        (1, 3),
        (2, 1),
        (3, 3),  # never mistaken
    }


def polygon(*ring):
    return Polygons.from_rings([ring], [0], 1)


def test_polygons_are_cut_at_the_edge():
    square = polygon((0.2, 0.2), (0.4, 0.2), (0.4, 0.4), (0.2, 0.4))
    moved = carried(square, np.array([[-0.1, 0.2, 0.1, 0.4]]))
    assert moved.bounds()[0] == pytest.approx([0, 0.2, 0.1, 0.4])
    assert moved.area() == pytest.approx([0.02])


def test_of_a_bent_polygon_that_is_cut_away_the_box_is_left():
    bent = polygon((0, 0), (0.4, 0), (0.4, 0.1), (0.1, 0.1), (0.1, 0.4), (0, 0.4))
    moved = carried(bent, np.array([[-0.2, -0.2, 0.2, 0.2]]))
    assert moved.shapes[0].equals(shapely.box(0, 0, 0.2, 0.2))


def test_polygons_of_several_parts_keep_them():
    rings = [[(0, 0), (1, 0), (0, 1)], [(3, 3), (4, 3), (4, 4)]]
    parts = Polygons.from_rings([np.array(ring) / 4 for ring in rings], [0, 0], 1)
    moved = carried(parts, np.array([[0.2, 0.2, 0.6, 0.4]]))
    assert len(shapely.get_parts(moved.shapes[0])) == 2
    assert moved.area() == pytest.approx(parts.area() * 0.4 * 0.2)


def test_joints_are_kept_in_the_image_and_invisible_ones_invisible():
    joints = Keypoints(
        [[[0.2, 0.2], [0.4, 0.6], [0, 0]], [[0.5, 0.5], [0, 0], [0, 0]]],
        [[True, True, False], [True, False, False]],
    )
    new = np.array([[-0.1, 0.2, 0.3, 0.4], [0.1, 0.1, 0.3, 0.2]])
    moved = carried(joints, new)
    assert (moved.visible == joints.visible).all()
    assert moved.xy[0, :2] == pytest.approx(np.array([[0, 0.2], [0.3, 0.4]]))
    assert moved.xy[1, 0] == pytest.approx([0.2, 0.15])  # a single one in the middle


def test_boxes_end_at_the_edge_exactly():
    low = np.random.default_rng(0).random((1000, 2))
    bounds = carried(Boxes(np.empty((0, 4))), np.hstack([low, low + 1])).bounds()
    assert (bounds[:, 2:] == 1).all()


def test_a_step_out_of_the_image_ends_at_its_edge():
    """The centre does; what lies outside is cut off later."""
    box = np.tile([0.4, 0.3, 0.6, 0.5], (4, 1))
    step = np.array([[5.0, -5.0], [0.55, 0.0], [-0.1, 0.1], [0.0, 0.7]])
    new = placed(box, step, np.zeros((4, 2)))
    centre = (new[:, :2] + new[:, 2:]) / 2
    assert centre == pytest.approx(np.array([[1, 0], [1, 0.4], [0.4, 0.5], [0.5, 1]]))
    assert new[:, 2:] - new[:, :2] == pytest.approx(0.2)
