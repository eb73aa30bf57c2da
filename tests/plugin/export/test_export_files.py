"""Where files go: all or none, and nothing is replaced unasked."""

import os
from pathlib import Path

import fiftyone as fo
import fiftyone.operators as foo
import pytest
from export_builders import ALL, load
from fiftyone.operators.delegated import DelegatedOperationService
from plugin_builders import plugin_module

core = plugin_module("kalos_core")
export_files = plugin_module("operators.export_files")
exporting = plugin_module("operators.exporting")


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
    params = {"folder": "/proc/kalos"}  # which looks as if it could be made
    result = foo.execute_operator(exporter.uri, {"dataset": dataset, "params": params})
    asked = {r.operator_uri: r.params for r in result.executor._requests}
    assert asked["notify"]["message"].startswith("Cannot write to '/proc/kalos'")
    assert asked["notify"]["message"].endswith(" Nothing was written.")
    assert asked["set_progress"]["label"].startswith("Cannot write to")


@pytest.mark.parametrize("below", ["", "below", "below/that"])
def test_a_file_is_no_folder(compute, context, exporter, dataset, tmp_path, below):
    compute(dataset, "gt")
    (tmp_path / "file").write_text("mine")
    folder = str(tmp_path / "file" / below)
    for options in ({}, {"overwrite": True}, {"delegate": True}):
        with pytest.raises(core.KalosError, match=r"Cannot write to .*file' is a file"):
            exporter(dataset, folder=folder, **options)
    form = exporter.resolve_input(context(dataset, {"folder": folder})).type.properties
    assert "is a file" in form["problem"].view.label
    assert (tmp_path / "file").read_text() == "mine"


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
