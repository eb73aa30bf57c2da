"""COCO-style files: what is read of them."""

import warnings

import numpy as np
import pytest
from coco_documents import annotation, document, sessions

from kalos_core import AnnotationError, KalosError, KalosWarning, read_coco


def test_names_order_and_assignment(write_json):
    made = read_coco(write_json(document()))
    assert made.images == ("b.jpg", "a.jpg")
    assert made.raters == made.identity == ("ana", "kim")
    assert made.classes == ("cat", "dog")
    assert made.assigned.tolist() == [[True, True], [False, True]]
    assert made.annotation_id.tolist() == ["12", "11"]
    assert made.rater.tolist() == [0, 1]
    assert made.label.tolist() == [1, 0]


def test_boxes_are_relative_to_the_image(write_json):
    made = read_coco(str(write_json(document())))
    assert made.geometry.xywh.tolist() == [
        [30 / 200, 20 / 100, 40 / 200, 50 / 100],
        [20 / 200, 10 / 100, 50 / 200, 25 / 100],
    ]


def test_parts_of_a_polygon_are_united(write_json):
    one, two = [0, 0, 20, 0, 20, 10, 0, 10], [10, 0, 40, 0, 40, 10, 10, 10]
    made = document()
    made["annotations"][0]["segmentation"] = [one, two]
    read = read_coco(write_json(made), shapes="polygons")
    assert read.geometry.shapes[1].area == pytest.approx(40 * 10 / (200 * 100))
    assert read.geometry.shapes[0].area == pytest.approx(50 * 25 / 2 / (200 * 100))


def test_keypoints_are_visible_from_one_on(write_json):
    made = document()
    made["annotations"][1]["keypoints"] = [40, 30, 1, 60, 20, 0]
    read = read_coco(write_json(made), shapes="keypoints")
    assert read.geometry.visible.tolist() == [[True, False], [True, False]]
    assert read.geometry.xy[:, 0].tolist() == [[0.2, 0.3], [0.1, 0.1]]


def test_sessions_are_raters_with_one_identity(write_json):
    made = sessions({"ana": [1, 2], "kim": ["2"]})
    read = read_coco(write_json(made))
    assert read.raters == ("ana (S1)", "ana (S2)", "kim", "kim (S2)")
    assert read.identity == ("ana", "ana", "kim", "kim")
    assert read.assigned.tolist() == [[1, 1, 0, 1], [0, 0, 1, 0]]
    assert read.rater.tolist() == [0, 1]


def test_file_names_that_are_not_unique_give_way_to_ids(write_json):
    made = document()
    made["images"][1]["file_name"] = "b.jpg"
    assert read_coco(write_json(made)).images == ("7", "3")


def test_numbers_as_raters_become_text(write_json):
    made = document()
    made["images"][0]["rater_list"] = [10, 2]
    for entry, rater in zip(made["annotations"], (2, 10), strict=True):
        entry["rater_id"] = rater
    assert read_coco(write_json(made)).raters == ("10", "2", "kim")


@pytest.mark.parametrize("shapes", ["boxes", "polygons", "keypoints"])
def test_files_without_annotations_are_read(write_json, shapes):
    read = read_coco(write_json(document() | {"annotations": []}), shapes=shapes)
    assert len(read) == 0
    assert read.n_images == 2


@pytest.mark.parametrize("shapes", ["boxes", "polygons", "keypoints"])
def test_the_file_is_not_changed(write_json, shapes):
    path = write_json(document())
    before = path.read_bytes()
    first, second = (read_coco(path, shapes=shapes) for _ in range(2))
    assert path.read_bytes() == before
    for one, other in zip(
        first.geometry.content(), second.geometry.content(), strict=True
    ):
        assert np.array_equal(one, other)


def with_strays():
    made = document()
    made["annotations"] += [
        annotation(13, image_id=3, rater_id="ana"),
        annotation(14, image_id=3, rater_id="eve"),
        annotation(15, image_id=7, rater_id="eve"),
    ]
    return made


def test_unassigned_raters_are_an_error(write_json):
    with pytest.raises(AnnotationError) as raised:
        read_coco(write_json(with_strays()))
    message = str(raised.value)
    assert "x.json': annotation '15' (image 'b.jpg') is by rater 'eve'" in message
    assert (raised.value.image, raised.value.annotation_id) == ("b.jpg", "15")


def test_unassigned_raters_are_dropped_with_a_warning(write_json):
    match = r"x\.json': dropped 3 annotations .*: 'ana' \(1\), 'eve' \(2\)"
    with pytest.warns(KalosWarning, match=match) as caught:
        read = read_coco(write_json(with_strays()), on_unassigned="drop")
    assert caught[0].filename == __file__
    assert read.annotation_id.tolist() == ["12", "11"]
    assert read.raters == ("ana", "kim")


def test_no_warning_where_nothing_is_dropped(write_json):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_coco(write_json(document()), on_unassigned="drop")) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"on_unassigned": "ignore"},
            "unknown on_unassigned 'ignore'; choose from drop, error",
        ),
        (
            {"shapes": "masks"},
            "unknown shapes 'masks'; choose from boxes, keypoints, polygons",
        ),
    ],
)
def test_options_list_their_choices(options, message):
    with pytest.raises(KalosError, match=message):
        read_coco("absent.json", **options)
