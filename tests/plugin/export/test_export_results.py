"""Files of a run: what is read back is what the run stored."""

import codecs
import csv
import doctest
import json
import os
from pathlib import Path

import fiftyone as fo
import numpy as np
import pandas
import pytest
from export_builders import ALL, TABLES, load, number, odd_dataset, table
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    plugin_module,
    polygon,
    sample,
    square,
)

packed = plugin_module("operators.packed")
core_plain = plugin_module("kalos_core.plain")


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
        with open(tmp_path / name, encoding="utf-8-sig", newline="") as file:
            for cell in (cell for row in csv.reader(file) for cell in row):
                if cell[:1] in "=+@\t\r\n-" and cell:
                    seen.add(cell)
    assert all(cell.startswith("-") and np.isfinite(float(cell)) for cell in seen)
    assert "-2" not in seen  # the class of that name is text
    assert seen  # some alpha is below 0
    made.delete()


def test_spreadsheets_and_pandas_read_the_names(compute, exporter, dataset, tmp_path):
    compute(dataset, "gt")
    exporter(dataset, folder=tmp_path, reference=False)
    for name in TABLES:
        assert (tmp_path / name).read_bytes().startswith(codecs.BOM_UTF8)
        read = pandas.read_csv(tmp_path / name)
        assert list(read.columns) == list(table(tmp_path, name)[0])


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


def test_nothing_of_the_data_set_changes(
    compute, exporter, dataset, snapshot, tmp_path
):
    compute(dataset, "gt")
    before = snapshot(dataset)
    exporter(dataset.view(), folder=tmp_path)  # which is all of it
    assert snapshot(dataset) == before
    assert len(table(tmp_path, "images.csv")) == 3


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
