"""Importing: what is refused, what survives an interruption, odd names."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import fiftyone as fo
import pytest
from import_builders import boxes_only, coco, empty_samples, forget, image_files, write
from plugin_builders import make_dataset, operator, plugin_module, sample

KalosError = plugin_module("kalos_core").KalosError
match_images = plugin_module("operators.image_matching").match_images
rater_fields = plugin_module("operators.rater_fields")
importing = plugin_module("operators.importing")
unfinished = plugin_module("operators.unfinished")
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")

ROOT = Path(__file__).parents[2]
RATERS = ("ana", "ben")
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


@pytest.fixture
def import_annotations():
    return operator("import_annotations")


@pytest.fixture
def samples():
    made = empty_samples("a", "b")
    yield made
    made.delete()


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "x.json", boxes_only(coco(RATERS, ["a.jpg", "b.jpg"])))


def test_odd_names_are_data_in_one_field(import_annotations, samples, tmp_path):
    document = boxes_only(coco(ODD_NAMES, ["a.jpg", "b.jpg"], classes=ODD_NAMES))
    path = write(tmp_path / "x.json", document)
    import_annotations(samples, path)
    read = fields.read_annotations(samples, layouts.OneField("ratings"))
    listed = {name for image in document["images"] for name in image["rater_list"]}
    assert set(read.raters) == listed
    used = {ODD_NAMES[e["category_id"]] for e in document["annotations"]}
    assert set(read.classes) == used


def test_odd_names_get_fields_of_their_own(import_annotations, samples, tmp_path):
    document = boxes_only(coco(ODD_NAMES, ["a.jpg", "b.jpg"]))
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
    document = boxes_only(coco(["a b", "a-b"], ["a.jpg", "b.jpg"]))
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
    document = boxes_only(coco(raters, ["a.jpg", "b.jpg"], classes=classes))
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
    samples.set_values("ana", ["mine", None])
    before = snapshot(samples)
    with pytest.raises(KalosError, match="has a field 'ana' already"):
        import_annotations(samples, file, layout="field_per_rater")
    assert snapshot(samples) == before


def test_a_declared_field_that_holds_nothing_gives_way(
    import_annotations, samples, file
):
    samples.add_sample_field("ratings", fo.StringField)
    assert import_annotations(samples, file)["n_labels"] > 0
    assert samples.get_field("ratings").document_type is fo.Detections


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
        ('{"images": [], "annotations": []}', "names no image"),
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
    with pytest.raises(KalosError, match="holds neither a COCO file"):
        import_annotations(samples, tmp_path)
    image_files(tmp_path, "a.json", "ana/x.txt")
    with pytest.raises(KalosError, match="Say which: format='coco_per_rater'"):
        import_annotations(samples, tmp_path)


def test_an_image_that_is_named_twice(import_annotations, samples, tmp_path):
    document = boxes_only(coco(RATERS, ["a.jpg", "a.jpg"]))
    with pytest.raises(KalosError, match=r"image 'a\.jpg' appears twice"):
        import_annotations(samples, write(tmp_path / "x.json", document))


@pytest.mark.parametrize("target", [None, "", 5])
def test_targets_are_data_sets_or_names(import_annotations, file, target):
    with pytest.raises(KalosError, match="dataset must be a data set or its name"):
        import_annotations(target, file)


def test_new_data_sets_need_images(import_annotations, file, tmp_path):
    with pytest.raises(KalosError, match="Say where the images are"):
        import_annotations("kalos-none", file)
    with pytest.raises(KalosError, match="There is no folder"):
        import_annotations("kalos-none", file, images_dir=tmp_path / "none")
    with pytest.raises(KalosError, match="2 of 2 images of 'x"):
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


def test_names_are_matched_and_folders_decide():
    files = ["/d/train/a.jpg", "/d/val/a.jpg", "/d/b.jpg", "/d/c.jpg"]
    found = match_images(["val/a.jpg", "train\\a.jpg", "x/b.jpg", "no.jpg"], files)
    assert found.file_of == (1, 0, 2, None)
    assert found.other_folder == ("x/b.jpg",)
    assert match_images(["./c.jpg", "/"], files).file_of == (3, None)
    assert match_images(["test/a.jpg"], files).file_of == (None,)
    composed, apart = "/d/\u00fc.jpg", "u\u0308.jpg"
    assert match_images([apart], [composed]).file_of == (0,)


@pytest.mark.parametrize(
    ("images", "files", "stems", "message"),
    [
        (["a.jpg"], ["/x/a.jpg", "/y/a.jpg"], False, "image 'a.jpg' could be any of"),
        (["a"], ["/x/a.jpg", "/x/a.png"], True, "'/x/a.jpg', '/x/a.png'"),
        (["a.jpg", "x/a.jpg"], ["/x/a.jpg"], False, "file '/x/a.jpg' could be any of"),
    ],
)
def test_nothing_is_guessed(images, files, stems, message):
    with pytest.raises(KalosError) as raised:
        match_images(images, files, stems)
    assert message in str(raised.value)


def test_duplicate_samples_are_refused(import_annotations, file):
    made = make_dataset(
        fo.Sample(filepath="/x/a.jpg"), fo.Sample(filepath="/y/a.jpg"), sample("b")
    )
    with pytest.raises(KalosError, match=r"'a\.jpg' could be any of '/x/a\.jpg'"):
        import_annotations(made, file)
    made.delete()


def undated(taken):
    """Return a snapshot without the times at which FiftyOne changed samples."""
    for document in taken[3]:
        document.pop("last_modified_at")
    return taken


def request(samples, file, **options):
    return importing.Request(samples.name, str(file), **options)


def test_a_cancelled_import_leaves_no_trace(samples, file, snapshot):
    before = undated(snapshot(samples))
    steps = importing.run_import(request(samples, file))
    for progress, _ in steps:
        if progress >= 0.4:
            break
    assert "ratings" in samples.get_field_schema()
    with pytest.raises(KalosError, match="Another import is writing the field"):
        next(importing.run_import(request(samples, file)))
    steps.close()
    assert undated(snapshot(samples)) == before
    assert unfinished.BEGUN not in samples.info


def test_a_cancelled_import_leaves_no_data_set(file, tmp_path):
    forget("kalos-new")
    folder = str(image_files(tmp_path / "images", "a.jpg", "b.jpg"))
    before = fo.list_datasets()
    steps = importing.run_import(
        importing.Request("kalos-new", str(file), images_dir=folder)
    )
    while next(steps)[0] < 0.4:
        pass
    assert len(fo.list_datasets()) == len(before) + 1
    steps.close()
    assert fo.list_datasets() == before


KILLED = """
import os, signal, sys
from scripts.sandbox import enter
enter("test")
import fiftyone as fo
import fiftyone.operators as foo
foo.get_operator("@kalos/audit/import_annotations")
writing = sys.modules["fiftyone.plugins.orgs.kalos.audit.operators.label_writing"]
writing.BATCH, write = 1, fo.Dataset._bulk_write

def write_and_die(*arguments, **options):
    write(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)

fo.Dataset._bulk_write = write_and_die
foo.get_operator("@kalos/audit/import_annotations")(sys.argv[1], sys.argv[2])
"""


def test_what_a_killed_import_left_gives_way(
    import_annotations, samples, file, snapshot
):
    samples.persistent = True
    before = undated(snapshot(samples))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, samples.name, str(file)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    samples.reload()
    assert samples.count("ratings") == 1  # of two: it died half-way
    import_annotations(samples, file)
    assert samples.count("ratings") == 2
    assert unfinished.BEGUN not in samples.info
    for name in ("ratings", "raters"):
        samples.delete_sample_field(name)
    assert undated(snapshot(samples)) == before
    samples.persistent = False


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
    samples.set_values("ratings", ["mine", None])
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
    assert "exists. Choose another name" in again["problem"].view.label


def test_the_form_follows_what_is_chosen(context, samples):
    assert {"label_field", "assigned_field"} <= form(context, samples).keys()
    per_rater = form(context, samples, layout="field_per_rater", source="folder")
    assert "label_field" not in per_rater
    assert per_rater["path"].view.to_json()["choose_dir"]
    empty = fo.Dataset()
    assert form(context, empty)["target"].default == "new"
    empty.delete()
