import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from random_data import random_shapes

from kalos_core import (
    DISTANCES,
    AnnotationError,
    Boxes,
    Configuration,
    KalosError,
    Keypoints,
    Masks,
    Polygons,
    Volumes,
    compute_agreement,
    register_distance,
)
from kalos_core.pairs import candidate_pairs

ALL = np.arange(40)


def distance(name, shapes, one=0, other=1):
    return float(DISTANCES[name].measure(shapes, np.array([one]), np.array([other]))[0])


@pytest.mark.parametrize("name", sorted(DISTANCES))
@pytest.mark.parametrize("seed", range(5))
def test_identity_symmetry_and_range(name, seed):
    rng = np.random.default_rng(seed)
    entry = DISTANCES[name]
    shapes = random_shapes(entry.shapes.__name__, rng, len(ALL))
    k, l = (grid.ravel() for grid in np.meshgrid(ALL, ALL))
    d = entry.measure(shapes, k, l)
    assert d.min() >= 0
    assert d.max() <= 1
    itself = np.zeros(len(ALL))
    if name == "polygon_giou":  # the hull of a concave polygon exceeds it
        hull = shapely.area(shapely.convex_hull(shapes.shapes))
        itself = (hull - shapely.area(shapes.shapes)) / hull / 2
    assert d[k == l] == pytest.approx(itself, abs=1e-12)
    back = entry.measure(shapes, l, k)
    assert d == pytest.approx(back, abs=1e-12)
    assert len(np.unique(d.round(9))) > 40  # they do differ


@pytest.mark.parametrize("name", sorted(DISTANCES))
@pytest.mark.parametrize("tau", [0.05, 0.3, 0.49, 0.5, 0.9, 1.0])
def test_no_near_pair_is_lost_outside_the_windows(name, tau):
    rng = np.random.default_rng(7)
    entry = DISTANCES[name]
    shapes = random_shapes(entry.shapes.__name__, rng, 120)
    if entry.window(shapes, tau) is None:  # any two shapes may be that near
        assert tau == 1
        return
    near, touch = near_and_touching(name, shapes, tau)
    assert touch[near].all()
    assert tau > 0.4 or not touch.all()
    assert near.any() or tau < 0.9


def near_and_touching(name, shapes, tau):
    """Return of all pairs which are within tau, and whose windows touch."""
    k, l = np.triu_indices(len(shapes), 1)
    low, high = np.split(DISTANCES[name].window(shapes, tau), 2, axis=1)
    touch = (low[k] <= high[l]).all(1) & (low[l] <= high[k]).all(1)
    return DISTANCES[name].measure(shapes, k, l) <= tau, touch


@pytest.mark.parametrize("name", ["keypoint_mpjpe", "keypoint_oks"])
@pytest.mark.parametrize("n_joints", [1, 2, 5])
def test_windows_of_keypoints_are_wide_enough(name, n_joints):
    rng = np.random.default_rng(n_joints)
    apart = rng.uniform(0, 0.5, (300, 1, 1)) * [1, 0]  # whole skeletons side by side
    xy = rng.uniform(0, 0.2, (1, n_joints, 2)) + apart
    shapes = Keypoints(xy, rng.random((300, n_joints)) < 0.9)
    for tau in (0.05, 0.3, 0.9):
        near, touch = near_and_touching(name, shapes, tau)
        assert touch[near].all()
        assert near.any() or n_joints == 1  # whose OKS has no size


@pytest.mark.parametrize("name", [n for n, d in DISTANCES.items() if d.bound])
def test_bounds_are_never_too_large(name):
    entry = DISTANCES[name]
    shapes = random_shapes(entry.shapes.__name__, np.random.default_rng(8), len(ALL))
    k, l = np.triu_indices(len(ALL), 1)
    bound, d = entry.bound(shapes, k, l), entry.measure(shapes, k, l)
    assert (bound <= d + 1e-12).all()
    assert (bound >= 0.5).any()  # it does rule out


side = st.floats(0.001, 1)
corner = st.floats(-0.5, 1.5)


@pytest.mark.parametrize("name", ["box_iou", "box_giou", "box_centroid_l2"])
@given(one=st.tuples(corner, corner, side, side), other=st.tuples(*[side] * 4))
def test_boxes_of_any_size(name, one, other):
    shapes = Boxes([one, other])
    assert distance(name, shapes, 0, 0) == pytest.approx(0, abs=1e-12)
    assert distance(name, shapes) == distance(name, shapes, 1, 0)
    assert 0 <= distance(name, shapes) <= 1


def test_boxes_by_hand():
    # 2 x 2 squares shifted by one: overlap 2, union 6, around 6.
    shifted = Boxes([(0, 0, 2, 2), (1, 0, 2, 2)])
    assert distance("box_iou", shifted) == pytest.approx(2 / 3)
    assert distance("box_giou", shifted) == pytest.approx(1 - (1 + 1 / 3) / 2)
    # One inside the other: overlap 1, union 4.
    assert distance("box_iou", Boxes([(0, 0, 2, 2), (1, 1, 1, 1)])) == 0.75
    # Apart by one: union 2, around 3, GIoU = 0 - 1/3.
    apart = Boxes([(0, 0, 1, 1), (2, 0, 1, 1)])
    assert distance("box_iou", apart) == 1
    assert distance("box_giou", apart) == pytest.approx(1 - (1 - 1 / 3) / 2)
    # Centres (0.5, 0.5) and (0.5 + 0.3, 0.5 + 0.4): 0.5 / sqrt(2).
    centres = Boxes([(0.4, 0.4, 0.2, 0.2), (0.75, 0.85, 0.1, 0.1)])
    assert distance("box_centroid_l2", centres) == pytest.approx(0.5 / np.sqrt(2))


def square(x, y, size=1.0):
    return [(x, y), (x + size, y), (x + size, y + size), (x, y + size)]


def test_polygons_by_hand():
    shifted = Polygons.from_rings([square(0, 0, 2), square(1, 0, 2)], [0, 1], 2)
    assert distance("polygon_iou", shifted) == pytest.approx(2 / 3)
    assert distance("polygon_giou", shifted) == pytest.approx(1 - (1 + 1 / 3) / 2)
    # Diagonal neighbours: union 2, hull 3 (a hexagon), GIoU = 0 - 1/3.
    diagonal = Polygons.from_rings([square(0, 0), square(1, 1)], [0, 1], 2)
    assert distance("polygon_giou", diagonal) == pytest.approx(1 - (1 - 1 / 3) / 2)
    far = Polygons.from_rings([square(0.2, 0.2, 0.1), square(0.5, 0.6, 0.1)], [0, 1], 2)
    assert distance("polygon_centroid_l2", far) == pytest.approx(0.5 / np.sqrt(2))


def test_parts_holes_and_repairs():
    # Two unit squares as parts of one annotation against one of them: 1 / 2.
    parts = Polygons.from_rings(
        [square(0, 0), square(5, 0), square(0, 0)], [0, 0, 1], 2
    )
    assert distance("polygon_iou", parts) == 0.5
    # A 3 x 3 square with a hole of 1 against the full square: 8 / 9.
    ring = shapely.Polygon(square(0, 0, 3), [square(1, 1)])
    holed = Polygons([ring, shapely.Polygon(square(0, 0, 3))])
    assert distance("polygon_iou", holed) == pytest.approx(1 / 9)
    # A spike without area on a square is cut off.
    spike = [(0, 0), (2, 0), (2, 2), (2, 5), (2, 2), (0, 2)]
    mended = Polygons.from_rings([spike, square(0, 0, 2)], [0, 1], 2)
    assert distance("polygon_iou", mended) == pytest.approx(0)


def test_masks_by_hand():
    # 2 x 2 full at (0, 0), 2 x 2 full at (0, 1): overlap 2, union 6.
    full = np.ones((2, 2), bool)
    shapes = Masks([[0, 0], [0, 1]], [full, full], [[4, 4]] * 2)
    assert distance("mask_iou", shapes) == pytest.approx(2 / 3)
    assert shapes.bounds().tolist() == [[0, 0, 0.5, 0.5], [0.25, 0, 0.75, 0.5]]


def test_volumes_by_hand():
    # On a grid of 5 x 5 x 5: a square over 3 x 3 pixels in two slices, against it in
    # one slice with its middle cut out: overlap 8, union 18.
    outline = np.array(square(0.25, 0.25, 0.5))
    middle = np.array(square(0.5, 0.5, 0.0))
    shapes = Volumes.from_contours(
        [outline, outline, outline, middle],
        [0.25, 0.5, 0.5, 0.5],
        [False, False, False, True],
        [0, 0, 1, 1],
        2,
        grid=(5, 5, 5),
    )
    assert [int(crop.sum()) for crop in shapes.crops] == [18, 8]
    assert distance("volume_iou", shapes) == pytest.approx(1 - 8 / 18)


def test_an_island_in_a_hole_of_a_volume_stays():
    island, outline, hole = (
        np.array(square(middle - side / 2, middle - side / 2, side))
        for middle, side in ((0.5, 0.25), (0.5, 1), (0.5, 0.75))
    )
    drawn = [(island, False), (outline, False), (hole, True)]
    for contours in itertools.permutations(drawn):
        made = Volumes.from_contours(
            [points for points, _ in contours],
            np.zeros(3),
            [is_hole for _, is_hole in contours],
            np.zeros(3),
            1,
            grid=(1, 17, 17),
        )
        through_the_middle = made.crops[0][0, 8]
        kinds = [bool(kind) for kind, _ in itertools.groupby(through_the_middle)]
        assert kinds == [True, False, True, False, True]


def test_keypoints_by_hand():
    xy = np.array([[[0, 0], [0.3, 0.4], [9, 9]], [[0, 0], [0, 0], [0.5, 0.5]]])
    shapes = Keypoints(xy, [[True, True, False], [True, True, True]])
    # Errors 0 and 0.5 / sqrt(2), and 1 for the joint that only one drew.
    assert distance("keypoint_mpjpe", shapes) == pytest.approx(
        (0 + 0.5 / np.sqrt(2) + 1) / 3
    )
    same = Keypoints([[[0, 0], [1, 1]]] * 2, [[True, True], [True, True]])
    assert distance("keypoint_oks", same) == 0


def test_oks_by_hand():
    # Joints at (0, 0), (0.3, 0.4) and, drawn by the first only, (0.6, 0): the box of
    # the first is 0.6 x 0.4, s^2 = 0.26; the second drew the first joint 0.1 to the
    # right, its box is 0.2 x 0.4, s^2 = 0.1. Mean s^2 = 0.18, scale 0.18 * 0.2^2.
    xy = [[[0, 0], [0.3, 0.4], [0.6, 0]], [[0.1, 0], [0.3, 0.4], [9, 9]]]
    shapes = Keypoints(xy, [[True, True, True], [True, True, False]])
    near = np.exp(-(0.1**2) / (2 * 0.18 * 0.2**2))
    assert distance("keypoint_oks", shapes) == pytest.approx(1 - (near + 1 + 0) / 3)


def test_crops_are_copied_and_lie_in_their_grid():
    crop = np.ones((2, 2), bool)
    shapes = Masks([[0, 0], [0, 0]], [crop, crop], [[4, 4]] * 2)
    crop[:] = False
    assert shapes.crops[0].all()
    with pytest.raises(ValueError, match="read-only"):
        shapes.crops[0][0, 0] = False
    outside = Masks([[3, 0], [0, -1]], [np.ones((2, 2))] * 2, [[4, 4]] * 2)
    beyond = [mask for mask, words in outside.faults() if "inside its grid" in words]
    assert beyond[0].tolist() == [True, True]


def test_no_joint_in_either_is_an_error_that_names_both(annotations):
    made = annotations("ana: mouse 0 0 9 9", "ben: mouse 0 0 9 9")
    blind = Keypoints(np.zeros((2, 3, 2)), np.zeros((2, 3), bool))
    made = type(made)(
        **{name: getattr(made, name) for name in made.__slots__ if name != "geometry"},
        geometry=blind,
    )
    with pytest.raises(
        AnnotationError,
        match=r"'keypoint_mpjpe' between annotations 'a0000' and 'a0001' "
        r"\(image 'image'\) must be a number from 0 to 1, got nan: no joint is visible",
    ):
        candidate_pairs(made, "keypoint_mpjpe", 0.5)


def test_unknown_and_misfitting_distances_list_the_choices(annotations):
    with pytest.raises(KalosError, match="unknown distance 'iou'; choose from box_c"):
        DISTANCES["iou"]
    made = annotations("ana: cat 0 0 9 9", "ben: cat 0 0 9 9")
    with pytest.raises(
        KalosError,
        match="'polygon_iou' is for Polygons, the annotations are Boxes; choose from "
        "box_centroid_l2, box_giou, box_iou",
    ):
        compute_agreement(made, Configuration("polygon_iou"))


def test_a_distance_of_ones_own(annotations):
    @register_distance("box_width", Boxes)
    def box_width(boxes, k, l):
        return np.abs(boxes.xywh[k, 2] - boxes.xywh[l, 2])

    try:
        made = annotations("ana: cat 0 0 10 10", "ben: cat 90 0 10 99")
        found = compute_agreement(made, Configuration("box_width", tau=0.0))
        assert found.alpha[0] == 1
        with pytest.raises(KalosError, match="there is a distance 'box_width' already"):
            register_distance("box_width", Boxes)
    finally:
        del DISTANCES["box_width"]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda boxes, k, l: np.full(len(k), -0.5), r"a number from 0 to 1, got -0\.5"),
        (lambda boxes, k, l: np.zeros(7), r"for each of 1 pairs, got shape \(7,\)"),
        (lambda boxes, k, l: 0.5, r"for each of 1 pairs, got shape \(\)"),
    ],
)
def test_a_distance_that_is_none_is_refused(annotations, measure, message):
    register_distance("wrong", Boxes)(measure)
    try:
        made = annotations("ana: cat 0 0 10 10", "ben: cat 90 0 10 99")
        with pytest.raises(KalosError, match=message):
            compute_agreement(made, Configuration("wrong"))
    finally:
        del DISTANCES["wrong"]


@pytest.mark.parametrize(("name", "shapes"), [(7, Boxes), ("mine", None)])
def test_a_distance_needs_a_name_and_shapes(name, shapes):
    with pytest.raises(KalosError, match="a distance needs a name and the class of"):
        register_distance(name, shapes)


def test_pixels_are_refused_where_the_image_is_the_measure(annotations):
    made = annotations("ana: cat 10 10 40 40", "ben: cat 12 10 40 40", size=1.0)
    assert compute_agreement(made, Configuration("box_iou")).alpha[0] == 1
    with pytest.raises(
        AnnotationError,
        match=r"annotation 'a0000' \(image 'image'\) must have coordinates relative to "
        r"its image for 'box_centroid_l2', got \[10, 10, 40, 40\]; divide pixels by",
    ):
        compute_agreement(made, Configuration("box_centroid_l2"))


def test_bad_shapes_are_refused():
    with pytest.raises(AnnotationError, match="boxes must be rows of numbers"):
        Boxes([["a", 1, 2, 3]])
    with pytest.raises(AnnotationError, match="contours must have finite coordinates"):
        Volumes.from_contours([square(0, 0)], [float("nan")], [False], [0], 1)
    assert [mask.any() for mask, _ in Polygons([None]).faults()] == [False, True]
    with pytest.raises(AnnotationError, match="at least three points, got 2 in part 1"):
        Polygons.from_rings([square(0, 0), [(0, 0), (1, 1)]], [0, 0], 1)
    with pytest.raises(AnnotationError, match=r"keypoints must have shape \(N, J, 2\)"):
        Keypoints(np.zeros((2, 3, 2)), np.zeros((2, 4), bool))
    nan, flat = [
        mask
        for mask, _ in Polygons.from_rings(
            [[(0, 0), (1, float("nan")), (1, 1)], [(0, 0), (1, 1), (2, 2)]], [0, 1], 2
        ).faults()
    ]
    assert nan.tolist() == [True, False]
    assert flat[1]
