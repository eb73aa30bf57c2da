"""Importing through Python."""

from pathlib import Path

import fiftyone as fo
import numpy as np
import pytest
from import_builders import (
    FILES,
    NAMES,
    RATERS,
    assert_same,
    boxes_only,
    coco,
    empty_samples,
    forget,
    image_files,
    write,
)
from plugin_builders import plugin_module

core = plugin_module("kalos_core")
KalosError = core.KalosError
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")

DATA = Path(__file__).parents[3] / "shared" / "data"  # beside the repository
CARS = DATA / "cars_labelme"
LIDC = DATA / "lidc_sample" / "annotations.json"


def test_one_field_gives_the_numbers_of_the_file(import_annotations, samples, file):
    report = import_annotations(samples, file)
    n_labels = len(core.read_coco(file))
    assert report == {
        "dataset": samples.name,
        "format": "coco",
        "shapes": "boxes",
        "n_images": 12,
        "n_labels": n_labels,
        "n_raters": 3,
        "n_classes": 2,
        "fields": ["ratings", "raters"],
        "field_of_rater": {},
        "not_in_data_set": [],
        "not_in_file": [],
        "other_folder": [],
        "n_labels_dropped": 0,
        "remarks": [],
    }
    assert_same(samples, layouts.OneField("ratings"), file)
    assert samples.count("ratings.detections") == n_labels
    assert layouts.detect_layout(samples) == layouts.OneField("ratings")


def test_a_field_per_rater_gives_the_numbers_of_the_file(
    import_annotations, samples, file
):
    report = import_annotations(samples, file, layout="field_per_rater")
    assert report["field_of_rater"] == {name: name for name in RATERS}
    assert_same(samples, layouts.FieldPerRater(RATERS), file)
    whole = core.read_coco(file)
    assigned = np.array([[s[r] is not None for r in RATERS] for s in samples])
    order = [whole.images.index(Path(p).name) for p in samples.values("filepath")]
    assert np.array_equal(assigned, whole.assigned[order])


def test_attributes_are_declared_and_documents_load(import_annotations, samples, file):
    import_annotations(samples, file, "coco", shapes="boxes", rater_attribute="who")
    schema = samples.get_field_schema(flat=True)
    assert "ratings.detections.who" in schema
    assert isinstance(schema["raters"].field, fo.StringField)
    label = samples.first().ratings.detections[0]
    assert isinstance(label, fo.Detection)
    assert label.who in RATERS
    assert label.tags == []
    assert samples.clone().count("ratings.detections") == len(core.read_coco(file))
    before, after = samples.first().created_at, samples.first().last_modified_at
    assert after > before
    assert samples.filter_labels("ratings", fo.ViewField("who") == "ana").count() > 0


def test_polygons_are_closed_polylines_of_several_parts(
    import_annotations, samples, tmp_path
):
    path = write(tmp_path / "x.json", coco(RATERS, FILES))
    import_annotations(samples, path, shapes="polygons")
    read = core.read_coco(path, shapes="polygons")
    areas = sorted(read.geometry.area())
    rings, owner, n = [], [], 0
    for polylines in samples.values("ratings.polylines"):
        for line in polylines:
            assert line.closed and line.filled
            rings += line.points
            owner += [n] * len(line.points)
            n += 1
    again = core.Polygons.from_rings([np.array(ring) for ring in rings], owner, n)
    assert len(rings) == 2 * n == 2 * len(read)
    assert sorted(again.area()) == pytest.approx(areas, rel=1e-12)


@pytest.mark.parametrize("layout", ["one_field", "field_per_rater"])
@pytest.mark.parametrize(
    ("shapes", "d_loc"), [("polygons", "polygon_iou"), ("keypoints", "keypoint_oks")]
)
def test_other_shapes_give_the_numbers_of_the_file(
    import_annotations, samples, tmp_path, shapes, d_loc, layout
):
    path = write(tmp_path / "x.json", coco(RATERS, FILES))
    import_annotations(samples, path, shapes=shapes, layout=layout)
    where = layouts.FieldPerRater(RATERS)
    if layout == "one_field":
        where = layouts.OneField("ratings")
    stored, whole = (
        core.compute_agreement(made, core.Configuration(d_loc, tau=0.6))
        for made in (
            fields.read_annotations(samples, where),
            core.read_coco(path, shapes=shapes),
        )
    )
    assert whole.global_alpha < 1  # classes are random, so it may be below 0
    assert stored.global_alpha == pytest.approx(whole.global_alpha, abs=1e-12)
    assert stored.mean_alpha == pytest.approx(whole.mean_alpha, abs=1e-12)


def test_a_hole_is_cut_open(import_annotations, tmp_path):
    document = coco(["ana"], ["a.jpg"], n_labels=1)
    frame = [
        [0, 0, 100, 0, 100, 10, 0, 10],
        [0, 40, 100, 40, 100, 50, 0, 50],
        [0, 0, 10, 0, 10, 50, 0, 50],
        [90, 0, 100, 0, 100, 50, 90, 50],
    ]
    for entry in document["annotations"]:
        entry["segmentation"] = frame
    made = empty_samples("a")
    path = write(tmp_path / "x.json", document)
    import_annotations(made, path, shapes="polygons")
    (line,) = made.first().ratings.polylines
    rings = [np.array(ring) for ring in line.points]
    assert len(rings) == 2
    again = core.Polygons.from_rings(rings, [0, 0], 1)
    area = (100 * 50 - 80 * 30) / (200 * 100)
    assert again.area()[0] == pytest.approx(area)
    made.delete()


def test_keypoints_are_nan_where_invisible(import_annotations, samples, tmp_path):
    path = write(tmp_path / "x.json", coco(RATERS, FILES))
    report = import_annotations(samples, path)
    assert report["shapes"] == "keypoints"  # what all annotations have
    read = core.read_coco(path, shapes="keypoints")
    points = np.array(samples.values("ratings.keypoints[].points"))
    assert points.shape == read.geometry.xy.shape
    assert np.isnan(points).any(axis=2).sum() == (~read.geometry.visible).sum()
    assert np.nansum(points) == pytest.approx(read.geometry.xy.sum())


def test_masks_are_detections_with_a_cropped_mask():
    documents = plugin_module("operators.label_documents")
    crop = np.array([[True, False, True], [True, True, True]])
    made = core.Annotations(
        image=[0],
        rater=[0],
        label=[0],
        geometry=core.Masks([[10, 20]], [crop], [[40, 80]]),
        annotation_id=["a"],
        assigned=[[True]],
        images=["x"],
        raters=["ana"],
        classes=["cat"],
    )
    (label,) = documents.LabelDocuments(made, "rater").collect([0])["detections"]
    loaded = fo.Detection.from_dict(label)
    assert loaded.bounding_box == [0.25, 0.25, 3 / 80, 2 / 40]
    assert np.array_equal(loaded.mask, crop)
    assert loaded.rater == "ana"


def test_yolo_images_are_matched_by_stem(import_annotations, tmp_path):
    for rater, lines in (("ana", "0 .5 .5 .2 .2\n"), ("ben", "")):
        folder = tmp_path / "labels" / rater
        folder.mkdir(parents=True)
        (folder / "a.b.txt").write_text(lines)
    made = empty_samples("a.b")
    report = import_annotations(made, tmp_path / "labels", layout="field_per_rater")
    assert (report["format"], report["n_labels"]) == ("yolo", 1)
    assert len(made.first().ana.detections) == 1
    assert made.first().ben.detections == []
    made.delete()


def test_a_file_per_rater(import_annotations, samples, file, tmp_path):
    document = boxes_only(coco(RATERS, FILES))
    for rater in RATERS:
        own = [e for e in document["annotations"] if e["rater_id"] == rater]
        listed = [e for e in document["images"] if rater in e["rater_list"]]
        plain = {
            "images": [{**e} for e in listed],
            "annotations": [{**e} for e in own],
            "categories": document["categories"],
        }
        for entry in (*plain["images"], *plain["annotations"]):
            entry.pop("rater_list", None)
            entry.pop("rater_id", None)
        write(tmp_path / "raters" / f"{rater}.json", plain)
    folder = tmp_path / "raters"
    assert import_annotations(samples, folder)["format"] == "coco_per_rater"
    assert_same(samples, layouts.OneField("ratings"), file)
    listed = [folder / "ana.json", folder / "ben.json"]
    report = import_annotations(samples, listed, layout="field_per_rater")
    assert report["fields"] == ["ana", "ben"]


def test_a_new_data_set_of_the_images_that_are_there(
    import_annotations, file, tmp_path
):
    forget("kalos-new")
    folder = image_files(tmp_path / "images", *FILES[:10], "sub/other.jpg", "x.txt")
    report = import_annotations("kalos-new", file, images_dir=folder)
    made = fo.load_dataset("kalos-new")
    assert made.persistent
    assert len(made) == report["n_images"] == 10
    assert report["not_in_data_set"] == list(FILES[10:])
    assert report["not_in_file"] == [str(folder / "sub" / "other.jpg")]
    assert report["n_labels_dropped"] == len(core.read_coco(file)) - report["n_labels"]
    assert made.count("ratings.detections") == report["n_labels"] > 0
    assert made.app_config.color_scheme.fields[0]["colorByAttribute"] == "rater"
    assert made.list_workspaces() == ["KαLOS audit"]
    forget("kalos-new")


def test_what_does_not_match_is_reported_and_left_alone(import_annotations, file):
    made = empty_samples(*NAMES[2:], "stranger")
    report = import_annotations(made, file)
    assert report["not_in_data_set"] == list(FILES[:2])
    assert report["not_in_file"] == ["/nowhere/stranger.jpg"]
    assert (
        made.match(fo.ViewField("filepath").ends_with("stranger.jpg")).first()[
            "ratings"
        ]
        is None
    )
    made.delete()
    made = empty_samples(*NAMES[2:])
    with pytest.raises(KalosError, match=r"2 of 12 images of 'labels\.json' are"):
        import_annotations(made, file, on_missing="error")
    assert "ratings" not in made.get_field_schema()
    made.delete()


def test_labels_by_unassigned_raters_are_dropped_on_request(
    import_annotations, samples, tmp_path
):
    document = boxes_only(coco(RATERS, FILES))
    document["annotations"][0]["rater_id"] = "eve"
    path = write(tmp_path / "x.json", document)
    with pytest.raises(KalosError, match="is by rater 'eve', who is not assigned"):
        import_annotations(samples, path)
    report = import_annotations(samples, path, on_unassigned="drop")
    assert report["n_labels_dropped"] == 1
    assert "'eve' (1)" in report["remarks"][0]


@pytest.mark.skipif(not CARS.exists(), reason="real labels are not here")
@pytest.mark.parametrize("layout", ["one_field", "field_per_rater"])
def test_real_labels_of_cars(import_annotations, layout):
    forget("kalos-cars")
    path = CARS / "annotations.json"
    report = import_annotations(
        "kalos-cars", path, images_dir=CARS, shapes="boxes", layout=layout
    )
    assert (report["n_images"], report["not_in_data_set"]) == (20, [])
    made = fo.load_dataset("kalos-cars")
    where = (
        layouts.OneField("ratings")
        if layout == "one_field"
        else layouts.FieldPerRater(tuple(report["fields"]))
    )
    assert_same(made, where, path)
    assert import_annotations("kalos-cars", path, label_field="b", assigned_field="c")[
        "shapes"
    ] == ("polygons")
    forget("kalos-cars")


@pytest.mark.skipif(not LIDC.exists(), reason="real scans are not here")
def test_volumes_are_recognised_and_refused(import_annotations, samples):
    with pytest.raises(KalosError, match=r"holds volumes \(LIDC\)"):
        import_annotations(samples, LIDC)
