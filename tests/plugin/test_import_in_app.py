"""Importing as the App does, and delegated."""

import fiftyone as fo
import fiftyone.operators as foo
from fiftyone.operators.delegated import DelegatedOperationService
from import_builders import (
    FILES,
    RATERS,
    assert_same,
    coco,
    forget,
    image_files,
    write,
)
from plugin_builders import plugin_module

layouts = plugin_module("operators.layouts")

URI = "@kalos/audit/import_annotations"


def test_as_the_app_runs_it(samples, file):
    params = {"path": {"absolute_path": str(file)}, "label_field": "boxes"}
    result = foo.execute_operator(URI, {"dataset": samples, "params": params})
    requests = result.executor._requests
    progress = [r.params["progress"] for r in requests if "progress" in r.params]
    assert progress == sorted(progress)
    assert progress[-1] == 1
    (shown,) = [r for r in requests if r.operator_uri.endswith("show_output")]
    assert "labels by 3 raters on 12 images" in str(shown.params["outputs"])
    assert requests[-1].operator_uri.endswith("reload_dataset")
    assert_same(samples, layouts.OneField("boxes"), file)


def test_as_the_app_makes_a_new_data_set(samples, file, tmp_path):
    forget("kalos-new")
    folder = image_files(tmp_path / "images", *FILES)
    params = {
        "path": {"absolute_path": str(file)},
        "target": "new",
        "name": "kalos-new",
        "images_dir": {"absolute_path": str(folder)},
        "layout": "field_per_rater",
    }
    result = foo.execute_operator(URI, {"dataset": samples, "params": params})
    assert result.executor._requests[-1].params["dataset"] == "kalos-new"
    made = fo.load_dataset("kalos-new")
    assert_same(made, layouts.FieldPerRater(RATERS), file)
    forget("kalos-new")


def test_an_error_is_shown_in_the_app(samples, tmp_path):
    path = write(tmp_path / "x.json", coco(RATERS, ["none.jpg"]))
    result = foo.execute_operator(
        URI, {"dataset": samples, "params": {"path": {"absolute_path": str(path)}}}
    )
    last = result.executor._requests[-1]
    assert "1 of 1 images of 'x.json' are not in" in last.params["label"]


def delegated(name):
    service = DelegatedOperationService()
    service.execute_queued_operations(operator=URI, dataset_name=name)
    return service.list_operations(operator=URI)[-1]


def test_delegated_it_does_the_same(import_annotations, samples, file):
    samples.persistent = True
    queued = import_annotations(samples, file, label_field="later", delegate=True)
    assert queued.delegated
    done = delegated(samples.name)
    samples.reload()
    assert_same(samples, layouts.OneField("later"), file)
    assert done.status.progress == 1
    assert "labels by 3 raters on 12 images" in done.status.label
    assert done.result.result["n_images"] == 12
    samples.persistent = False


def test_delegated_it_makes_a_new_data_set(
    import_annotations, file, tmp_path, monkeypatch
):
    forget("kalos-new")
    image_files(tmp_path / "images", *FILES)
    monkeypatch.chdir(tmp_path)  # relative paths are those of the caller
    import_annotations("kalos-new", "labels.json", images_dir="images", delegate=True)
    monkeypatch.chdir("/")
    delegated(None)
    assert_same(fo.load_dataset("kalos-new"), layouts.OneField("ratings"), file)
    forget("kalos-new")
