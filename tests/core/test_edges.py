import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from random_data import random_shapes

from kalos_core import ranges
from kalos_core.geometry import edges
from kalos_core.geometry.edges import shared_area

SQUARE = shapely.box(0, 0, 0.5, 0.5)
FRAME = SQUARE - shapely.box(0.125, 0.125, 0.375, 0.375)  # area 3/16
CASES = {
    "itself": (SQUARE, SQUARE, 1 / 4),
    "half": (SQUARE, shapely.box(0.25, 0, 0.75, 0.5), 1 / 8),
    "one edge": (SQUARE, shapely.box(0.5, 0, 1, 0.5), 0),
    "one corner": (SQUARE, shapely.box(0.5, 0.5, 1, 1), 0),
    "apart in x": (SQUARE, shapely.box(0.75, 0, 1, 1), 0),
    "apart in y": (SQUARE, shapely.box(0, 0.75, 1, 1), 0),
    "inside": (SQUARE, shapely.box(0.125, 0.125, 0.25, 0.25), 1 / 64),
    "inside the hole": (FRAME, shapely.box(0.125, 0.125, 0.375, 0.375), 0),
    "over the hole": (FRAME, SQUARE, 3 / 16),
    "frame in frame": (FRAME, FRAME, 3 / 16),
    "two parts": (
        shapely.MultiPolygon([shapely.box(0, 0, 0.25, 0.5), shapely.box(0.5, 0, 1, 1)]),
        shapely.box(0.125, 0, 0.625, 0.5),
        1 / 16 + 1 / 16,
    ),
    "clockwise": (
        shapely.Polygon([(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 0)]),
        FRAME,
        3 / 16,
    ),
    "a line beside": (
        shapely.GeometryCollection([SQUARE, shapely.LineString([(0, 0), (1, 1)])]),
        shapely.box(0.25, 0.25, 1, 1),
        1 / 16,
    ),
    "parts in a collection": (
        shapely.GeometryCollection(
            [shapely.MultiPolygon([SQUARE]), shapely.Point(1, 1)]
        ),
        shapely.box(0.25, 0.25, 1, 1),
        1 / 16,
    ),
    "crossing triangles": (
        shapely.Polygon([(0, 0), (1, 0), (0.5, 1)]),
        shapely.Polygon([(0, 1), (1, 1), (0.5, 0)]),
        1 / 4,  # a rhombus of 1/2 by 1
    ),
    "far outside the image": (
        shapely.box(-900, -5, -899, -4),
        shapely.box(-899.5, -5, -898, -4),
        1 / 2,
    ),
}


def area(one, other):
    return float(shared_area(np.array([one, other]), np.array([0]), np.array([1]))[0])


@pytest.mark.parametrize("name", CASES)
def test_shared_areas_worked_out_by_hand(name):
    one, other, expected = CASES[name]
    assert area(one, other) == pytest.approx(expected, abs=1e-15)
    assert area(other, one) == pytest.approx(expected, abs=1e-15)


points = st.tuples(st.integers(0, 6), st.integers(0, 6))


@st.composite
def grid_polygons(draw):
    """Valid polygons on a coarse grid: touching, collinear, with holes, in parts."""
    rings = draw(
        st.lists(st.lists(points, min_size=3, max_size=7), min_size=1, max_size=3)
    )
    drawn = shapely.make_valid(np.array([shapely.Polygon(ring) for ring in rings]))
    shape = drawn[0]
    for nth, other in enumerate(drawn[1:]):
        shape = shape - other if nth % 2 == 0 else shape | other
    return shape


@given(grid_polygons(), grid_polygons())
def test_shared_areas_equal_those_of_geos(one, other):
    parts = [
        shapely.unary_union(
            [p for p in shapely.get_parts(shapely.get_parts(g)) if p.area]
        )
        for g in (one, other)
    ]
    assert area(one, other) == pytest.approx(
        shapely.intersection(*parts).area, abs=1e-12
    )


def test_neither_blocks_nor_chunks_change_a_bit(monkeypatch):
    shapes = random_shapes("Polygons", np.random.default_rng(0), 30).shapes
    k, l = np.triu_indices(30, 1)
    whole = shared_area(shapes, k, l)
    assert (whole > 0).sum() > 40
    monkeypatch.setattr(edges, "BLOCK", 50)
    assert np.array_equal(shared_area(shapes, k, l), whole)
    monkeypatch.setattr(ranges, "CHUNK", 3)
    assert np.array_equal(shared_area(shapes, k, l), whole)


def test_a_thousand_corners():
    angle = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    reach = 0.3 + 0.1 * np.sin(40 * angle)
    star = shapely.Polygon(
        0.5 + np.stack([reach * np.cos(angle), reach * np.sin(angle)], 1)
    )
    moved = shapely.affinity.translate(star, 0.01, 0.02)
    assert area(star, moved) == pytest.approx(star.intersection(moved).area, abs=1e-13)
