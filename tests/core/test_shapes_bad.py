"""Shapes that are no shapes, and what is said about them."""

import numpy as np
import pytest

from kalos_core import (
    AnnotationError,
    Annotations,
    Boxes,
    Keypoints,
    Masks,
    Polygons,
    Volumes,
)

SQUARE = [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)]


def annotate(geometry):
    """Return two raters' annotations 'a0' and 'a1' of image 'x.jpg'."""
    return Annotations(
        image=[0, 0],
        rater=[0, 1],
        label=[0, 0],
        geometry=geometry,
        annotation_id=["a0", "a1"],
        assigned=[[True, True]],
        images=["x.jpg"],
        raters=["ana", "ben"],
        classes=["cat"],
    )


def boxes(*second):
    return Boxes([[0.1, 0.1, 0.2, 0.2], second])


def masks(*grids):
    return Masks([[0, 0]] * 2, [np.ones((2, 2), bool)] * 2, grids)


def cube():
    """Return masks of which the second has an axis too many."""
    crops = [np.ones((2, 2), bool), np.ones((2, 2, 2), bool)]
    return Masks([[0, 0]] * 2, crops, [[4, 4]] * 2)


def stack(point, z=0.5):
    return Volumes.from_contours([SQUARE, [*SQUARE, point]], [0, z], [0, 0], [0, 1], 2)


@pytest.mark.parametrize(
    ("geometry", "message"),
    [
        (boxes(0.5, 0.5, 1e-18, 0.1), "a box that is not too small for numbers"),
        (boxes(0.5, 0.5, 0.1, 1e-18), "a box that is not too small for numbers"),
        (boxes(0, 0, 1e-200, 1e-200), r"got \[0, 0, 1e-200, 1e-200\]"),
        (boxes(0, 0, 1e200, 1e200), r"at most 1e\+100 image sizes, got \[0, 0, 1e"),
        (boxes(1.7e308, 0, 1.7e308, 1), r"at most 1e\+100 image sizes"),
        (
            Polygons.from_rings([SQUARE, [(0, 0), (1, 1), (2, 2)]], [0, 1], 2),
            "must have a polygon with an area, got one that encloses nothing",
        ),
        (
            masks((4, 4), (4, 5)),
            r"must have the grid \(4, 4\) that annotation 'a0' of that image has, "
            r"got \(4, 5\)",
        ),
        (
            Keypoints([[[0, 0]], [[0, 1e200]]], [[1], [1]]),
            r"at most 1e\+100 image sizes",
        ),
        (stack((0.5, 0.5), z=1.5), "must have a volume inside its grid"),
    ],
)
def test_faults_name_image_and_annotation(geometry, message):
    with pytest.raises(AnnotationError, match=message) as raised:
        annotate(geometry)
    assert str(raised.value).startswith("annotation 'a1' (image 'x.jpg') must have ")


def test_other_images_may_have_other_grids():
    made = annotate(masks((4, 4), (4, 4)))
    kept = {name: getattr(made, name) for name in made.__slots__}
    changes = {
        "image": [0, 1],
        "images": ["x.jpg", "y.jpg"],
        "assigned": np.ones((2, 2)),
        "geometry": masks((4, 4), (4, 5)),
    }
    assert len(Annotations(**kept | changes)) == 2


@pytest.mark.parametrize("point", [(1.01, 0.5), (0.5, -0.01), (300, 200)])
def test_contours_outside_their_slice_are_refused(point):
    match = "relative to the slice, from 0 to 1, got .* in annotation number 1"
    with pytest.raises(AnnotationError, match=match):
        stack(point)


def test_contours_may_leave_their_slice_by_rounding():
    assert len(annotate(stack((1 + 1e-12, -1e-12)))) == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Boxes([[1, 2, 3, 4], [1, 2, 3]]),
        lambda: Boxes([[1, 2, 3, 10**400]]),
        lambda: Keypoints([[[0, 0], [1, 1]], [[0, 0]]], [[1, 1], [1]]),
        lambda: Keypoints(np.zeros((2, 2, 2)), [[1, 1], [1]]),
        lambda: Polygons.from_rings([[(0, 0), (1, 1), (1,)]], [0], 1),
        lambda: Polygons.from_rings([["abc"]], [0], 1),
        lambda: Volumes.from_contours([[(0, 0), (1, 1), (1,)]], [0], [0], [0], 1),
        lambda: Masks([[0, 0], [1]], [np.ones((2, 2))] * 2, [[4, 4]] * 2),
        lambda: Masks([["a", 0]], [np.ones((2, 2))], [[4, 4]]),
    ],
)
def test_uneven_rows_and_text_are_refused(make):
    with pytest.raises(AnnotationError, match="must be rows of numbers"):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Masks([[0, 0]], [np.ones((2, 2))] * 2, [[4, 4]] * 2),
            r"corner must have shape \(2, 2\), got \(1, 2\)",
        ),
        (
            lambda: Polygons.from_rings([np.zeros((4, 3))], [0], 1),
            r"outlines must have shape \(points, 2\), got \(4, 3\)",
        ),
        (
            lambda: masks((4, 4), (4, 4.5)),
            r"grid must be whole numbers, got 4\.5",
        ),
        (
            lambda: cube().bounds(),
            r"a mask must have 2 axes, got a crop of \(2, 2, 2\)",
        ),
        (
            lambda: annotate(cube()),
            r"annotation 'a1' \(image 'x.jpg'\) must have a mask of 2 axes",
        ),
        (
            lambda: Polygons(["x"]),
            "polygons must be shapely polygons, got 'x' as number 0; Polygons.from_r",
        ),
        (lambda: Polygons([None, 7]), "must be shapely polygons, got 7 as number 1"),
        (lambda: Polygons([SQUARE]), r"must be shapely polygons, got 0\.1 as number 0"),
    ],
)
def test_arrays_of_another_shape_are_refused(make, message):
    with pytest.raises(AnnotationError, match=message):
        make()


FROM_OUTLINES = {
    "polygons": lambda owner: Polygons.from_rings([SQUARE, SQUARE], owner, 2),
    "volumes": lambda owner: Volumes.from_contours(
        [SQUARE, SQUARE], [0, 0], [False, False], owner, 2
    ),
}


@pytest.mark.parametrize("kind", FROM_OUTLINES)
@pytest.mark.parametrize(
    ("owner", "message"),
    [
        ([0, 2], "annotation must be numbers of 2 annotations, from 0, got 2"),
        ([-1, 0], "annotation must be numbers of 2 annotations, from 0, got -1"),
        ([0, 0.7], r"annotation must be whole numbers, got 0\.7"),
        ([0], r"a number for each of 2 outlines, got shape \(1,\)"),
        (["a", 0], "annotation must be rows of numbers"),
    ],
)
def test_outlines_of_no_annotation_are_refused(kind, owner, message):
    with pytest.raises(AnnotationError, match=message):
        FROM_OUTLINES[kind](owner)
    assert len(FROM_OUTLINES[kind]([1.0, 0.0])) == 2
