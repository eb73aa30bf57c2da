"""Plain COCO, a file per rater: what is read of them, and what is refused."""

import json

import pytest
from coco_documents import annotation, change, document

from kalos_core import (
    AnnotationError,
    Configuration,
    KalosError,
    compute_agreement,
    read_coco,
    read_coco_per_rater,
)


def plain(*images, **changes):
    """Return a document without raters; ``images`` are the file names it lists."""
    made = document()
    for entry in made["images"]:
        del entry["rater_list"]
    made["images"] = [e for e in made["images"] if e["file_name"] in images]
    made["annotations"] = [
        {key: value for key, value in entry.items() if key != "rater_id"}
        for entry in (annotation(1, **changes), annotation(2, category_id=2, **changes))
        if "b.jpg" in images
    ]
    return made


@pytest.fixture
def write(tmp_path):
    def write(**files):
        folder = tmp_path / "raters"
        folder.mkdir(exist_ok=True)
        for name, made in files.items():
            text = made if isinstance(made, str) else json.dumps(made)
            (folder / f"{name}.json").write_text(text)
        return folder

    return write


def refused(path, **options):
    with pytest.raises(AnnotationError) as raised:
        read_coco_per_rater(path, **options)
    return str(raised.value)


def test_raters_are_files_and_assigned_to_the_images_they_list(write):
    made = read_coco_per_rater(write(kim=plain("b.jpg", "a.jpg"), ana=plain("b.jpg")))
    assert made.raters == made.identity == ("ana", "kim")
    assert made.images == ("b.jpg", "a.jpg")
    assert made.assigned.tolist() == [[True, True], [False, True]]
    assert made.classes == ("cat", "dog")
    ids = ["ana.json:1", "ana.json:2", "kim.json:1", "kim.json:2"]
    assert made.annotation_id.tolist() == ids


def test_they_equal_one_file_that_names_the_raters(write, write_json):
    together = document()
    together["annotations"].append(annotation(13, image_id=3, bbox=[1, 2, 30, 40]))
    whole = read_coco(write_json(together), shapes="polygons")
    files = {}
    for rater in whole.raters:
        apart = document()
        listing = [e for e in apart["images"] if rater in e["rater_list"]]
        own = [{**e} for e in together["annotations"] if e["rater_id"] == rater]
        apart |= {"images": listing, "annotations": own}
        for entry in (*listing, *own):
            entry.pop("rater_list", None)
            entry.pop("rater_id", None)
        files[rater] = apart
    parts = read_coco_per_rater(write(**files), shapes="polygons")
    by_name = Configuration("polygon_iou", tau=0.7)
    one, other = (compute_agreement(made, by_name) for made in (whole, parts))
    order = [parts.images.index(name) for name in whole.images]
    assert other.alpha[order] == pytest.approx(one.alpha, nan_ok=True)
    assert other.mean_alpha == pytest.approx(one.mean_alpha)


def test_images_and_classes_are_joined_by_name_not_by_id(write):
    other = plain("b.jpg")
    other["images"][0]["id"] = "image 1"
    for entry in other["annotations"]:
        entry["image_id"] = "image 1"
    other["categories"] = [{"id": 2, "name": "dog"}, {"id": 1, "name": "cat"}]
    made = read_coco_per_rater(write(ana=plain("b.jpg"), ben=other))
    assert made.n_images == 1
    assert [made.classes[n] for n in made.label] == ["dog", "cat", "cat", "dog"]


def test_sessions_have_one_identity(write):
    files = {"ana_S1": plain("b.jpg"), "ana_S2": plain("b.jpg"), "ben": plain("b.jpg")}
    made = read_coco_per_rater(write(**files))
    assert made.raters == ("ana (S1)", "ana (S2)", "ben")
    assert made.identity == ("ana", "ana", "ben")


def test_files_may_be_listed(write, tmp_path):
    folder = write(ana=plain("b.jpg"), ben=plain("b.jpg"), cho=plain("b.jpg"))
    listed = [str(folder / "cho.json"), folder / "ana.json"]
    assert read_coco_per_rater(listed).raters == ("ana", "cho")
    elsewhere = tmp_path / "ana.json"
    elsewhere.write_text(json.dumps(plain("b.jpg")))
    with pytest.raises(KalosError, match="two files are named 'ana'"):
        read_coco_per_rater([*listed, elsewhere])


def test_a_rater_who_drew_nothing_needs_no_categories(write):
    empty = plain("b.jpg") | {"annotations": [], "categories": []}
    made = read_coco_per_rater(write(ana=plain("b.jpg"), ben=empty))
    assert made.assigned.all()
    assert set(made.rater.tolist()) == {0}


@pytest.mark.parametrize("shapes", ["boxes", "polygons", "keypoints"])
def test_files_without_annotations_are_read(write, shapes):
    empty = plain("b.jpg") | {"annotations": []}
    made = read_coco_per_rater(write(ana=empty, ben=empty), shapes=shapes)
    assert len(made) == 0
    assert made.assigned.all()


def test_files_without_images_are_read(write):
    made = read_coco_per_rater(write(ana=plain(), ben=plain()))
    assert (made.n_images, made.raters) == (0, ())


BAD = [
    (change("images", remove=True), "the top level has no 'images'"),
    (change("annotations", to=5), "'annotations' must be a list, got 5"),
    (change("annotations", 1, to="x"), "annotations[1] must be an object, got 'x'"),
    (change("images", 0, "file_name", remove=True), "has no 'file_name'"),
    (change("images", 0, "width", to=0), "'b.jpg' must have a positive width, got 0"),
    (change("images", 0, "rater_list", to=["ana"]), "images[0] has 'rater_list', so"),
    (change("annotations", 0, "rater_id", to=1), "annotations[0] has 'rater_id', so"),
    (change("annotations", 0, "image_id", to=9), "annotation '1' is of image '9'"),
    (change("annotations", 0, "id", to=2), "annotation '2' (image 'b.jpg') has the id"),
    (
        change("annotations", 0, "category_id", to=8),
        "annotation '1' (image 'b.jpg') has category '8', expected one of",
    ),
    (change("categories", 0, "name", to="cat"), "category name 'cat' appears twice"),
]


@pytest.mark.parametrize(("spoil", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_files_are_named(write, spoil, message):
    made = plain("b.jpg")
    spoil(made)
    error = refused(write(ana=plain("b.jpg"), ben=made))
    assert error.startswith("file '")
    assert "ben.json': " in error
    assert message in error


def test_bad_shapes_are_named_by_file_image_and_annotation(write):
    wrong = plain("b.jpg", bbox=[1, 2, 3])
    error = refused(write(ana=plain("b.jpg"), ben=wrong))
    assert "raters': annotation 'ben.json:1' (image 'b.jpg') must have a bbox" in error


def test_an_image_that_is_listed_twice_cannot_be_joined(write):
    twice = plain("b.jpg")
    twice["images"].append(twice["images"][0] | {"id": 8})
    error = refused(write(ana=plain("b.jpg"), ben=twice))
    assert "ben.json': image 'b.jpg' appears twice, and images are joined by" in error


def test_an_image_has_one_size(write):
    other = plain("b.jpg")
    other["images"][0]["width"] = 400
    error = refused(write(ana=plain("b.jpg"), ben=other))
    assert "ben.json': image 'b.jpg' must have the size 200 x 100 that it has" in error
    assert "in ana.json, got 400 x 100" in error


def test_classes_have_names_in_every_file(write):
    bare = plain("b.jpg")
    del bare["categories"]
    error = refused(write(ana=plain("b.jpg"), ben=bare))
    assert "ben.json': the top level has no 'categories'" in error


def test_text_that_is_no_document_is_named(write):
    error = refused(write(ana=plain("b.jpg"), ben="{"))
    assert "ben.json': is not valid JSON at line 1" in error


@pytest.mark.parametrize("path", [None, 5, [], {}])
def test_a_path_is_a_folder_or_a_list(path):
    with pytest.raises(KalosError, match="path must be a folder, or a list of files"):
        read_coco_per_rater(path)


def test_folders_without_files_are_named(tmp_path):
    assert "': has no .json file" in refused(tmp_path)
    assert "is not a folder" in refused(tmp_path / "none")


def test_shapes_list_their_choices():
    with pytest.raises(KalosError, match="choose from boxes, keypoints, polygons"):
        read_coco_per_rater("absent", shapes="masks")
