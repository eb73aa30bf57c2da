"""What documents hold and the schema does not know is the user's, and left alone."""

import fiftyone as fo
import pytest
import snapshots
from import_builders import boxes_only, coco, write
from plugin_builders import (
    detection,
    detections,
    in_a_field_each,
    in_one_field,
    keypoint,
    make_dataset,
    masked,
    operator,
    plugin_module,
    polygon,
    sample,
    square,
)

KalosError = plugin_module("kalos_core").KalosError
runs = plugin_module("operators.runs")
SHAPES = {
    "boxes": (fo.Detections, lambda: detection("cat", 10, 10, 20, 20)),
    "masks": (
        fo.Detections,
        lambda: masked("cat", 10, 10, 20, 20, mask=[[1, 1], [1, 1]]),
    ),
    "polygons": (fo.Polylines, lambda: polygon("cat", square(10, 10, 20))),
    "keypoints": (fo.Keypoints, lambda: keypoint("cat", (10, 10), (30, 30))),
}
LAYOUTS = {
    "one field": (in_one_field, "gt"),
    "a field each": (in_a_field_each, ["ana", "ben"]),
}
OF_SAMPLES = ("alpha", "status", "n_units", "n_no_object", "units")


def hold(dataset, path, value="mine"):
    """Store a value in the last sample without declaring it."""
    samples = dataset._sample_collection
    last = samples.find_one(sort=[("_id", -1)])
    samples.update_one({"_id": last["_id"]}, {"$set": {path: value}})


@pytest.fixture(params=[(s, l) for s in SHAPES for l in LAYOUTS], ids=" in ".join)
def labelled(request):
    """Return a data set, its label fields, and the path of its last label."""
    shapes, layout = request.param
    kind, draw = SHAPES[shapes]
    make, fields = LAYOUTS[layout]
    drawn = {name: {"ana": [draw()], "ben": [draw()]} for name in ("0", "1")}
    made = make(kind, drawn)
    place = "gt.{}.1" if layout == "one field" else "ben.{}.0"
    yield made, fields, place.format(kind._LABEL_LIST_FIELD)
    made.delete()


@pytest.mark.parametrize("name", ["unit", "kind"])
def test_attributes_of_labels_are_not_overwritten(compute, labelled, name):
    made, fields, label = labelled
    hold(made, f"{label}.kalos_{name}")
    before, lasting = (snapshots.take(made, clocks) for clocks in (True, False))
    container = label.rpartition(".")[0]
    for options in ({}, {"overwrite": True}, {"delegate": True}):
        with pytest.raises(KalosError, match=f"'{container}.kalos_{name}' of its own"):
            compute(made, fields, **options)
    assert snapshots.take(made) == before
    compute(made, fields, run_key="other")
    operator("delete_run")(made, "other")
    assert snapshots.take(made, clocks=False) == lasting


@pytest.mark.parametrize("name", OF_SAMPLES)
def test_values_of_samples_are_not_overwritten(compute, dataset, name):
    hold(dataset, f"kalos_{name}")
    before = snapshots.take(dataset)
    with pytest.raises(KalosError, match=f"'kalos_{name}' of its own.*another key"):
        compute(dataset, "gt")
    assert snapshots.take(dataset) == before


def test_a_null_is_no_value(compute, dataset):
    hold(dataset, "kalos_alpha", None)
    assert compute(dataset, "gt")["run_key"] == "kalos"


def test_a_run_does_not_take_a_name_whose_values_are_the_users(compute, dataset):
    compute(dataset, "gt")
    hold(dataset, "gt.detections.0.later_kind")
    dataset.rename_run("kalos", "later")
    assert runs.keys(dataset) == ["later"]
    assert dataset.last().gt.detections[0]["later_kind"] == "mine"
    assert dataset.get_field("kalos_alpha") is not None
    with pytest.raises(KalosError, match="Rename the run again"):
        operator("show_disagreement")(dataset)


def test_nor_one_whose_declared_attributes_are_the_users(compute):
    boxes = [detection("cat", 10, 10, 20, 20, rater=r, later_kind="x") for r in "ab"]
    made = make_dataset(sample("0", gt=detections(*boxes), raters=["a", "b"]))
    compute(made, "gt")
    made.rename_run("kalos", "later")
    runs.keys(made)
    assert made.first().gt.detections[0]["later_kind"] == "x"
    made.delete()


def test_consensus_simulation_and_import_leave_values_alone(compute, tmp_path):
    boxes = [detection("cat", 10, 10, 20, 20, rater=r) for r in ("ana", "ben")]
    made = make_dataset(
        *(sample(n, gt=detections(*boxes), raters=["ana", "ben"]) for n in "01")
    )
    path = write(tmp_path / "labels.json", boxes_only(coco(["ana"], ["0.jpg"])))
    compute(made, "gt")
    names = ("kalos_consensus", "simulated", "simulated_raters", "ratings", "asked")
    for name in (*names, "ana", "simulated_rater_2"):
        hold(made, name)
    before = snapshots.take(made)
    bring_in = operator("import_annotations")
    for name, work, options in (
        ("kalos_consensus", operator("create_consensus"), {}),
        ("simulated", operator("simulate_raters"), {"label_field": "gt"}),
        (
            "simulated_rater_2",
            operator("simulate_raters"),
            {"label_field": "gt", "n_raters": 2, "layout": "field_per_rater"},
        ),
        ("ratings", bring_in, {"path": path, "assigned_field": "who"}),
        (
            "asked",
            bring_in,
            {"path": path, "label_field": "new", "assigned_field": "asked"},
        ),
        ("ana", bring_in, {"path": path, "layout": "field_per_rater"}),
    ):
        with pytest.raises(KalosError, match=f"hold a value '{name}'"):
            work(made, **options)
    assert snapshots.take(made) == before
    made.delete()


def test_forms_do_not_look_for_them(context, compute, dataset, examined):
    hold(dataset, "kalos_alpha")
    compute(dataset, "gt", run_key="first")
    hold(dataset, "first_consensus")
    params = {"run_key": "kalos", "label_field": "gt"}
    form = compute.resolve_input(context(dataset, params)).type.properties
    assert "problem" not in form
    create = operator("create_consensus")

    def open_form():
        form = create.resolve_input(context(dataset)).type.properties
        assert "problem" not in form

    assert examined(dataset, open_form) == 0
