"""Files of a run: what is read back is what the run stored."""

import csv
import doctest
import json
import os
from pathlib import Path

import fiftyone as fo
import fiftyone.operators as foo
import numpy as np
import pytest
from fiftyone.operators.delegated import DelegatedOperationService
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    polygon,
    sample,
    square,
)

core = plugin_module("kalos_core")
csv_files = plugin_module("operators.csv_files")
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")
export_files = plugin_module("operators.export_files")
exporting = plugin_module("operators.exporting")
progress = plugin_module("operators.progress")
packed = plugin_module("operators.packed")
core_plain = plugin_module("kalos_core.plain")

TABLES = ["images.csv", "units.csv", "raters.csv", "classes.csv", "pairs.csv"]
ALL = ["run.json", *TABLES, "kalos_checkpoint.json"]
ODD = [
    "=1+1",
    "@x",
    "-2",
    "+3",
    "\ttab",
    "'=y",
    "'tis",
    "<b>z</b>",
    'a"b',
    "c\nd",
    "e,f",
]
ODD += ["g.h", "$i", "🐈", "None", "NO_OBJECT", "kind", "x" * 200]


@pytest.fixture
def exporter():
    return operator("export_results")


def table(folder, name):
    """Return a table as dicts, as any reader of CSV would, with text as written."""
    with open(Path(folder, name), encoding="utf-8", newline="") as file:
        return [
            {csv_files.as_written(n): csv_files.as_written(v) for n, v in row.items()}
            for row in csv.DictReader(file)
        ]


def load(folder, name="run.json"):
    return json.loads(Path(folder, name).read_text(encoding="utf-8"))


def number(cell):
    return None if cell == "" else float(cell)


@pytest.mark.parametrize("name", ["csv_files", "export_tables", "markdown"])
def test_examples_are_true(name):
    assert doctest.testmod(plugin_module(f"operators.{name}")).failed == 0


def test_by_hand(compute, exporter, dataset, tmp_path):
    first = dataset.first()
    first.gt.detections.append(detection("cat", 80, 10, 10, 10, rater="ben"))
    first.save()
    compute(dataset, "gt")
    report = exporter(dataset, folder=tmp_path / "new" / "folder")
    folder = report["folder"]
    assert report["left_out"] == {}
    assert report["files"] == [os.path.join(folder, name) for name in ALL]
    assert sorted(os.listdir(folder)) == sorted(ALL)
    ids, paths = dataset.values(["id", "filepath"])
    rows = table(folder, "images.csv")
    assert [(r["sample_id"], r["filepath"]) for r in rows] == [
        *zip(ids, paths, strict=True)
    ]
    assert [number(r["alpha"]) for r in rows] == dataset.values("kalos_alpha")
    assert [r["status"] for r in rows] == ["computed", "empty_agreed", "undefined"]
    assert [(r["n_units"], r["n_no_object"]) for r in rows] == [
        ("3", "1"),
        ("0", "0"),
        ("1", "0"),
    ]
    units = table(folder, "units.csv")
    shown = ("unit", "class", "kind", "outlier", "rater:ana", "rater:ben")
    assert [tuple(row[name] for name in shown) for row in units] == [
        ("1", "cat", "agreed", "", "cat", "cat"),
        ("2", "cat", "class", "", "cat", "dog"),
        ("3", "cat", "missed", "", "NO_OBJECT", "cat"),
        ("1", "cat", "undefined", "", "cat", ""),
    ]
    assert [row["sample_id"] for row in units] == [ids[0]] * 3 + [ids[2]]
    assert [row["agreement"] for row in units] == ["1.0", "0.0", "0.0", ""]
    assert number(units[2]["area"]) == pytest.approx(0.01)
    raters = table(folder, "raters.csv")
    assert [(r["rater"], r["n_images"], r["n_annotations"]) for r in raters] == [
        ("ana", "3", "3"),
        ("ben", "2", "3"),
    ]
    assert raters[0]["vitality"] == ""  # of two raters nobody can be left out
    (pair,) = table(folder, "pairs.csv")
    assert (pair["rater_a"], pair["rater_b"], pair["alpha_n_images"]) == (
        "ana",
        "ben",
        "2",
    )
    mean = dataset.load_run_results("kalos").mean_alpha
    assert number(pair["alpha"]) == pytest.approx(mean)
    assert [r["class"] for r in table(folder, "classes.csv")] == ["cat", "dog"]


def odd_dataset():
    """Return images with raters and classes of odd names, on which they disagree."""
    rng, samples = np.random.default_rng(0), []
    for n in range(6):
        raters = [ODD[k] for k in rng.permutation(len(ODD))[:4]]
        boxes = []
        for x in (5, 40, 75):
            for rater in raters[: rng.integers(2, 5)]:
                label = ODD[rng.integers(len(ODD))]
                boxes.append(detection(label, x + rng.normal(), 5, 20, 20, rater=rater))
        samples.append(sample(f"=odd, {n}", gt=detections(*boxes), raters=raters))
    return make_dataset(*samples)


def test_odd_names_survive(compute, exporter, tmp_path):
    made = odd_dataset()
    compute(made, "gt")
    report = exporter(made, folder=str(tmp_path))
    results = made.load_run_results("kalos")
    raters, classes = results.raters["name"], results.classes["name"]
    assert [r["rater"] for r in table(tmp_path, "raters.csv")] == raters
    assert [r["class"] for r in table(tmp_path, "classes.csv")] == classes
    whole = load(tmp_path)
    assert whole["no_object"] == "NO_OBJECT_"  # as a class is called NO_OBJECT
    said = [*classes, "", whole["no_object"]]
    rows = table(tmp_path, "units.csv")
    assert [[row[f"rater:{name}"] for name in raters] for row in rows] == [
        [said[code] for code in values]
        for values in packed.unpack(results.units)["values"]
    ]
    by_vote = [
        label
        for labels in made.values("kalos_units.detections.label")
        for label in labels
    ]
    assert [row["class"] for row in rows] == by_vote
    outliers = made.values("kalos_units.detections.outlier", unwind=True)
    assert [row["outlier"] or None for row in rows] == outliers
    assert report["left_out"] == {}
    checkpoint = load(tmp_path, "kalos_checkpoint.json")
    assert checkpoint["metadata"]["all_raters"] == sorted(raters)
    made.delete()


def test_no_text_is_a_formula_and_numbers_stay(compute, exporter, tmp_path):
    made = odd_dataset()
    compute(made, "gt")
    exporter(made, folder=tmp_path, reference=False)
    seen = set()
    for name in TABLES:
        with open(tmp_path / name, encoding="utf-8", newline="") as file:
            for cell in (cell for row in csv.reader(file) for cell in row):
                if cell[:1] in "=+@\t\r\n-" and cell:
                    seen.add(cell)
    assert all(cell.startswith("-") and np.isfinite(float(cell)) for cell in seen)
    assert "-2" not in seen  # the class of that name is text
    assert seen  # some alpha is below 0
    made.delete()


def test_what_is_read_back_equals_the_run(compute, exporter, demo_like, tmp_path):
    compute(demo_like, "gt")
    exporter(demo_like, folder=tmp_path)
    info, whole = demo_like.get_run_info("kalos"), load(tmp_path)
    results = demo_like.load_run_results("kalos", cache=False).serialize()
    results.pop("cls", None)
    units = packed.unpack(results["units"])
    assert whole["results"] == {
        **json.loads(json.dumps(results)),
        "assigned": [[0, 1, 2]] * 10,
        "units": core_plain.plain(units),
    }
    assert (whole["dataset"], whole["run_key"]) == (demo_like.name, "kalos")
    config = info.config
    assert whole["configuration"] == config.configuration
    assert whole["layout"] == json.loads(json.dumps(config.layout))
    assert (whole["seed"], whole["shapes"]) == (config.seed, config.shapes)
    assert (whole["version"], whole["versions"]) == (config.version, config.versions)
    assert whole["timestamp"] == info.timestamp.isoformat(timespec="milliseconds")
    diagnosis = whole["results"]["diagnosis"]
    raters, pairs = table(tmp_path, "raters.csv"), table(tmp_path, "pairs.csv")
    classes = table(tmp_path, "classes.csv")
    for rows, column, estimates in (
        (raters, "vitality", diagnosis["vitality"]["mean"]),
        (raters, "vitality_relative", diagnosis["vitality"]["relative"]),
        (raters, "looseness", diagnosis["looseness"]["distance"]),
        (pairs, "alpha", diagnosis["collaboration"]["mean"]),
        (pairs, "alpha_overall", diagnosis["collaboration"]["overall"]),
        (classes, "alpha", diagnosis["difficulty"]["mean"]),
    ):
        for part in ("low", "high", "n_images"):
            cells = [number(row[f"{column}_{part}"]) for row in rows]
            assert cells == estimates[part]
        assert [number(row[column]) for row in rows] == estimates["value"]
        assert any(v is not None for v in estimates["low"])
    units = table(tmp_path, "units.csv")
    for name in ("agreement", "gain", "area"):
        assert [number(row[name]) for row in units] == whole["results"]["units"][name]


@pytest.fixture
def demo_like():
    """Return ten images of three raters who differ a little."""
    rng, samples = np.random.default_rng(1), []
    for n in range(10):
        boxes = [
            detection(
                "cat" if rng.random() < 0.7 else "dog",
                *(x + rng.normal(), 10, 20 + rng.normal(), 20),
                rater=rater,
            )
            for x in (5, 40, 70)
            for rater in ("ana", "ben", "cho")
            if rng.random() < 0.9
        ]
        raters = ["ana", "ben", "cho"]
        samples.append(sample(f"{n}", gt=detections(*boxes), raters=raters))
    made = make_dataset(*samples)
    yield made
    made.delete()


def test_the_reference_layout_is_that_of_the_core(
    compute, exporter, demo_like, tmp_path
):
    compute(demo_like, "gt", tau=0.4)
    exporter(demo_like, folder=tmp_path)
    annotations = fields.read_annotations(demo_like, layouts.OneField("gt"))
    configuration = core.Configuration(tau=0.4)
    agreement = core.compute_agreement(annotations, configuration)
    seed = demo_like.get_run_info("kalos").config.seed
    rng = np.random.default_rng(seed)
    diagnosis = core.diagnose(annotations, configuration, agreement, rng=rng)
    expected = core.reference_results(annotations, agreement, diagnosis)
    assert load(tmp_path, "kalos_checkpoint.json") == expected


def test_a_field_per_rater_and_other_shapes(compute, exporter, tmp_path):
    drawn = {
        name: fo.Polylines(polylines=[polygon(label, square(10, 10, 30))])
        for name, label in (("ana", "cat"), ("ben", "dog"))
    }
    made = make_dataset(sample("one", **drawn), sample("two", ana=fo.Polylines()))
    compute(made.sort_by("filepath", reverse=True), ["ana", "ben"])
    report = exporter(made, folder=tmp_path)
    assert report["left_out"] == {}
    rows = table(tmp_path, "images.csv")
    assert [Path(row["filepath"]).stem for row in rows] == ["two", "one"]
    (unit,) = table(tmp_path, "units.csv")
    assert (unit["rater:ana"], unit["rater:ben"]) == ("cat", "dog")
    assert load(tmp_path, "kalos_checkpoint.json")["metadata"]["task"] == "segm"
    made.delete()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("label", "the labels changed since the run"),
        ("moved", "the labels changed since the run"),
        ("deleted", "1 of 10 samples of the run are gone"),
        ("field", "There is no field of labels"),
    ],
)
def test_changed_labels_leave_the_reference_out(
    compute, exporter, demo_like, tmp_path, change, reason
):
    compute(demo_like, "gt")
    before = exporter(demo_like, folder=tmp_path)
    first = demo_like.first()
    if change == "deleted":
        demo_like.delete_samples(first)
    elif change == "field":
        demo_like.delete_sample_field("gt")
    else:
        for box in first.gt.detections:
            box.label = "new" if change == "label" else box.label
        if change == "moved":  # it stays the same unit, only less exact
            x, *others = first.gt.detections[0].bounding_box
            first.gt.detections[0].bounding_box = [x + 0.03, *others]
        first.save()
    kept = load(tmp_path)
    report = exporter(demo_like, folder=tmp_path, overwrite=True)
    assert reason in report["left_out"]["kalos_checkpoint.json"]
    assert report["files"] == before["files"][:-1]
    assert sorted(os.listdir(tmp_path)) == sorted(ALL[:-1])  # no old one beside them
    assert load(tmp_path) == kept
    if change == "deleted":
        assert table(tmp_path, "images.csv")[0]["filepath"] == ""


def test_files_are_replaced_only_on_request(compute, exporter, dataset, tmp_path):
    compute(dataset, "gt")
    exporter(dataset, folder=tmp_path, reference=False)
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "run.json").write_text("mine")
    with pytest.raises(
        core.KalosError, match=r"holds run.json, images.csv, .* already"
    ):
        exporter(dataset, folder=tmp_path, reference=False)
    assert (tmp_path / "run.json").read_text() == "mine"
    exporter(dataset, folder=tmp_path, reference=False, overwrite=True)
    assert load(tmp_path)["run_key"] == "kalos"
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == sorted([*ALL[:-1], "mine.txt"])


def test_a_failure_leaves_the_old_files(compute, exporter, dataset, tmp_path):
    compute(dataset, "gt")
    exporter(dataset, folder=tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in ALL}
    broken = {"run.json": "new", "missing/x": "cannot be written"}
    with pytest.raises(core.KalosError, match="Cannot write to"):
        export_files.write_files(tmp_path, broken, ALL, overwrite=True)
    with pytest.raises(core.KalosError, match="The export 'kalos' was stopped"):
        exporting.export(
            dataset,
            "kalos",
            tmp_path,
            overwrite=True,
            stoppable=lambda work: work.stop(),
        )
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == (
        before
    )


def test_what_cannot_be_exported_is_said(compute, exporter, dataset, tmp_path):
    with pytest.raises(core.KalosError, match="has no KαLOS run yet"):
        exporter(dataset, folder=tmp_path)
    compute(dataset, "gt")
    (tmp_path / "file").write_text("")
    for arguments, message in (
        ({"run_key": "other"}, "no finished KαLOS run 'other'"),
        ({"folder": tmp_path / "file"}, "is a file. Choose a folder"),
        ({"folder": tmp_path / "file" / "below"}, "Cannot write to"),
        ({"folder": str(tmp_path / ("x" * 300))}, "Cannot write to"),
        ({"folder": 3}, "must be given as a path, got 3"),
        ({"folder": "a\0b"}, "must be given as a path"),
    ):
        with pytest.raises(core.KalosError, match=message):
            exporter(dataset, **{"folder": tmp_path, **arguments})
    assert os.listdir(tmp_path) == ["file"]


def test_nothing_of_the_data_set_changes(
    compute, exporter, dataset, snapshot, tmp_path
):
    compute(dataset, "gt")
    before = snapshot(dataset)
    exporter(dataset.limit(1), folder=tmp_path)  # a view stands for its data set
    assert snapshot(dataset) == before
    assert len(table(tmp_path, "images.csv")) == 3


def test_by_default_a_run_has_a_folder_of_its_own(compute, exporter, dataset):
    compute(dataset, "gt", run_key="round_2")
    report = exporter(dataset, overwrite=True)
    folder = Path(report["folder"])
    assert folder.name == "round_2"
    assert folder.is_relative_to(fo.config.default_dataset_dir)
    for name in report["files"]:
        os.remove(name)
    folder.rmdir()


def test_the_form(compute, context, exporter, dataset, tmp_path):
    form = exporter.resolve_input(context(dataset)).type.properties
    assert form["nothing"].invalid
    compute(dataset, "gt")
    params = {"folder": str(tmp_path)}
    form = exporter.resolve_input(context(dataset, params)).type.properties
    assert "problem" not in form
    assert "kalos-exports" in form["folder"].view.description
    result = foo.execute_operator(exporter.uri, {"dataset": dataset, "params": params})
    asked = {r.operator_uri: r.params for r in result.executor._requests}
    assert asked["set_progress"]["progress"] == 1
    assert "kalos_checkpoint.json" in asked["set_progress"]["label"]
    assert sorted(os.listdir(tmp_path)) == sorted(ALL)
    form = exporter.resolve_input(context(dataset, params)).type.properties
    assert "holds run.json" in form["problem"].view.label
    assert "overwrite" in form
    params["overwrite"] = True
    form = exporter.resolve_input(context(dataset, params)).type.properties
    assert "problem" not in form
    assert "overwrite" in form


def test_the_app_says_what_went_wrong(compute, exporter, dataset, tmp_path):
    compute(dataset, "gt")
    (tmp_path / "file").write_text("")
    params = {"folder": str(tmp_path / "file" / "below")}
    result = foo.execute_operator(exporter.uri, {"dataset": dataset, "params": params})
    asked = {r.operator_uri: r.params for r in result.executor._requests}
    assert asked["notify"]["message"] == "Nothing was written."
    assert asked["set_progress"]["label"].startswith("Cannot write to")


def test_delegation_does_the_same(compute, exporter, dataset, tmp_path):
    compute(dataset, "gt")
    dataset.persistent = True
    queued = exporter(dataset, folder=tmp_path, delegate=True)
    assert queued.delegated
    assert os.listdir(tmp_path) == []
    service = DelegatedOperationService()
    service.execute_queued_operations(operator=exporter.uri, dataset_name=dataset.name)
    (done,) = service.list_operations(dataset_name=dataset.name)
    assert done.run_state == "completed"
    assert sorted(os.listdir(tmp_path)) == sorted(ALL)
    assert done.result.result["files"] == [str(tmp_path / name) for name in ALL]
    assert (done.status.progress, done.status.label) == (1, "Done")


def test_a_slice_of_groups(compute, exporter, tmp_path):
    group, drawn = fo.Group(), {"ana": detections(), "ben": detections()}
    left = sample("left", group=group.element("left"), **drawn)
    right = sample("right", group=group.element("right"), **drawn)
    made = fo.Dataset()
    made.add_group_field("group", default="left")
    made.add_samples([left, right])
    compute(made.select_group_slices("right"), ["ana", "ben"])
    assert exporter(made, folder=tmp_path)["left_out"] == {}
    (row,) = table(tmp_path, "images.csv")
    assert row["filepath"] == "/nowhere/right.jpg"
    made.delete()


def test_no_labels_at_all(compute, exporter, tmp_path):
    made = make_dataset(
        sample("one", ana=detections(), ben=detections()),
        sample("two", ana=detections(), ben=detections()),
    )
    compute(made, ["ana", "ben"])
    report = exporter(made, folder=tmp_path)
    assert report["left_out"] == {}
    assert table(tmp_path, "units.csv") == []
    assert [row["alpha"] for row in table(tmp_path, "images.csv")] == ["1.0", "1.0"]
    made.delete()
