import itertools
from fractions import Fraction

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
    ring = draw(st.lists(points, min_size=3, max_size=9))
    return shapely.make_valid(shapely.Polygon(ring))


def edges_of(shape):
    """Return the edges of all rings, as exact fractions and from left to right."""
    parts = shapely.get_parts(shapely.get_parts(shape))
    rings = shapely.get_rings(parts[shapely.get_type_id(parts) == 3])
    found = []
    for ring in rings:
        corners = [tuple(map(Fraction, xy)) for xy in shapely.get_coordinates(ring)]
        found += [sorted(edge) for edge in itertools.pairwise(corners)]
    return [(start, end) for start, end in found if start[0] < end[0]]


def height(edge, x):
    (x0, y0), (x1, y1) = edge
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def crossings(edges):
    """Yield where edges begin, end and meet, on the x axis."""
    for (x0, _), (x1, _) in edges:
        yield from (x0, x1)
    for one, other in itertools.combinations(edges, 2):
        low, high = max(one[0][0], other[0][0]), min(one[1][0], other[1][0])
        if low < high:
            left, right = (height(one, x) - height(other, x) for x in (low, high))
            if left * right < 0:
                yield low + (high - low) * left / (left - right)


def exactly(one, other):
    """Return the area of both by cutting them into slabs in which no edges cross."""
    both = [edges_of(one), edges_of(other)]
    xs = sorted(set(crossings(both[0] + both[1])))
    total = Fraction(0)
    for low, high in itertools.pairwise(xs):
        middle = (low + high) / 2
        cuts = [
            sorted(height(e, middle) for e in own if e[0][0] < middle < e[1][0])
            for own in both
        ]
        for a, b in zip(cuts[0][::2], cuts[0][1::2], strict=True):
            for c, d in zip(cuts[1][::2], cuts[1][1::2], strict=True):
                total += max(min(b, d) - max(a, c), 0) * (high - low)
    return float(total)


# The oracle is exact because GEOS is none: on such polygons its overlays now and then
# raise or are wrong by whole units, where rounding moved a crossing.
@given(grid_polygons(), grid_polygons())
def test_shared_areas_are_exact(one, other):
    assert area(one, other) == pytest.approx(exactly(one, other), abs=1e-12)
    assert area(one, one) == pytest.approx(one.area, abs=1e-12)


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
