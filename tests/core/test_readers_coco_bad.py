"""COCO-style files that cannot be read, and what is said about them."""

import math

import pytest
from coco_documents import change, document, sessions

from kalos_core import AnnotationError, Configuration, compute_agreement, read_coco


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
def test_text_that_is_no_document(write_json, text, message):
    with pytest.raises(AnnotationError) as raised:
        read_coco(write_json(text))
    assert f"x.json': {message}" in str(raised.value)


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b'{"images": "\xff"}')
    with pytest.raises(AnnotationError, match=r"x\.json': must be text in UTF-8"):
        read_coco(path)


IMAGE = ("images", 0)
FIRST = ("annotations", 0)
BOX = "annotation '11' (image 'b.jpg') "

BAD = [
    (change("images", remove=True), "the top level has no 'images'"),
    (change("annotations", remove=True), "the top level has no 'annotations'"),
    (change("categories", remove=True), "the top level has no 'categories'"),
    (change("categories", to=[]), BOX + "has category '2', expected one of []"),
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
    (change(*FIRST, "id", remove=True), "annotations[0] (image 'b.jpg') has no 'id'"),
    (
        change(*FIRST, "id", to=None),
        "annotations[0] (image 'b.jpg') is wrong: its id must be a whole number or te",
    ),
    (change(*FIRST, to={"image_id": []}), "annotations[0] has no 'id'"),
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
    (
        change(*IMAGE, "width", to=1e-320),
        "(image 'b.jpg') must have a box of four finite numbers, got [inf",
    ),
    (
        change(*FIRST, "bbox", to=[20, 10, 1e-18, 5]),
        BOX + "must have a box that is not too small for numbers to tell its corners",
    ),
    (
        change(*FIRST, "bbox", to=[0, 0, 1e200, 1e200]),
        BOX + "must have coordinates of at most 1e+100 image sizes, got [0, 0, 5e+197,",
    ),
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
    (
        [[1, 1, 2, 2, 3, 3]],
        "must have a polygon with an area, got one that encloses nothing",
    ),
    ([[0, 0, 1e200, 0, 0, 1e200]], "must have coordinates of at most 1e+100 image si"),
    (
        {"counts": "abc", "size": [100, 200]},
        "has a mask (RLE) as segmentation, and masks are not read from COCO yet; "
        "convert it to polygons, or read shapes='boxes'",
    ),
]

BAD_KEYPOINTS = [
    ([1, 2, 2], "of as many joints as the first annotation (6 numbers), got 3"),
    ([1, 2, 2], "got 3 numbers; the first is '11' (image 'b.jpg')"),
    ([1, 2, 2, 3], "must have keypoints x, y, v of each joint, got 4 numbers"),
    ([1, 2, 2, 3, 4, 5], "a visibility v of 0, 1 or 2, got 5 for joint 1"),
    ([1, 2, -1, 3, 4, 5], "a visibility v of 0, 1 or 2, got -1 for joint 0"),
    ([1, 2, 0.5, 3, 4, 2], "a visibility v of 0, 1 or 2, got 0.5 for joint 0"),
    ([1, 2, 2, math.nan, 2, 0], "must have keypoints of finite numbers, got nan"),
    ([1, 2, 2, 1, 2, "2"], "must have keypoints of finite numbers, got '2'"),
    (7, "must have a list as keypoints, got 7"),
]


def refused(path, shapes):
    with pytest.raises(AnnotationError) as raised:
        read_coco(path, shapes=shapes)
    return raised.value


@pytest.mark.parametrize(("spoil", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_files_are_refused_with_file_and_place(write_json, spoil, message):
    made = document()
    spoil(made)
    error = refused(write_json(made), "boxes")
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
def test_bad_shapes_are_refused(write_json, shapes, key, value, message):
    made = document()
    made["annotations"][1][key] = value
    error = refused(write_json(made), shapes)
    assert "x.json': annotation '12' (image 'b.jpg') " in str(error)
    assert message in str(error)
    assert (error.image, error.annotation_id) == ("b.jpg", "12")


@pytest.mark.parametrize("keypoints", [[], [1, 2, 2, 3]])
def test_keypoints_come_in_threes(write_json, keypoints):
    made = document()
    for entry in made["annotations"]:
        entry["keypoints"] = keypoints
    error = refused(write_json(made), "keypoints")
    assert f"x, y, v of each joint, got {len(keypoints)} numbers" in str(error)
    assert "first" not in str(error)


def test_a_missing_session_is_an_error(write_json):
    made = sessions({"ana": [1, 2]})
    del made["annotations"][0]["session_id"]
    error = refused(write_json(made), "boxes")
    assert "x.json': annotation '11' (image 'b.jpg') has no 'session_id'" in str(error)


def test_what_is_found_while_computing_names_the_file_too(write_json):
    made = document()
    for entry in made["annotations"]:
        entry["keypoints"] = [20, 10, 0, 0, 0, 0]
    read = read_coco(write_json(made), shapes="keypoints")
    with pytest.raises(AnnotationError) as raised:
        compute_agreement(read, Configuration("keypoint_mpjpe"))
    message = str(raised.value)
    assert message.startswith("file '")
    assert "x.json': distance 'keypoint_mpjpe' between annotations '12' and" in message
    assert "(image 'b.jpg')" in message


def test_sessions_need_a_rater_list_that_has_them(write_json):
    made = sessions(["ana", "kim"])
    error = refused(write_json(made), "boxes")
    assert (
        "x.json': annotation '12' (image 'b.jpg') has session_id '2' and another one "
        "by rater 'ana' has '1'; the rater_list of the image must then be an object"
    ) in str(error)
    assert (error.image, error.annotation_id) == ("b.jpg", "12")


@pytest.mark.parametrize("values", [(1, 1), (None, None), (1, None), (1, "1")])
def test_sessions_that_tell_nothing_apart_are_no_fault(write_json, values):
    made = sessions(["ana", "kim"])
    for entry, value in zip(made["annotations"], values, strict=True):
        entry["session_id"] = value
    assert read_coco(write_json(made)).raters == ("ana", "kim")
