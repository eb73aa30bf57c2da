"""Proposals that the user brings: a field of predictions, or a COCO file."""

import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import (
    detection,
    detections,
    keypoint,
    label_list,
    make_dataset,
    plugin_module,
    polygon,
    sample,
    square,
)

proxies = plugin_module("operators.proxies")
read_labels = plugin_module("operators.proxies.labels").read_labels
core = plugin_module("kalos_core")
noise = plugin_module("kalos_core.noise")


@pytest.fixture
def predicted():
    """Two images with labels, one without; a detector saw three more things."""
    made = make_dataset(
        sample(
            "a",
            gt=detections(
                detection("cat", 10, 10, 20, 20), detection("cat", 50, 50, 40, 10)
            ),
            found=detections(
                detection("x", 70, 10, 22, 18), detection("x", 5, 60, 30, 8)
            ),
        ),
        sample("b", gt=detections(detection("dog", 40, 40, 5, 5)), found=None),
        sample("c", gt=detections(), found=detections(detection("y", 95, -2, 10, 7))),
    )
    yield made
    made.delete()


def sides(reference, proposals):
    xywh = reference.geometry.xywh[proposals.source]
    return np.round(xywh[:, 2:] * 100).astype(int).tolist()


def test_a_field_becomes_proposals_of_the_reference(predicted):
    reference = read_labels(predicted, "gt")
    found = proxies.boxes_of_field(predicted, "found")
    proposals = found.proposals(reference)
    proposals.check(reference)
    assert proposals.image.tolist() == [0, 0, 2]
    # The last one leaves the image and is cut to it.
    assert np.allclose(
        proposals.boxes.xywh,
        [[0.05, 0.6, 0.3, 0.08], [0.7, 0.1, 0.22, 0.18], [0.95, 0, 0.05, 0.05]],
    )
    assert sides(reference, proposals) == [[40, 10], [20, 20], [5, 5]]


def test_raters_are_simulated_with_them(predicted):
    reference = read_labels(predicted, "gt")
    proposals = proxies.boxes_of_field(predicted, "found").proposals(reference)
    made = noise.simulate_raters(
        reference,
        n_raters=40,
        magnitude=5.0,
        proposals=proposals,
        rng=np.random.default_rng(0),
    )
    added = noise.ERRORS.index("added")
    boxes = made.geometry.xywh[made.error == added]
    assert len(boxes)
    allowed = {tuple(np.round(box, 6)) for box in proposals.boxes.xywh}
    assert {tuple(np.round(box, 6)) for box in boxes} <= allowed


def test_a_view_decides_which_are_taken(predicted):
    sure = predicted.filter_labels("found", fo.ViewField("label") == "y")
    assert len(proxies.boxes_of_field(sure, "found")) == 1
    reference = read_labels(predicted.limit(2), "gt")
    proposals = proxies.boxes_of_field(predicted, "found").proposals(reference)
    assert proposals.image.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("kind", "labels", "bounds"),
    [
        (fo.Polylines, [polygon("x", square(10, 20, 30))], [0.1, 0.2, 0.4, 0.5]),
        (
            fo.Keypoints,
            [
                keypoint("x", (10, 20), None, (30, 25)),
                keypoint("x", None, None, None),
            ],
            [0.1, 0.2, 0.3, 0.25],
        ),
    ],
)
def test_any_labels_have_boxes(kind, labels, bounds):
    made = make_dataset(sample("a", found=label_list(labels, kind)))
    assert np.allclose(proxies.boxes_of_field(made, "found").bounds, [bounds])
    made.delete()


def coco(images, boxes):
    return {
        "images": [
            {"id": n, "file_name": name, "width": 200, "height": 100}
            for n, name in enumerate(images)
        ],
        "categories": [{"id": 7, "name": "thing"}],
        "annotations": [
            {"id": n, "image_id": image, "category_id": 7, "bbox": box, "score": 0.5}
            for n, (image, box) in enumerate(boxes)
        ],
    }


def test_a_coco_file_becomes_proposals(predicted, write_json):
    path = write_json(
        coco(
            ["c.jpg", "elsewhere.jpg", "a.jpg"],
            [(0, [20, 10, 10, 5]), (1, [0, 0, 9, 9]), (2, [100, 50, 40, 20])],
        )
    )
    reference = read_labels(predicted, "gt")
    proposals = proxies.boxes_of_coco(predicted, path).proposals(reference)
    assert proposals.image.tolist() == [0, 2]
    assert np.allclose(
        proposals.boxes.xywh, [[0.5, 0.5, 0.2, 0.2], [0.1, 0.1, 0.05, 0.05]]
    )
    assert sides(reference, proposals) == [[20, 20], [5, 5]]


def test_equal_annotations_give_one_source(predicted):
    reference = read_labels(predicted, "gt")
    found = proxies.FoundBoxes(
        (predicted.first().id,) * 2, [[0, 0, 0.2, 0.2], [0.5, 0, 0.7, 0.2]], "x"
    )
    one, other = (found.proposals(reference) for _ in range(2))
    assert one.source.tolist() == other.source.tolist()
    assert len(set(one.source.tolist())) == 1


def test_nothing_that_remains_is_refused(predicted):
    reference = read_labels(predicted, "gt")
    ids = tuple(predicted.values("id"))
    for sample_id, bounds in (
        (("elsewhere",), [[0, 0, 1, 1]]),
        (ids[:1], [[1.2, 0, 1.5, 0.3]]),
        ((), np.empty((0, 4))),
    ):
        found = proxies.FoundBoxes(sample_id, bounds, "field 'x'")
        with pytest.raises(core.KalosError, match="field 'x': must have boxes in the"):
            found.proposals(reference)
    empty = read_labels(predicted.match({"filepath": {"$regex": "c.jpg"}}), "gt")
    found = proxies.FoundBoxes(ids[2:], [[0, 0, 1, 1]], "x")
    with pytest.raises(core.KalosError, match="no annotation whose shape"):
        found.proposals(empty)


def test_odd_fields_and_files_are_named(predicted, write_json, tmp_path):
    with pytest.raises(core.KalosError, match=r"no field 'nix'.*: gt, found"):
        proxies.boxes_of_field(predicted, "nix")
    with pytest.raises(core.KalosError, match="none of its 1 images is in this view"):
        proxies.boxes_of_coco(predicted, write_json(coco(["z.jpg"], [])))
    with pytest.raises(core.KalosError, match="the top level must be an object"):
        proxies.boxes_of_coco(predicted, write_json([]))
    with pytest.raises(core.KalosError, match=r"no\.json.*cannot be read"):
        proxies.boxes_of_coco(predicted, tmp_path / "no.json")
    bad = write_json(coco(["a.jpg"], [(0, [1, 1, 0, 5])]))
    with pytest.raises(core.KalosError, match="positive width and height"):
        proxies.boxes_of_coco(predicted, bad)
