"""Importing: what is refused, odd names, and the form."""

import bson
import fiftyone as fo
import pytest
from import_builders import FILES, RATERS, boxes_only, coco, forget, image_files, write
from plugin_builders import make_dataset, operator, plugin_module

KalosError = plugin_module("kalos_core").KalosError
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")

ODD_NAMES = (
    "None",
    'a "quoted" name',
    "<b>bold</b>",
    "a.b.c",
    "$set",
    "🦊 fox",
    "Jürgen",
    "x" * 200,
    "ana (S1)",
    " spaced ",
    "tags",
    "42",
)


def test_odd_names_are_data_in_one_field(import_annotations, samples, tmp_path):
    document = boxes_only(coco(ODD_NAMES, FILES, classes=ODD_NAMES))
    path = write(tmp_path / "x.json", document)
    import_annotations(samples, path)
    read = fields.read_annotations(samples, layouts.OneField("ratings"))
    listed = {name for image in document["images"] for name in image["rater_list"]}
    assert set(read.raters) == listed
    used = {ODD_NAMES[e["category_id"]] for e in document["annotations"]}
    assert set(read.classes) == used


def test_odd_names_get_fields_of_their_own(import_annotations, samples, tmp_path):
    document = boxes_only(coco(ODD_NAMES, FILES))
    for image in document["images"]:
        image["rater_list"] = list(ODD_NAMES)
    path = write(tmp_path / "x.json", document)
    report = import_annotations(samples, path, layout="field_per_rater")
    assert report["field_of_rater"] == {
        "None": "rater_None",
        'a "quoted" name': "a_quoted_name",
        "<b>bold</b>": "b_bold_b",
        "a.b.c": "a_b_c",
        "$set": "set",
        "🦊 fox": "fox",
        "Jürgen": "Jürgen",
        "x" * 200: "x" * 200,
        "ana (S1)": "ana_S1",
        " spaced ": "spaced",
        "tags": "rater_tags",
        "42": "rater_42",
    }
    read = fields.read_annotations(
        samples, layouts.FieldPerRater(tuple(report["fields"]))
    )
    assert len(read) == report["n_labels"]
    assert read.assigned.all()


def test_raters_never_share_a_field(import_annotations, samples, tmp_path):
    document = boxes_only(coco(["a b", "a-b"], FILES))
    path = write(tmp_path / "x.json", document)
    with pytest.raises(KalosError, match="'a b' and 'a-b' would share the field 'a_b'"):
        import_annotations(samples, path, layout="field_per_rater")
    assert import_annotations(samples, path)["n_raters"] == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [(" ", "which nobody could see"), ("\ud800", "is not valid text")],
)
@pytest.mark.parametrize("what", ["rater", "class"])
def test_names_that_cannot_be_used(
    import_annotations, samples, tmp_path, what, name, message
):
    raters, classes = (["ana", name], ["cat"]) if what == "rater" else (RATERS, [name])
    document = boxes_only(coco(raters, FILES, classes=classes))
    with pytest.raises(KalosError, match=message):
        import_annotations(samples, write(tmp_path / "x.json", document))
    assert "ratings" not in samples.get_field_schema()


def test_fields_that_hold_something_are_never_touched(
    import_annotations, samples, file, snapshot
):
    import_annotations(samples, file)
    before = snapshot(samples)
    with pytest.raises(KalosError, match="has a field 'ratings' already"):
        import_annotations(samples, file)
    with pytest.raises(KalosError, match="has a field 'raters' already"):
        import_annotations(samples, file, label_field="other")
    assert snapshot(samples) == before
    samples.set_values("ana", ["mine", *[None] * 11])
    before = snapshot(samples)
    with pytest.raises(KalosError, match="has a field 'ana' already"):
        import_annotations(samples, file, layout="field_per_rater")
    assert snapshot(samples) == before


@pytest.mark.parametrize("declared", [fo.StringField, fo.Detections])
def test_a_declared_field_that_holds_nothing_is_left(
    import_annotations, samples, file, snapshot, declared
):
    if declared is fo.Detections:
        samples.add_sample_field(
            "ratings", fo.EmbeddedDocumentField, embedded_doc_type=declared
        )
    else:
        samples.add_sample_field("ratings", declared)
    before = snapshot(samples)
    with pytest.raises(KalosError, match=r"'ratings' already, .* filled or not"):
        import_annotations(samples, file)
    assert snapshot(samples) == before
    assert import_annotations(samples, file, label_field="other")["n_labels"] > 0


@pytest.mark.parametrize("layout", ["one_field", "field_per_rater"])
def test_what_was_there_is_the_same_to_the_byte(
    import_annotations, dataset, tmp_path, layout
):
    operator("compute_agreement")(dataset, "gt")
    before = as_bytes(dataset, ())
    names = [f"{name}.jpg" for name in ("disputed", "empty")]
    path = write(tmp_path / "x.json", boxes_only(coco(RATERS, names)))
    report = import_annotations(
        dataset, path, layout=layout, label_field="more", assigned_field="asked"
    )
    assert report["n_labels"] > 0
    assert as_bytes(dataset, report["fields"]) == before


def as_bytes(dataset, less):
    """Return every sample as stored, less some fields and the time of its change."""
    found = list(dataset._sample_collection.find().sort("_id"))
    for record in found:
        for name in ("last_modified_at", *less):
            record.pop(name, None)
    return [bson.encode(record) for record in found]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "rows"}, "unknown layout 'rows'; choose from field_per_rater, one"),
        ({"format": "voc"}, "unknown format 'voc'; choose from coco, coco_per_rater"),
        ({"shapes": "masks"}, "unknown shapes 'masks'; choose from boxes, keypoints"),
        ({"on_missing": "x"}, "unknown on_missing 'x'; choose from error, report"),
        ({"on_unassigned": "x"}, "unknown on_unassigned 'x'; choose from drop, error"),
        ({"label_field": "a.b"}, "The label field must have a name like 'ratings'"),
        ({"label_field": "tags"}, "that FiftyOne does not use; got 'tags'"),
        ({"label_field": "_x"}, "got '_x'"),
        ({"label_field": None}, "got None"),
        ({"rater_attribute": "$x"}, "The rater attribute must have a name"),
        ({"rater_attribute": "label"}, "'label' is an attribute of every Detection"),
        ({"assigned_field": "ratings"}, "cannot share the field 'ratings'"),
        ({"images_dir": "/tmp"}, "images_dir is for a new one"),
        ({"format": "yolo", "shapes": "polygons"}, "YOLO files hold boxes"),
        ({"format": "lidc"}, "holds volumes"),
        ({"format": "coco_per_rater"}, "is not a folder"),
    ],
)
def test_bad_options(import_annotations, samples, file, snapshot, options, message):
    before = snapshot(samples)
    with pytest.raises(KalosError) as raised:
        import_annotations(samples, file, **options)
    assert message in str(raised.value)
    assert snapshot(samples) == before


@pytest.mark.parametrize("path", [None, 5, "", [], ["/absent.json"], "/absent.json"])
def test_bad_paths(import_annotations, samples, path):
    with pytest.raises(KalosError):
        import_annotations(samples, path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not valid JSON at line 1"),
        ("{}", "is neither COCO"),
        ('{"images": [{}], "annotations": []}', "COCO without raters"),
        ('{"images": 5}', "'images' must be a list"),
        ('{"images": [], "annotations": []}', "has no 'categories'"),
        ('{"images": [], "annotations": [], "categories": []}', "names no image"),
        ('{"scan": {"annotators": {}}}', "holds volumes (LIDC)"),
    ],
)
def test_files_that_cannot_be_imported(
    import_annotations, samples, tmp_path, text, message
):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(KalosError) as raised:
        import_annotations(samples, path)
    assert message in str(raised.value)


def test_folders_that_cannot_be_told(import_annotations, samples, tmp_path):
    with pytest.raises(KalosError, match=r"neither COCO files .* nor folders of"):
        import_annotations(samples, tmp_path)
    image_files(tmp_path, "a.json", "ana/x.txt")
    with pytest.raises(KalosError, match="Say which: format='coco_per_rater'"):
        import_annotations(samples, tmp_path)


def test_an_image_that_is_named_twice(import_annotations, samples, tmp_path):
    document = boxes_only(coco(RATERS, [FILES[0], FILES[0]]))
    with pytest.raises(KalosError, match=r"image '000\.jpg' appears twice"):
        import_annotations(samples, write(tmp_path / "x.json", document))


def test_a_view_is_not_imported_into(import_annotations, samples, file):
    with pytest.raises(KalosError) as caught:
        import_annotations(samples.limit(1), file)
    assert str(caught.value).startswith("dataset must be a whole data set, got a view")
    assert len(str(caught.value)) < 200
    assert import_annotations(samples.view(), file)["dataset"] == samples.name
    with pytest.raises(KalosError, match="import_annotations has no parameter 'fmt'"):
        import_annotations(samples, file, fmt="coco")


@pytest.mark.parametrize("target", [None, "", 5])
def test_targets_are_data_sets_or_names(import_annotations, file, target):
    with pytest.raises(KalosError, match="dataset must be a data set or its name"):
        import_annotations(target, file)


def test_new_data_sets_need_images(import_annotations, file, tmp_path):
    with pytest.raises(KalosError, match="Say where the images are"):
        import_annotations("kalos-none", file)
    with pytest.raises(KalosError, match="There is no folder"):
        import_annotations("kalos-none", file, images_dir=tmp_path / "none")
    with pytest.raises(KalosError, match=r"12 of 12 images of 'labels\.json"):
        import_annotations("kalos-none", file, images_dir=tmp_path)
    assert not fo.dataset_exists("kalos-none")


def test_other_media_and_empty_data_sets(import_annotations, file):
    video = make_dataset(fo.Sample(filepath="/nowhere/a.mp4"))
    with pytest.raises(KalosError, match="holds media of type 'video'"):
        import_annotations(video, file)
    empty = fo.Dataset()
    with pytest.raises(KalosError, match="has no samples"):
        import_annotations(empty, file)
    for made in (video, empty):
        made.delete()


def form(context, dataset, **params):
    made = operator("import_annotations").resolve_input(context(dataset, params))
    return made.type.properties


def test_the_form_says_what_is_wrong_before_execution(context, samples, file, tmp_path):
    assert "problem" not in form(context, samples)
    path = {"absolute_path": str(file)}
    assert "problem" not in form(context, samples, path=path)
    absent = form(context, samples, path={"absolute_path": "/absent.json"})
    assert "There is no file or folder" in absent["problem"].view.label
    assert absent["problem"].invalid
    samples.set_values("ratings", ["mine", *[None] * 11])
    taken = form(context, samples, path=path)
    assert "has a field 'ratings' already" in taken["problem"].view.label
    assert "problem" not in form(
        context,
        samples,
        path=path,
        label_field="other",
    )
    new = form(context, samples, path=path, target="new")
    assert new["images_dir"].required
    assert "problem" not in new
    folder = {"absolute_path": str(tmp_path)}
    again = form(
        context, samples, path=path, target="new", images_dir=folder, name=samples.name
    )
    assert "exists already. Choose another name" in again["problem"].view.label


LIDC = '{"scan": {"width": 512, "annotators": {"session_1": []}}}'


@pytest.mark.parametrize("in_folder", [False, True])
def test_volumes_are_refused_before_anything_is_asked_for(
    import_annotations, context, samples, tmp_path, in_folder
):
    file = tmp_path / "scans" / "lidc.json"
    file.parent.mkdir()
    file.write_text(LIDC)
    path = file.parent if in_folder else file
    for target, options in (
        ("kalos-absent", {}),  # and no folder of images
        (samples, {"label_field": "tags"}),
        (samples, {"delegate": True}),
        (samples, {"format": "lidc"}),
    ):
        with pytest.raises(KalosError, match=r"holds volumes \(LIDC\)"):
            import_annotations(target, path, **options)
    chosen = {"absolute_path": str(path)}
    shown = form(context, samples, path=chosen, target="new")
    assert "holds volumes (LIDC)" in shown["problem"].view.label


def test_volumes_that_are_noticed_late_are_refused_alike(
    import_annotations, samples, tmp_path
):
    file = tmp_path / "scans" / "lidc.json"
    file.parent.mkdir()
    long = '{"scan": {"remark": "' + "x" * 5000 + '", "annotators": {}}}'
    file.write_text(long)
    for path in (file, file.parent, [file]):
        with pytest.raises(KalosError, match=r"holds volumes \(LIDC\)"):
            import_annotations(samples, path)


def test_a_file_whose_info_names_annotators_is_no_volume(
    import_annotations, samples, tmp_path
):
    made = {"info": {"annotators": {}}, **boxes_only(coco(RATERS, FILES))}
    path = write(tmp_path / "labels.json", made)
    assert import_annotations(samples, path)["n_images"] == len(FILES)


def test_masks_that_are_left_out_are_told(import_annotations, samples, tmp_path):
    made = boxes_only(coco(RATERS, FILES))
    for entry in made["annotations"][:3]:
        entry["segmentation"] = {"size": [100, 200], "counts": "abc"}
    path = write(tmp_path / "labels.json", made)
    (remark,) = import_annotations(samples, path)["remarks"]
    assert remark == "Masks (RLE) are not imported, the boxes of these labels are: 3"


@pytest.mark.parametrize("shapes", ["boxes", "polygons", "keypoints"])
def test_labels_far_outside_are_told(import_annotations, samples, tmp_path, shapes):
    made = coco(RATERS, FILES)
    far = made["annotations"][-1]
    far["bbox"][0] = 900.0
    far["segmentation"] = [[900.0, 10, 920, 10, 920, 30]]
    far["keypoints"][:3] = [900.0, 10, 2]
    path = write(tmp_path / "labels.json", made)
    (remark,) = import_annotations(samples, path, shapes=shapes)["remarks"]
    image = made["images"][far["image_id"]]["file_name"]
    assert remark.startswith("Labels far outside of their image")
    assert remark.endswith(f": 1, the first in '{image}'")
    with pytest.raises(KalosError, match="looks like pixels"):
        operator("compute_agreement")(samples, "ratings")


@pytest.fixture
def cars():
    """Return a data set whose name others are too much like."""
    forget("cars")
    yield fo.Dataset("cars")
    forget("cars")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Cars", "A data set 'cars' exists already, too much like 'Cars'"),
        ("cars!", "A data set 'cars' exists already, too much like 'cars!'"),
        ("🦊", "No data set can be called '🦊'"),
    ],
)
def test_new_data_sets_have_names_that_fiftyone_takes(
    import_annotations, context, cars, file, tmp_path, name, message
):
    before, folder = fo.list_datasets(), image_files(tmp_path / "images", *FILES)
    for options in ({}, {"delegate": True}):
        with pytest.raises(KalosError, match=message):
            import_annotations(name, file, images_dir=folder, **options)
    with pytest.raises(KalosError, match=message):
        operator("load_demo")(name)
    shown = form(context, cars, path=str(file), target="new", name=name)
    assert message in shown["problem"].view.label
    shown = operator("load_demo").resolve_input(context(cars, {"name": name}))
    assert message in shown.type.properties["name"].error_message
    assert fo.list_datasets() == before


def test_the_form_follows_what_is_chosen(context, samples):
    assert {"label_field", "assigned_field"} <= form(context, samples).keys()
    per_rater = form(context, samples, layout="field_per_rater", source="folder")
    assert "label_field" not in per_rater
    assert per_rater["path"].view.to_json()["choose_dir"]
    empty = fo.Dataset()
    assert form(context, empty)["target"].default == "new"
    empty.delete()
