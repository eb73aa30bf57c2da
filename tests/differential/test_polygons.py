"""Polygons of several parts, with holes and with crossings, against the reference."""

import itertools

import numpy as np
import pytest
import shapely
from kalos.iaa import similarity_functions as similarity
from random_data import rings
from reference import COSTS, check, ours, random_rows, theirs

from kalos_core import DISTANCES, AnnotationError, Configuration, Polygons

TAUS = {"polygon_iou": (0.3, 0.5, 0.7), "polygon_giou": (0.2, 0.3, 0.45)}


def jitter(rng, outline):
    return outline + rng.normal(0, 0.005, outline.shape)


def square(size):
    return np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * size


def parts(rng):
    """Return two to four outlines, near enough that some overlap."""
    centres = rng.uniform(0.25, 0.75, 2) + rng.normal(0, 0.12, (rng.integers(2, 5), 2))
    outlines = rings(rng, centres)
    return lambda: [jitter(rng, outline) for outline in outlines]


def frame(rng):
    """Return four bars that enclose a hole only together."""
    centre, half = rng.uniform(0.25, 0.75, 2), rng.uniform(0.1, 0.2)
    lying = square(1) * (half, 0.03)
    bars = [lying + np.array([0, half]), lying - np.array([0, half])]
    bars += [bar[:, ::-1] for bar in bars]
    return lambda: [jitter(rng, bar + centre) for bar in bars]


def slit(rng):
    """Return an outline that runs into itself and around a hole, and back."""
    centre, half = rng.uniform(0.25, 0.75, 2), rng.uniform(0.1, 0.2)

    def again():
        outer = jitter(rng, square(half) + centre)
        inner = jitter(rng, square(half * rng.uniform(0.3, 0.6)) + centre)[::-1]
        return [np.r_[outer, outer[:1], inner, inner[:1]]]

    return again


def crossed(rng):
    """Return an outline with two corners swapped, so that it crosses itself."""
    n = int(rng.integers(4, 9))
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    radius = rng.uniform(0.1, 0.2, n)
    outline = np.c_[np.cos(angle), np.sin(angle)] * radius[:, None]
    outline[[0, 1]] = outline[[1, 0]]
    outline += rng.uniform(0.25, 0.75, 2)
    return lambda: [jitter(rng, outline)]


KINDS = {"parts": parts, "frame": frame, "slit": slit, "crossed": crossed}


def data_sets(kind, d_loc, solver, psi, n=3):
    """Yield n data sets for both, and the configuration to use."""
    rng = np.random.default_rng([*map(ord, kind + d_loc + solver + psi)])
    for number in range(n):
        rows = []
        while not rows:
            assigned, rows = random_rows(d_loc, rng, lambda _, rng: KINDS[kind](rng))
        yield (
            ours(d_loc, assigned, rows),
            theirs(d_loc, assigned, rows),
            Configuration(d_loc, TAUS[d_loc][number % 3], solver, psi),
        )


CASES = list(itertools.product(KINDS, TAUS, ("greedy", "shm", "ahc"), COSTS))


@pytest.mark.parametrize(("kind", "d_loc", "solver", "psi"), CASES)
def test_units_and_alphas_are_equal(kind, d_loc, solver, psi):
    for made, data, configuration in data_sets(kind, d_loc, solver, psi):
        check(made, data, configuration)


def drawn(kind):
    """Return the shapes of that kind in the first data sets."""
    made = [next(data_sets(*case))[0] for case in CASES if case[0] == kind]
    return np.concatenate([annotations.geometry.shapes for annotations in made])


def test_the_shapes_are_what_they_are_named_after():
    assert (shapely.get_num_geometries(drawn("parts")) > 1).any()
    for kind in ("frame", "slit"):
        assert (shapely.get_num_interior_rings(drawn(kind)) == 1).all()
    rng = np.random.default_rng(1)
    loops = [shapely.Polygon(crossed(rng)()[0]) for _ in range(20)]
    assert not shapely.is_valid(loops).any()


BOW_TIE = [(0, 0), (4, 2), (4, 0), (0, 2)]


def test_both_keep_one_lobe_of_a_bow_tie():
    left = [(0, 0), (2, 1), (0, 2)]
    right = [(4, 0), (2, 1), (4, 2)]
    shapes = Polygons.from_rings([BOW_TIE, left, right], [0, 1, 2], 3)
    ours = DISTANCES["polygon_iou"].measure(shapes, np.array([0, 0]), np.array([1, 2]))
    theirs = [
        1 - similarity.calc_iou_segm_poly([np.ravel(BOW_TIE)], [np.ravel(lobe)])
        for lobe in (left, right)
    ]
    assert sorted(ours) == [0, 1]
    assert ours == pytest.approx(theirs, abs=1e-12)


# Where DESIGN decides otherwise, the difference is stated.


def test_a_hole_of_its_own_is_cut_out_where_the_reference_has_no_holes():
    outer, inner = square(2) + 2, square(1) + 2
    holed = Polygons([shapely.Polygon(outer, [inner]), shapely.Polygon(outer)])
    ours = DISTANCES["polygon_iou"].measure(holed, np.array([0]), np.array([1]))
    assert ours[0] == pytest.approx(4 / 16)
    rings = [outer.ravel(), inner.ravel()]
    assert similarity.calc_iou_segm_poly(rings, rings[:1]) == pytest.approx(1)


def test_a_polygon_without_area_is_refused_not_different_from_everything():
    flat = np.array([(0, 0), (1, 1), (2, 2)])
    rows = [(0, 0, 0, [flat]), (0, 1, 0, [flat])]
    with pytest.raises(AnnotationError, match="must have a polygon with an area"):
        ours("polygon_iou", np.ones((1, 2), bool), rows)
    assert similarity.calc_iou_segm_poly([flat.ravel()], [flat.ravel()]) == 0
