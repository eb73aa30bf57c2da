"""YOLO folders: labels of several raters and the names of classes beside them."""

import numpy as np
import pytest

from kalos_core import AnnotationError, read_yolo


@pytest.fixture
def write(tmp_path):
    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def files(**changes):
    """Return ana's two files, one of them empty, and kim's one."""
    return {
        "data.yaml": "nc: 2\nnames: [dog, cat]\n",
        "ana/002.txt": "",
        "ana/001.txt": "0 0.5 0.5 0.2 0.4\n\n1 0.25 0.25 0.1 0.1\n",
        "kim/001.txt": "1 0.5 0.5 0.2 0.4",
    } | changes


def test_names_boxes_and_assignment(write):
    made = read_yolo(write(files()))
    assert made.images == ("001", "002")
    assert made.raters == made.identity == ("ana", "kim")
    assert made.classes == ("cat", "dog")
    assert made.assigned.tolist() == [[True, True], [True, False]]
    assert made.annotation_id.tolist() == [
        "ana/001.txt:1",
        "ana/001.txt:3",
        "kim/001.txt:1",
    ]
    assert made.label.tolist() == [1, 0, 0]
    assert made.geometry.xywh[1].tolist() == [0.25 - 0.05, 0.25 - 0.05, 0.1, 0.1]
    assert made.geometry.xywh[2].tolist() == [0.4, 0.3, 0.2, 0.4]


def test_sessions_are_raters_with_one_identity(write):
    made = read_yolo(
        write({f"{folder}/1.txt": "" for folder in ("ana_S1", "ana_S2", "kim_Smith")})
    )
    assert made.raters == ("ana (S1)", "ana (S2)", "kim_Smith")
    assert made.identity == ("ana", "ana", "kim_Smith")


def test_without_data_yaml_numbers_are_the_names(write):
    made = files()
    del made["data.yaml"]
    assert read_yolo(write(made)).classes == ("0", "1")


def test_names_may_lie_with_the_raters(write):
    made = files()
    text = made.pop("data.yaml")
    made |= {"ana/data.yaml": text, "kim/data.yaml": "names:\n- dog\n- cat\n"}
    assert read_yolo(write(made)).classes == ("cat", "dog")


@pytest.mark.parametrize("place", ["classes.txt", "ana/classes.txt"])
def test_names_may_be_listed_as_labelimg_does(write, place):
    made = files(**{place: "dog\ncat\n\n"})
    del made["data.yaml"]
    read = read_yolo(write(made))
    assert read.images == ("001", "002")
    assert read.classes == ("cat", "dog")
    assert read.label.tolist() == [1, 0, 0]


def test_the_folder_of_all_decides_the_names(write):
    made = files(**{"ana/classes.txt": "person\nbike", "names/classes.txt": "x"})
    read = read_yolo(write(made))
    assert read.classes == ("cat", "dog")
    assert read.raters == ("ana", "kim")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"kim/classes\.txt: line 1: must be the name of a class, got nothing"),
        ("dog\n\ncat", r"kim/classes\.txt: line 2: must be the name of a class"),
        ("cat\ndog", r"same names, got .* in kim/classes\.txt; one data\.yaml beside"),
        ("dog\ndog", r"kim/classes\.txt: classes must be unique, got 'dog' twice"),
    ],
)
def test_lists_of_names_are_checked(write, text, message):
    made = files(**{"ana/classes.txt": "dog\ncat", "kim/classes.txt": text})
    del made["data.yaml"]
    with pytest.raises(AnnotationError, match=message):
        read_yolo(write(made))


def test_boxes_may_leave_the_image_a_little(write):
    made = files(**{"ana/001.txt": "0 0.95 1.0001 0.2 1.1\n0 -0.01 0.5 0.1 0.1"})
    assert len(read_yolo(write(made))) == 3


def test_folders_without_text_are_nobody(write):
    made = files(**{"images/001.jpg": "", ".git/HEAD.txt": ""})
    assert read_yolo(write(made)).raters == ("ana", "kim")


def test_files_are_not_changed(write):
    path = write(files())
    first, second = (read_yolo(path).geometry.xywh for _ in range(2))
    assert np.array_equal(first, second)
    for name, text in files().items():
        assert (path / name).read_text() == text


BAD = [
    ({"ana/001.txt": "0 0.5 0.5 0.2 0.4\n0 0.5 0.5 0.2"}, "ana/001.txt, line 2 (image"),
    ({"ana/001.txt": "0 0.5 0.5 0.2"}, "must have five numbers: class, x centre"),
    ({"ana/001.txt": "0 0.5 0.5 0.2 0.4 0.9"}, "got '0 0.5 0.5 0.2 0.4 0.9'"),
    ({"ana/001.txt": "dog 0.5 0.5 0.2 0.4"}, "ana/001.txt, line 1 (image '001') must"),
    (
        {"ana/001.txt": "0 nan 0.5 0.2 0.4"},
        "'ana/001.txt:1' (image '001') must have a box of finite numbers, got nan",
    ),
    (
        {"ana/001.txt": "0 0.5 0.5 0 0.4"},
        "annotation 'ana/001.txt:1' (image '001') must have a box of positive width",
    ),
    ({"ana/001.txt": "2 0.5 0.5 0.2 0.4"}, "must have as class one of [0, 1], got 2"),
    (
        {"ana/001.txt": "0.5 0.5 0.5 0.2 0.4"},
        "must have as class one of [0, 1], got 0.",
    ),
    (
        {"ana/001.txt": "nan 0.5 0.5 0.2 0.4"},
        "must have as class one of [0, 1], got na",
    ),
    ({"ana/001.txt": "-1 0.5 0.5 0.2 0.4"}, "must have as class one of [0, 1], got -1"),
    ({"ana/001.txt": "0 0.5 0.5 1_0 0.4"}, "must have five numbers: class, x centre"),
    ({"ana/001.txt": "1_0 0.5 0.5 0.2 0.4"}, "must have five numbers: class, x centre"),
    ({"ana/001.txt": "٠ 0.5 0.5 0.2 0.4"}, "must have five numbers: class, x centre"),
    (
        {"ana/001.txt": "0 0.5 0.5 0.1 0.1\n0 320 240 64 48"},
        "annotation 'ana/001.txt:2' (image '001') must have a box relative to the "
        "image, with numbers from 0 to 1, got [320.0, 240.0, 64.0, 48.0], which is",
    ),
    ({"ana/001.txt": "0 1.5 0.5 0.2 0.4"}, "relative to the image"),
    ({"ana/001.txt": "0 0.5 -0.3 0.2 0.4"}, "relative to the image"),
    ({"ana/001.txt": "0 0.5 0.5 2.1 0.4"}, "relative to the image"),
    ({"ana/001.txt": "0 1e200 1e200 1e300 1e300"}, "relative to the image"),
    ({"ana/001.txt": "0 0.5 0.5 1e-18 0.4"}, "a box that is not too small"),
    ({"data.yaml": "nc: 2"}, "data.yaml: must have one entry 'names:', got 0"),
    ({"data.yaml": "names: 2"}, "data.yaml: line 1: names must be a list [a, b], "),
    ({"data.yaml": "names: [a, a]"}, "data.yaml: classes must be unique, got 'a' twi"),
    ({"eve/labels/001.txt": ""}, "must lie directly in the folder of their rater"),
    ({"ana_S1/1.txt": "", "ana (S1)/1.txt": ""}, "two folders stand for rater"),
]


@pytest.mark.parametrize(("made", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_folders_are_refused_with_file_and_line(write, made, message):
    path = write(files(**made))
    with pytest.raises(AnnotationError) as raised:
        read_yolo(path)
    assert str(raised.value).startswith(f"folder '{path}': ")
    assert message in str(raised.value)


def test_negative_classes_are_refused_without_names_too(write):
    path = write({"ana/1.txt": "-1 0.5 0.5 0.2 0.4"})
    with pytest.raises(
        AnnotationError, match=r"as class a whole number from 0, got -1"
    ):
        read_yolo(path)


def test_names_of_raters_must_be_the_same(write):
    made = files(**{"ana/data.yaml": "names: [a, b]", "kim/data.yaml": "names: [b, a]"})
    del made["data.yaml"]
    with pytest.raises(AnnotationError, match=r"same names, got .* in kim/data\.yaml"):
        read_yolo(write(made))


def test_other_encodings_are_refused(write):
    path = write(files())
    (path / "kim" / "001.txt").write_bytes(b"\xff")
    with pytest.raises(AnnotationError, match=r"kim/001\.txt must be text in UTF-8"):
        read_yolo(path)


@pytest.mark.parametrize(
    ("name", "message"), [("none", "is not a folder"), ("", "has")]
)
def test_there_must_be_a_rater(tmp_path, name, message):
    with pytest.raises(AnnotationError, match=rf"^folder '.*': {message}"):
        read_yolo(tmp_path / name)
