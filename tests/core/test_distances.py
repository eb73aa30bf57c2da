import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalos_core import DISTANCES, Boxes, KalosError

side = st.floats(0.001, 1)
corner = st.floats(-0.5, 1.5)
boxes = st.tuples(corner, corner, side, side)


def distance(name, one, other):
    return float(DISTANCES[name](Boxes([one, other]), np.array([0]), np.array([1]))[0])


@pytest.mark.parametrize("name", sorted(DISTANCES))
@given(one=boxes, other=boxes)
def test_identity_symmetry_and_range(name, one, other):
    assert distance(name, one, one) == pytest.approx(0, abs=1e-12)
    assert distance(name, one, other) == distance(name, other, one)
    assert 0 <= distance(name, one, other) <= 1


def test_box_iou_by_hand():
    # 2 x 2 squares shifted by one: overlap 2, union 6.
    assert distance("box_iou", (0, 0, 2, 2), (1, 0, 2, 2)) == pytest.approx(2 / 3)
    # One inside the other: overlap 1, union 4.
    assert distance("box_iou", (0, 0, 2, 2), (1, 1, 1, 1)) == 0.75
    # Sharing an edge is not overlapping.
    assert distance("box_iou", (0, 0, 1, 1), (1, 0, 1, 1)) == 1


def test_unknown_distance_lists_the_choices():
    with pytest.raises(KalosError, match="unknown distance 'iou'; choose from box_iou"):
        DISTANCES["iou"]
