"""Which shapes and distances fit which fields."""

import fiftyone as fo
import pytest
from plugin_builders import (
    detection,
    detections,
    in_one_field,
    keypoint,
    label_list,
    make_dataset,
    masked,
    plugin_module,
    polygon,
    sample,
    square,
)

KalosError = plugin_module("kalos_core").KalosError
core = plugin_module("kalos_core")
layouts = plugin_module("operators.layouts")
measures = plugin_module("operators.measures")
ONE = layouts.OneField("gt")
PLAIN = detection("cat", 0, 0, 20, 20)
MASKED = masked("cat", 0, 0, 20, 20, mask=[[1]])


@pytest.fixture
def stored():
    """Return a function that stores labels of ana in the field "gt"."""
    made = []

    def store(*labels, kind=fo.Detections):
        made.append(in_one_field(kind, {"x": {"ana": list(labels), "ben": []}}))
        return made[-1]

    yield store
    for dataset in made:
        dataset.delete()


def test_the_distances_of_each_kind_of_shape():
    assert {shapes: measures.distances(shapes) for shapes in measures.READINGS} == {
        "boxes": ["box_iou", "box_giou", "box_centroid_l2"],
        "polygons": ["polygon_iou", "polygon_giou", "polygon_centroid_l2"],
        "masks": ["mask_iou"],
        "keypoints": ["keypoint_mpjpe", "keypoint_oks"],
    }


def test_a_distance_of_ones_own_is_among_them(compute, stored):
    @core.register_distance("box_width", core.Boxes)
    def box_width(boxes, k, l):
        return abs(boxes.xywh[k, 2] - boxes.xywh[l, 2])

    try:
        assert measures.distances("boxes")[-1] == "box_width"
        compute(stored(PLAIN), "gt", d_loc="box_width")
    finally:
        del core.DISTANCES["box_width"]


@pytest.mark.parametrize(
    ("labels", "offered"),
    [
        ([PLAIN], ["boxes"]),
        ([MASKED], ["masks", "boxes"]),
        ([MASKED, PLAIN], ["boxes", "masks"]),
        ([detection("cat", 0, 0, 9, 9, mask_path="/x.png")], ["masks", "boxes"]),
        ([], ["boxes", "masks"]),  # there may be some further on
    ],
)
def test_masks_are_offered_where_there_are_some(stored, labels, offered):
    assert measures.offered_shapes(stored(*labels), ONE) == offered


def test_polylines_and_keypoints_are_what_they_are(stored):
    polygons = stored(polygon("cat", square(0, 0, 9)), kind=fo.Polylines)
    assert measures.offered_shapes(polygons, ONE) == ["polygons"]
    assert measures.choose_shapes(polygons, ONE) == "polygons"
    keypoints = stored(keypoint("cat", (0, 0)), kind=fo.Keypoints)
    assert measures.offered_shapes(keypoints, ONE) == ["keypoints"]


def test_the_distance_may_choose_the_shapes(stored):
    dataset = stored(MASKED)
    assert measures.choose_shapes(dataset, ONE) == "masks"
    assert measures.choose_shapes(dataset, ONE, d_loc="box_giou") == "boxes"
    assert measures.choose_shapes(dataset, ONE, d_loc="mask_iou") == "masks"
    plain = stored(PLAIN)
    assert measures.choose_shapes(plain, ONE) == "boxes"
    assert measures.choose_shapes(plain, ONE, d_loc="mask_iou") == "masks"


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (
            {"d_loc": "polygon_iou"},
            "Distance 'polygon_iou' does not measure boxes or masks, which is what "
            "field 'gt' holds. Distances that fit are: box_iou, box_giou, "
            "box_centroid_l2, mask_iou.",
        ),
        (
            {"d_loc": "mask_iou", "shapes": "boxes"},
            "Distance 'mask_iou' does not measure boxes. Distances that fit are: "
            "box_iou, box_giou, box_centroid_l2.",
        ),
        ({"shapes": "polygons"}, "Field 'gt' can be read as boxes or masks, not as"),
        ({"shapes": "circles"}, "unknown shapes 'circles'; choose from boxes, key"),
        ({"d_loc": "iou"}, "unknown distance 'iou'; choose from box_centroid_l2, "),
        ({"solver": "gredy"}, "unknown solver 'gredy'; choose from ahc, greedy, "),
        ({"psi": "hard"}, "unknown cost 'hard'; choose from neg, soft"),
    ],
)
@pytest.mark.parametrize("delegate", [False, True])
def test_what_does_not_fit_is_refused(
    compute, stored, snapshot, chosen, message, delegate
):
    dataset = stored(PLAIN)
    before = snapshot(dataset)
    with pytest.raises(KalosError) as caught:
        compute(dataset, "gt", delegate=delegate, **chosen)
    assert message in str(caught.value)
    assert snapshot(dataset) == before


def test_fields_of_two_kinds(compute):
    drawn = label_list([polygon("cat", square(0, 0, 9))], fo.Polylines)
    made = make_dataset(sample("x", ana=detections(PLAIN), ben=drawn))
    with pytest.raises(KalosError, match="'ana' holds Detections and 'ben' Polylines"):
        compute(made, ["ana", "ben"])
    made.delete()


def test_the_layout_of_most_fields_is_detected():
    outline = label_list([polygon("cat", square(0, 0, 9))], fo.Polylines)
    made = make_dataset(sample("x", truth=detections(PLAIN), ana=outline, ben=outline))
    assert layouts.detect_layout(made) == layouts.FieldPerRater(("ana", "ben"))
    made.delete_sample_field("ben")
    assert layouts.detect_layout(made).layout == "one_field"
    made.delete()
