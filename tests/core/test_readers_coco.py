"""COCO-style files: what is read, and what is said about files that cannot be."""

import json
import math
import warnings

import numpy as np
import pytest

from kalos_core import AnnotationError, KalosError, KalosWarning, read_coco


def document():
    """Return two images; ana and kim see the first, only kim the second."""
    return {
        "images": [
            {
                "id": 7,
                "file_name": "b.jpg",
                "width": 200,
                "height": 100,
                "rater_list": ["kim", "ana"],
            },
            {
                "id": 3,
                "file_name": "a.jpg",
                "width": 100,
                "height": 50,
                "rater_list": ["kim"],
            },
        ],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "cat"}],
        "annotations": [
            annotation(11, rater_id="kim", category_id=2),
            annotation(12, rater_id="ana", bbox=[30, 20, 40, 50]),
        ],
    }


def annotation(number, **changes):
    return {
        "id": number,
        "image_id": 7,
        "category_id": 1,
        "rater_id": "kim",
        "bbox": [20, 10, 50, 25],
        "segmentation": [[20, 10, 70, 10, 70, 35]],
        "keypoints": [20, 10, 2, 0, 0, 0],
    } | changes


def sessions(rater_list):
    made = document()
    made["images"][0]["rater_list"] = rater_list
    for number, entry in enumerate(made["annotations"]):
        entry |= {"rater_id": "ana", "session_id": number + 1}
    return made


@pytest.fixture
def write(tmp_path):
    def write(made, name="x.json"):
        path = tmp_path / name
        path.write_text(made if isinstance(made, str) else json.dumps(made))
        return path

    return write


def test_names_order_and_assignment(write):
    made = read_coco(write(document()))
    assert made.images == ("b.jpg", "a.jpg")
    assert made.raters == made.identity == ("ana", "kim")
    assert made.classes == ("cat", "dog")
    assert made.assigned.tolist() == [[True, True], [False, True]]
    assert made.annotation_id.tolist() == ["12", "11"]
    assert made.rater.tolist() == [0, 1]
    assert made.label.tolist() == [1, 0]


def test_boxes_are_relative_to_the_image(write):
    made = read_coco(str(write(document())))
    assert made.geometry.xywh.tolist() == [
        [30 / 200, 20 / 100, 40 / 200, 50 / 100],
        [20 / 200, 10 / 100, 50 / 200, 25 / 100],
    ]


def test_parts_of_a_polygon_are_united(write):
    one, two = [0, 0, 20, 0, 20, 10, 0, 10], [10, 0, 40, 0, 40, 10, 10, 10]
    made = document()
    made["annotations"][0]["segmentation"] = [one, two]
    read = read_coco(write(made), shapes="polygons")
    assert read.geometry.shapes[1].area == pytest.approx(40 * 10 / (200 * 100))
    assert read.geometry.shapes[0].area == pytest.approx(50 * 25 / 2 / (200 * 100))


def test_keypoints_are_visible_from_one_on(write):
    made = document()
    made["annotations"][1]["keypoints"] = [40, 30, 1, 60, 20, 0]
    read = read_coco(write(made), shapes="keypoints")
    assert read.geometry.visible.tolist() == [[True, False], [True, False]]
    assert read.geometry.xy[:, 0].tolist() == [[0.2, 0.3], [0.1, 0.1]]


def test_sessions_are_raters_with_one_identity(write):
    made = sessions({"ana": [1, 2], "kim": ["2"]})
    read = read_coco(write(made))
    assert read.raters == ("ana (S1)", "ana (S2)", "kim", "kim (S2)")
    assert read.identity == ("ana", "ana", "kim", "kim")
    assert read.assigned.tolist() == [[1, 1, 0, 1], [0, 0, 1, 0]]
    assert read.rater.tolist() == [0, 1]


def test_file_names_that_are_not_unique_give_way_to_ids(write):
    made = document()
    made["images"][1]["file_name"] = "b.jpg"
    assert read_coco(write(made)).images == ("7", "3")


@pytest.mark.parametrize("categories", [None, []])
def test_without_categories_their_ids_are_the_classes(write, categories):
    made = document() | {"categories": categories}
    if categories is None:
        del made["categories"]
    assert read_coco(write(made)).classes == ("1", "2")


def test_numbers_as_raters_become_text(write):
    made = document()
    made["images"][0]["rater_list"] = [10, 2]
    for entry, rater in zip(made["annotations"], (2, 10), strict=True):
        entry["rater_id"] = rater
    assert read_coco(write(made)).raters == ("10", "2", "kim")


@pytest.mark.parametrize("shapes", ["boxes", "polygons", "keypoints"])
def test_files_without_annotations_are_read(write, shapes):
    read = read_coco(write(document() | {"annotations": []}), shapes=shapes)
    assert len(read) == 0
    assert read.n_images == 2


@pytest.mark.parametrize("shapes", ["boxes", "polygons", "keypoints"])
def test_the_file_is_not_changed(write, shapes):
    path = write(document())
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


def test_unassigned_raters_are_an_error(write):
    with pytest.raises(AnnotationError) as raised:
        read_coco(write(with_strays()))
    message = str(raised.value)
    assert "x.json': annotation '15' (image 'b.jpg') is by rater 'eve'" in message
    assert (raised.value.image, raised.value.annotation_id) == ("b.jpg", "15")


def test_unassigned_raters_are_dropped_with_a_warning(write):
    match = r"x\.json': dropped 3 annotations .*: 'ana' \(1\), 'eve' \(2\)"
    with pytest.warns(KalosWarning, match=match) as caught:
        read = read_coco(write(with_strays()), on_unassigned="drop")
    assert caught[0].filename == __file__
    assert read.annotation_id.tolist() == ["12", "11"]
    assert read.raters == ("ana", "kim")


def test_no_warning_where_nothing_is_dropped(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_coco(write(document()), on_unassigned="drop")) == 2


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


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(AnnotationError, match=r"none\.json': cannot be read: No such"):
        read_coco(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"images": [\n  {"id": 1,}\n]}', "is not valid JSON at line 2, column "),
        ("", "is not valid JSON at line 1, column 1"),
        ("[1, 2]", "the top level must be an object, got [1, 2]"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_text_that_is_no_document(write, text, message):
    with pytest.raises(AnnotationError) as raised:
        read_coco(write(text))
    assert f"x.json': {message}" in str(raised.value)


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b'{"images": "\xff"}')
    with pytest.raises(AnnotationError, match=r"x\.json': must be text in UTF-8"):
        read_coco(path)


def change(*keys, to=None, remove=False):
    """Return a function that sets or removes a value deep in a document."""

    def apply(made):
        *path, last = keys
        for key in path:
            made = made[key]
        if remove:
            del made[last]
        else:
            made[last] = to

    return apply


IMAGE = ("images", 0)
FIRST = ("annotations", 0)
BOX = "annotation '11' (image 'b.jpg') "

BAD = [
    (change("images", remove=True), "the top level has no 'images'"),
    (change("annotations", remove=True), "the top level has no 'annotations'"),
    (change("images", to={}), "'images' must be a list, got {}"),
    (change("images", 1, to=5), "images[1] must be an object, got 5"),
    (change(*IMAGE, "id", remove=True), "images[0] has no 'id'"),
    (change(*IMAGE, "file_name", remove=True), "images[0] (id 7) has no 'file_name'"),
    (change(*IMAGE, "file_name", to=4), "images[0] must have text as file_name, got 4"),
    (change(*IMAGE, "id", to=1.5), "images[0] must be a whole number or text, got 1.5"),
    (change(*IMAGE, "id", to=3), "image id '3' appears twice"),
    (change(*IMAGE, "width", remove=True), "image 'b.jpg' has no 'width'"),
    (change(*IMAGE, "height", to=0), "'b.jpg' must have a positive height, got 0"),
    (change(*IMAGE, "width", to=-4), "'b.jpg' must have a positive width, got -4"),
    (change(*IMAGE, "width", to="200"), "must have a positive width, got '200'"),
    (change(*IMAGE, "width", to=math.nan), "must have a positive width, got nan"),
    (change(*IMAGE, "rater_list", remove=True), "image 'b.jpg' has no 'rater_list'"),
    (
        change(*IMAGE, "rater_list", to="ana"),
        "the rater_list of image 'b.jpg' must be a list of raters, or an object of "
        "raters and their sessions, got 'ana'",
    ),
    (
        change(*IMAGE, "rater_list", to=["ana", "ana"]),
        "the rater_list of image 'b.jpg' names 'ana' twice",
    ),
    (
        change(*IMAGE, "rater_list", to={"ana": 2}),
        "the sessions of 'ana' in the rater_list of image 'b.jpg' must be a list",
    ),
    (change(*IMAGE, "rater_list", to=[None]), "must be a whole number or text"),
    (change("categories", 1, "id", to=1), "category id '1' appears twice"),
    (change("categories", 1, "name", to="dog"), "classes must be unique, got 'dog'"),
    (
        change("categories", 1, "name", remove=True),
        "categories[1] (id 2) has no 'name'",
    ),
    (change("categories", 0, "id", to=-1), "category id -1 (name 'dog') is reserved"),
    (change(*FIRST, to=None), "annotations[0] must be an object, got None"),
    (change(*FIRST, "id", remove=True), "annotations[0] has no 'id'"),
    (
        change(*FIRST, "image_id", remove=True),
        "annotations[0] (id 11) has no 'image_id'",
    ),
    (
        change(*FIRST, "image_id", to=99),
        "annotation '11' is of image '99', which is not among the 2 images",
    ),
    (change(*FIRST, "image_id", to=[]), "the image_id of annotation '11' must be"),
    (change(*FIRST, "id", to=12), "'12' (image 'b.jpg') has the id of another one"),
    (change(*FIRST, "rater_id", remove=True), BOX + "has no 'rater_id'"),
    (change(*FIRST, "rater_id", to=None), BOX + "is wrong: its rater_id must be"),
    (change(*FIRST, "category_id", remove=True), BOX + "has no 'category_id'"),
    (change(*FIRST, "category_id", to=-1), BOX + "has category -1, which is reserved"),
    (change(*FIRST, "category_id", to=8), BOX + "has category '8', expected one of"),
    (change(*FIRST, "bbox", remove=True), BOX + "has no 'bbox'"),
    (change(*FIRST, "bbox", to="1 2 3 4"), BOX + "must have a list as bbox"),
    (
        change(*FIRST, "bbox", to=[1, 2, 3]),
        BOX + "must have a bbox of x, y, width and height, got [1, 2, 3]",
    ),
    (
        change(*FIRST, "bbox", to=[1, 2, math.nan, 4]),
        BOX + "must have a bbox of finite numbers, got nan",
    ),
    (change(*FIRST, "bbox", to=[math.inf, 2, 3, 4]), BOX + "must have a bbox of fini"),
    (change(*FIRST, "bbox", to=[1, 2, "3", 4]), "finite numbers, got '3'"),
    (change(*FIRST, "bbox", to=[1, 2, True, 4]), "finite numbers, got True"),
    (change(*FIRST, "bbox", to=[1, 2, None, 4]), "finite numbers, got None"),
    (change(*FIRST, "bbox", to=[10**400, 2, 3, 4]), BOX + "must have a bbox of finite"),
    (
        change(*FIRST, "bbox", to=[1, 2, 0, 4]),
        BOX + "must have a box of positive width",
    ),
    (
        change(*FIRST, "bbox", to=[1, 2, 3, -4]),
        BOX + "must have a box of positive width",
    ),
]

BAD_POLYGONS = [
    (None, "must have a list as segmentation, got None"),
    ([], "must have a polygon, got no part"),
    ([[1, 2, 3, 4]], "at least three points, got 4 coordinates: [1, 2, 3, 4]"),
    ([[1, 2, 3, 4, 5, 6, 7]], "at least three points, got 7 coordinates"),
    ([1, 2, 3, 4, 5, 6], "at least three points, got 1"),
    ([[1, 2, 3, 4, 5, math.inf]], "must have polygons of finite numbers, got inf"),
    ([[1, 2, 3, 4, 5, "6"]], "must have polygons of finite numbers, got '6'"),
    ([[1, 1, 2, 2, 3, 3]], "must have a polygon with an area"),
    (
        {"counts": "abc", "size": [100, 200]},
        "has a mask (RLE) as segmentation, and masks are not read from COCO yet; "
        "convert it to polygons, or read shapes='boxes'",
    ),
]

BAD_KEYPOINTS = [
    ([1, 2, 2], "of as many joints as the first annotation (6 numbers), got 3"),
    ([1, 2, 2, 3], "got 4 numbers"),
    ([1, 2, 2, math.nan, 2, 0], "must have keypoints of finite numbers, got nan"),
    ([1, 2, 2, 1, 2, "2"], "must have keypoints of finite numbers, got '2'"),
    (7, "must have a list as keypoints, got 7"),
]


def refused(path, shapes):
    with pytest.raises(AnnotationError) as raised:
        read_coco(path, shapes=shapes)
    return raised.value


@pytest.mark.parametrize(("spoil", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_files_are_refused_with_file_and_place(write, spoil, message):
    made = document()
    spoil(made)
    error = refused(write(made), "boxes")
    assert str(error).startswith("file '")
    assert "x.json': " in str(error)
    assert message in str(error)
    if message.startswith(BOX):
        assert (error.image, error.annotation_id) == ("b.jpg", "11")


@pytest.mark.parametrize(
    ("shapes", "key", "value", "message"),
    [("polygons", "segmentation", *case) for case in BAD_POLYGONS]
    + [("keypoints", "keypoints", *case) for case in BAD_KEYPOINTS],
)
def test_bad_shapes_are_refused(write, shapes, key, value, message):
    made = document()
    made["annotations"][1][key] = value
    error = refused(write(made), shapes)
    assert "x.json': annotation '12' (image 'b.jpg') " in str(error)
    assert message in str(error)
    assert (error.image, error.annotation_id) == ("b.jpg", "12")


@pytest.mark.parametrize("keypoints", [[], [1, 2, 2, 3]])
def test_keypoints_come_in_threes(write, keypoints):
    made = document()
    for entry in made["annotations"]:
        entry["keypoints"] = keypoints
    error = refused(write(made), "keypoints")
    assert "must have keypoints x, y, v" in str(error)


def test_a_missing_session_is_an_error(write):
    made = sessions({"ana": [1, 2]})
    del made["annotations"][0]["session_id"]
    error = refused(write(made), "boxes")
    assert "x.json': annotation '11' (image 'b.jpg') has no 'session_id'" in str(error)
