"""LIDC-IDRI files: scans, sessions and nodules."""

import linecache
import math

import numpy as np
import pytest

from kalos_core import AnnotationError, KalosError, KalosWarning, read_lidc

SQUARE = [[0, 0], [100, 0], [100, 100], [0, 100]]
MIDDLE = [[40, 40], [60, 40], [60, 60], [40, 60]]


def contour(z, points=SQUARE, **more):
    return {"z_position": z, "points": points} | more


def document(*contours):
    """Return a scan with a nodule in each of two sessions, and none in a third."""
    first = list(contours) or [contour(-10.0), contour(0.0), contour(10.0)]
    return {
        "1.2.3": {
            "study_instance_uid": "1.2.3",
            "file_paths": ["a.xml"],
            "width": 100,
            "height": 100,
            "depth": 12,
            "annotators": {
                "session_2": [{"contours": first}],
                "session_1": [{"contours": [contour(0.0)]}],
                "session_3": [],
            },
        },
    }


def test_names_and_assignment(write_json):
    made = read_lidc(write_json(document()))
    assert made.images == ("1.2.3",)
    assert made.raters == made.identity == ("session_1", "session_2", "session_3")
    assert made.classes == ("nodule",)
    assert made.assigned.all()
    assert made.annotation_id.tolist() == ["session_1/0", "session_2/0"]


def test_nodules_marked_by_points_are_left_out_and_reported(write_json):
    points = document(contour(0, [[1, 1]]), contour(4, [[2, 2], [3, 3]]))
    with pytest.warns(
        KalosWarning, match="left out 1 nodules that are marked by poi"
    ) as caught:
        made = read_lidc(write_json(points), grid=(5, 8, 8))
    assert caught[0].filename == __file__
    assert "read_lidc(" in linecache.getline(__file__, caught[0].lineno)
    assert made.annotation_id.tolist() == ["session_1/0"]
    assert made.assigned.all()
    # Their slices still count for the range of z, as in the reference.
    assert made.geometry.corner.tolist() == [[0, 0, 0]]


def test_z_is_relative_to_the_contours_of_the_scan(write_json):
    made = read_lidc(write_json(document()), grid=(5, 8, 8)).geometry
    assert made.corner.tolist() == [[2, 0, 0], [0, 0, 0]]
    assert [crop.shape for crop in made.crops] == [(1, 8, 8), (5, 8, 8)]
    assert np.flatnonzero(made.crops[1].any(axis=(1, 2))).tolist() == [0, 2, 4]
    assert made.grid.tolist() == [[5, 8, 8]] * 2


def test_x_runs_along_columns_and_is_relative_to_the_width(write_json):
    made = document()
    made["1.2.3"]["width"] = 200
    read = read_lidc(write_json(made), grid=(5, 9, 9))
    assert [crop.shape for crop in read.geometry.crops] == [(1, 9, 5), (5, 9, 5)]


def test_a_scan_with_one_slice_lies_at_zero(write_json):
    made = read_lidc(write_json(document(contour(0.0)))).geometry
    assert made.corner[:, 0].tolist() == [0, 0]


@pytest.mark.parametrize(
    "mark",
    [
        {"hole": True},
        {"inclusion": False},
        {"inclusion": "FALSE"},
        {"inclusion": "False"},
    ],
)
def test_holes_are_cut_out_wherever_they_stand(write_json, mark):
    whole = read_lidc(write_json(document(contour(0.0)))).geometry
    made = document(contour(0.0, MIDDLE, **mark), contour(0.0))
    cut = read_lidc(write_json(made)).geometry
    gone = whole.crops[1][0] & ~cut.crops[1][0]
    assert gone.any()
    assert not gone[0].any()


@pytest.mark.parametrize("mark", [{"hole": False}, {"inclusion": "TRUE"}])
def test_other_contours_are_not(write_json, mark):
    made = document(contour(0.0), contour(0.0, MIDDLE, **mark))
    assert read_lidc(write_json(made)).geometry.crops[1].all()


def test_z_may_be_text_as_in_the_xml(write_json):
    made = document(contour("-10"), contour("1e1"))
    assert read_lidc(write_json(made), grid=(5, 8, 8)).geometry.sizes()[1, 0] == 5


def test_short_contours_count_for_the_range_only(write_json):
    made = document(contour(0.0), contour(40.0, [[3, 3]]))
    read = read_lidc(write_json(made), grid=(5, 8, 8)).geometry
    assert read.sizes()[1, 0] == 1
    made = document(contour(0.0), contour(-40.0, [[3, 3]]))
    read = read_lidc(write_json(made), grid=(5, 8, 8)).geometry
    assert read.corner[1, 0] == 4


def test_scans_without_nodules_are_read(write_json):
    made = document()
    made["1.2.3"]["annotators"] = {"session_1": [], "session_2": []}
    read = read_lidc(write_json(made))
    assert len(read) == 0
    assert read.assigned.all()


def test_the_file_is_not_changed(write_json):
    path = write_json(document())
    before = path.read_bytes()
    first, second = (read_lidc(path).geometry for _ in range(2))
    assert path.read_bytes() == before
    assert np.array_equal(first.corner, second.corner)


def test_z_may_span_all_numbers(write_json):
    made = document(contour(-1.7e308), contour(1.7e308))
    assert read_lidc(write_json(made), grid=(5, 8, 8)).geometry.sizes()[1, 0] == 5


@pytest.mark.parametrize("grid", [(8, 8), (8, 0, 8), (8, 8.0, 8), 8, None])
def test_grids_are_checked(write_json, grid):
    with pytest.raises(KalosError, match="grid must be three positive whole numbers"):
        read_lidc(write_json(document()), grid=grid)


NODULE = "annotation 'session_2/0' (image '1.2.3') "

BAD = [
    ([1], "the top level must be an object"),
    ({"1.2.3": []}, "image '1.2.3' must be an object, got []"),
    ({"1.2.3": {"height": 9}}, "image '1.2.3' has no 'width'"),
    ({"1.2.3": {"width": 9, "height": 0}}, "image '1.2.3' must have a positive"),
    ({"1.2.3": {"width": 9, "height": 9}}, "image '1.2.3' has no 'annotators'"),
    (
        {"1.2.3": {"width": 9, "height": 9, "annotators": []}},
        "annotators of image '1.2.3' must be an object",
    ),
    (
        {"1.2.3": {"width": 9, "height": 9, "annotators": {"s": {}}}},
        "the nodules of 's' in image '1.2.3' must be a list",
    ),
    (
        {"1.2.3": {"width": 9, "height": 9, "annotators": {"s": [3]}}},
        "number 0 of the nodules of 's' in image '1.2.3' must be an object",
    ),
    (
        {"1.2.3": {"width": 9, "height": 9, "annotators": {"s": [{}]}}},
        "annotation 's/0' (image '1.2.3') has no 'contours'",
    ),
    (document(4), NODULE + "must have contours with z_position and points, got 4"),
    (document({"z_position": 1}), NODULE + "must have contours with z_position"),
    (document({"points": SQUARE}), NODULE + "has a contour with no 'z_position'"),
    (document(contour("low")), NODULE + "must have a z_position of finite numbers"),
    (document(contour("1_0")), NODULE + "must have a z_position of finite numbers"),
    (document(contour("nan")), NODULE + "must have a z_position of finite numbers"),
    (document(contour(math.inf)), NODULE + "must have a z_position of finite numbers"),
    (document(contour(0, [[1, 2, 3]])), NODULE + "must have points [x, y], got"),
    (document(contour(0, [[1, 2], 3])), NODULE + "must have points [x, y], got 3"),
    (
        document(contour(0, [*SQUARE, [math.nan, 1]])),
        NODULE + "must have contours of finite numbers, got nan",
    ),
    (document(contour(0, [*SQUARE, ["1", 1]])), NODULE + "must have contours of fini"),
    (
        document(contour(0), contour(0, [*SQUARE, [1, 101]])),
        NODULE + "must have contours inside the slice, got the point [1.0, 101.0]",
    ),
    (document(contour(0, hole="yes")), NODULE + "must have true or false as hole"),
    (document(contour(0, inclusion=0)), NODULE + "must have true or false as hole"),
]


@pytest.mark.parametrize(("made", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_files_are_refused_with_file_and_place(write_json, made, message):
    with pytest.raises(AnnotationError) as raised:
        read_lidc(write_json(made))
    assert f"x.json': {message}" in str(raised.value)
    if message.startswith(NODULE):
        assert raised.value.image == "1.2.3"
        assert raised.value.annotation_id == "session_2/0"
