"""Polygons: equal, touching and nearly so, whatever way they are drawn."""

import numpy as np
import pytest
import shapely
from random_data import rings

from kalos_core import DISTANCES, Annotations, Configuration, Polygons
from kalos_core.agreement import match

N = 60
PAIRS = np.triu_indices(N)


def outlines(seed, size=1.0):
    rng = np.random.default_rng(seed)
    middle = rng.uniform(0.2, 0.8, (N, 2))
    return [
        centre + (ring - centre) * size
        for centre, ring in zip(middle, rings(rng, middle), strict=True)
    ]


def polygons(outlines):
    return Polygons.from_rings(outlines, np.arange(len(outlines)), len(outlines))


def redrawn(outlines):
    """Return the same outlines from another corner on, every other one backwards."""
    return [
        np.roll(ring, n % 7, axis=0)[:: (-1) ** n] for n, ring in enumerate(outlines)
    ]


def distances(name, one, other):
    """Return the distances of two lists of outlines, pair by pair."""
    first = np.arange(len(one))
    return DISTANCES[name].measure(polygons(one + other), first, first + len(one))


@pytest.mark.parametrize("size", [1, 1e-3, 1e-6])
def test_equal_polygons_are_at_distance_zero_however_drawn(size):
    drawn = outlines(0, size)
    assert (distances("polygon_iou", drawn, redrawn(drawn)) == 0).all()


@pytest.mark.parametrize("name", ["polygon_iou", "polygon_giou", "polygon_centroid_l2"])
def test_no_bit_of_a_distance_depends_on_where_rings_start(name):
    drawn = outlines(1)
    measure = DISTANCES[name].measure
    expected = measure(polygons(drawn), *PAIRS)
    assert np.array_equal(measure(polygons(redrawn(drawn)), *PAIRS), expected)
    assert ((expected > 0) & (expected < 1)).sum() > N


def test_parts_and_holes_may_come_in_any_order():
    square = shapely.box(0.1, 0.1, 0.7, 0.7)
    holes = [shapely.box(x, 0.2, x + 0.1, 0.3) for x in (0.2, 0.4)]
    cut = [hole.exterior.coords for hole in holes]
    one, other = (
        shapely.MultiPolygon(parts)
        for order in (1, -1)
        for holed in [shapely.Polygon(square.exterior, cut[::order])]
        for parts in [[holed, shapely.box(0.8, 0.8, 0.9, 0.9)][::order]]
    )
    both = Polygons([one, other])
    assert both.shapes[0].wkb == both.shapes[1].wkb
    assert DISTANCES["polygon_iou"].measure(both, np.array([0]), np.array([1]))[0] == 0


def test_parts_may_be_drawn_in_any_order():
    drawn = [ring + np.array([n % 2, 0]) for n, ring in enumerate(outlines(3))]
    owner = np.arange(N) // 2
    one = Polygons.from_rings(drawn, owner, N // 2)
    other = Polygons.from_rings(redrawn(drawn)[::-1], owner[::-1], N // 2)
    assert (shapely.get_num_geometries(one.shapes) == 2).all()
    for same in (other, Polygons(one.shapes)):
        assert np.array_equal(same.content()[-1], one.content()[-1])


def test_polygons_that_only_touch_are_at_distance_one():
    # Neighbouring triangles of a fan share an edge, and its rounding.
    rng = np.random.default_rng(2)
    one, other = [], []
    for centre in rng.uniform(0.3, 0.7, (200, 2)):
        angle = np.sort(rng.uniform(0, np.pi, 3))
        a, b, c = centre + 0.2 * np.c_[np.cos(angle), np.sin(angle)]
        one.append(np.array([centre, a, b]))
        other.append(np.array([centre, b, c]))
    assert (distances("polygon_iou", one, other) == 1).all()


def test_polygons_that_nearly_are_equal_or_touch_are_told_apart():
    one = np.array([(0, 0), (0.5, 0), (0.5, 0.5), (0, 0.5)])
    nearly, touching = (one + np.array([x, 0]) for x in (0.5e-9, 0.5 - 0.5e-9))
    d = distances("polygon_iou", [one, one], [nearly, touching])
    # They share a part of 1 - 1e-9 and of 1e-9 of a square, respectively.
    assert d == pytest.approx([2e-9, 1 - 0.5e-9], abs=1e-14, rel=0)


# What buffer(0) leaves invalid, on this version of GEOS: in sixths, tenths and fifths.
STUBBORN = [
    np.array([[2, 0], [3, 2], [1, 0], [2, 1], [3, 3]]) / 6,
    np.array([[0, 5], [4, 1], [5, 2], [3, 2], [3, 0], [2, 3], [0, 2]]) / 10,
    np.array([[2, 1], [1, 0], [4, 3], [2, 3], [1, 3], [4, 2], [1, 3], [2, 1]]) / 5,
]


def test_what_one_repair_leaves_invalid_is_repaired_by_another():
    once = shapely.buffer([shapely.Polygon(ring) for ring in STUBBORN], 0)
    assert not shapely.is_valid(once).any()
    made = polygons(STUBBORN)
    assert shapely.is_valid(made.shapes).all()
    assert made.area() == pytest.approx(shapely.area(shapely.make_valid(once)))


# Of the same area and bounds, C is A transposed and B symmetric, so that A and C are
# equally near to B; but the last bits of an overlap depend on the order of the two.
A = np.array([(0, 5), (1, 0), (16, 2), (1, 16)]) / 32 + 0.25


@pytest.mark.parametrize("name", ["polygon_iou", "polygon_giou"])
@pytest.mark.parametrize("s", [6, 10, 15])
def test_polygons_of_equal_area_and_bounds_tie_whoever_drew_them(name, s):
    b = np.array([(0, s), (s, 0), (16, s), (s, 16)]) / 32 + 0.25
    found = []
    for raters, drawn in (
        ([0, 0, 1], [A, A[:, ::-1], b]),
        ([1, 1, 0], redrawn([A, A[:, ::-1], b])),
    ):
        made = Annotations(
            image=[0, 0, 0],
            rater=raters,
            label=[0, 0, 0],
            geometry=polygons(drawn),
            annotation_id=["A", "C", "B"],
            assigned=[[True, True]],
            images=["i"],
            raters=["ana", "ben"],
            classes=["a"],
        )
        assert len({*made.geometry.area()}) == 1
        assert len({*map(tuple, made.geometry.bounds().tolist())}) == 1
        one, other = np.array([0, 0, 1]), np.array([1, 2, 2])
        d = DISTANCES[name].measure(made.geometry, one, other)
        assert d.min() > 0
        assert np.array_equal(d, DISTANCES[name].measure(made.geometry, other, one))
        unit_of = match(made, Configuration(name, 0.9))
        unit = dict(zip(made.annotation_id.tolist(), unit_of.tolist(), strict=True))
        found.append(unit["A"] == unit["B"])
    assert found[0] == found[1]
