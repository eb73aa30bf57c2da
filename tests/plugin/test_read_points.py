"""Polygons and keypoints: what is read, and what is refused by name."""

import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import (
    NAN,
    in_a_field_each,
    in_one_field,
    keypoint,
    plugin_module,
    polygon,
    square,
)

KalosError = plugin_module("kalos_core").KalosError
read_annotations = plugin_module("operators.fields").read_annotations
layouts = plugin_module("operators.layouts")
ONE = layouts.OneField("gt")


def geometry_of(kind, *labels):
    """Return the shapes of ana's labels, in the order given."""
    made = in_one_field(kind, {"x": {"ana": list(labels), "ben": []}})
    try:
        found = read_annotations(made, ONE)
        place = found.annotation_id.tolist()
        return found.geometry.take(np.array([place.index(x.id) for x in labels]))
    finally:
        made.delete()


def test_parts_of_a_polygon_are_united():
    apart = polygon("cat", square(0, 0, 20), square(40, 0, 20))
    overlapping = polygon("cat", square(0, 0, 20), square(10, 0, 20))
    inside = polygon("cat", square(0, 0, 20), square(5, 5, 10))
    found = geometry_of(fo.Polylines, apart, overlapping, inside)
    # A part inside another is no hole.
    assert found.area() == pytest.approx([0.08, 0.06, 0.04])
    assert found.bounds()[0] == pytest.approx([0, 0, 0.6, 0.2])


def test_closed_or_filled_is_a_polygon():
    closed = polygon("cat", square(0, 0, 20), closed=True, filled=False)
    filled = polygon("cat", square(0, 0, 20), closed=False, filled=True)
    assert geometry_of(fo.Polylines, closed, filled).area() == pytest.approx([0.04] * 2)


def test_joints_without_coordinates_are_invisible():
    half = fo.Keypoint(label="cat", points=[[0.1, 0.2], [0.3, NAN], [None, None]])
    whole = keypoint("cat", (10, 20), (30, 40), (50, 60))
    found = geometry_of(fo.Keypoints, half, whole)
    assert found.visible.tolist() == [[True, False, False], [True] * 3]
    assert found.xy[1].tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]


def test_skeletons_do_not_matter():
    drawn = {"x": {r: [keypoint("cat", (1, 2), (3, 4))] for r in ("ana", "ben")}}
    made = in_one_field(fo.Keypoints, drawn)
    made.default_skeleton = fo.KeypointSkeleton(labels=["a", "b"], edges=[[0, 1]])
    assert len(read_annotations(made, ONE)) == 2
    made.delete()


def test_no_label_at_all():
    for kind in (fo.Detections, fo.Polylines, fo.Keypoints):
        made = in_one_field(kind, {"x": {"ana": [], "ben": []}})
        assert (
            len(read_annotations(made, layouts.OneField("gt", assigned="raters"))) == 0
        )
        made.delete()


POLYGON_FAULTS = [
    (polygon("cat", square(0, 0, 20), closed=False, filled=False), "closed or filled"),
    (
        polygon("cat", square(0, 0, 20), [0, 0, 20, 20]),
        "at least three points in each part, got 2 points: [[0.0, 0.0], [0.2, 0.2]]",
    ),
    (polygon("cat"), "must have a polygon, got no points"),
    (fo.Polyline(label="cat", points=[[]], closed=True), "got 0 points"),
    (
        polygon("cat", [0, 0, 20, 20, 40, 40]),
        "must have a polygon with an area, got one that encloses nothing",
    ),
    (
        polygon("cat", [0, 0, 20, 20, 40, NAN]),
        "must have a polygon with points of finite numbers",
    ),
    (
        polygon("cat", [0, 0, 20, 20, 40, float("inf")]),
        "must have a polygon with points of finite numbers",
    ),
    (polygon("cat", square(0, 0, 5000)), "which looks like pixels"),
]

KEYPOINT_FAULTS = [
    (keypoint("cat", (1, 2)), ", 2, got 1. Add the missing ones as [nan, nan]"),
    (fo.Keypoint(label="cat", points=[]), "must have joints, got no points"),
    (keypoint("cat", (1, 2), (300, 400)), "got [0.01, 0.02, 3, 4], which looks like"),
    (
        keypoint("cat", (1, 2), (float("inf"), 4)),
        "must have visible joints with finite coordinates",
    ),
]


@pytest.mark.parametrize("build", [in_one_field, in_a_field_each])
@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        *((polygon("cat", square(0, 0, 20)), *fault) for fault in POLYGON_FAULTS),
        *((keypoint("cat", (1, 2), (3, 4)), *fault) for fault in KEYPOINT_FAULTS),
    ],
)
def test_bad_shapes_are_named(build, snapshot, good, bad, message):
    kind = fo.Polylines if isinstance(good, fo.Polyline) else fo.Keypoints
    made = build(kind, {"good": {"ana": [good]}, "bad": {"ana": [], "ben": [bad]}})
    before = repr(snapshot(made))
    layout = ONE if build is in_one_field else layouts.FieldPerRater(("ana", "ben"))
    with pytest.raises(KalosError) as caught:
        read_annotations(made, layout)
    error = str(caught.value)
    assert message in error
    assert f"annotation '{bad.id}' (image '{made.last().id}')" in error
    assert "The file is bad.jpg" in error
    assert repr(snapshot(made)) == before
    made.delete()


@pytest.mark.parametrize("points", [[[0, 0, 0]] * 3, [0, 1, 2], [[0, 1], [2], [3, 4]]])
def test_points_that_are_no_points(points):
    # FiftyOne refuses them, but not where they come straight into the database.
    made = in_one_field(
        fo.Polylines, {"x": {"ana": [polygon("cat", square(0, 0, 20))], "ben": []}}
    )
    stored = {"gt.polylines.0.points": [points]}
    made._sample_collection.update_one({}, {"$set": stored})
    with pytest.raises(KalosError) as caught:
        read_annotations(made, ONE)
    assert f"must have points [x, y], got {points}" in str(caught.value)
    made.delete()


def test_a_view_that_hides_joints(compute):
    drawn = {"x": {r: [keypoint("cat", (1, 2), (3, 4))] for r in ("ana", "ben")}}
    made = in_one_field(fo.Keypoints, drawn)
    hides = made.filter_keypoints("gt", filter=fo.ViewField("points")[0] > 0.01)
    with pytest.raises(KalosError, match="hides some labels of field 'gt'"):
        compute(hides, "gt")
    made.delete()
