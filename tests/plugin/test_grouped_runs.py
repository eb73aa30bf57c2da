"""Runs on a slice of a grouped data set: every operator finds their samples."""

import csv
import json

import fake_backend
import fiftyone as fo
import fiftyone.operators as foo
import pytest
from plugin_builders import (
    drawn,
    grouped,
    make_dataset,
    names,
    operator,
    panel_request,
    plugin_module,
    sample,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError


@pytest.fixture
def made(compute):
    made = grouped()
    compute(made.select_group_slices("right"), "gt")
    yield made
    made.delete()


def everything(made):
    return made.select_group_slices(media_type="image")


def left(made):
    """Return the samples of the other slice as stored."""
    found = [record for record in stored(made) if "left" in record["filepath"]]
    assert len(found) == 3
    return found


def test_show_disagreement(made):
    show = operator("show_disagreement")
    assert names(show(made)) == ["class", "missed", "agreed"]
    assert names(show(made, limit=1)) == ["class"]
    assert names(show(made, kind="missed")) == ["missed"]
    tiles = show(made, kind="class", as_units=True, save_as="tiles")
    assert tiles.values("kalos_units.kind") == ["class"]
    assert names(made.load_saved_view("tiles")) == ["class"]
    assert len(show(made, as_units=True)) == 7
    view = show(made, raters="ben", only_their_labels=True)
    assert view.values("gt.detections.rater") == [["ben", "ben"]]
    result = foo.execute_operator(
        show.uri, {"dataset": made, "params": {"kind": "class", "as_units": True}}
    )
    [request] = result.executor._requests
    assert request.operator_uri == "set_view"


def test_a_click_in_the_panel(made, context):
    panel = operator("kalos_agreement")
    state = panel_request(panel, context, made, "on_load").state
    shown = panel_request(panel, context, made, "on_show_all", state)
    (params,) = shown["set_view"]
    view = fo.DatasetView._build(made, params["view"])
    assert names(view) == ["class", "missed", "agreed"]


def test_build_relabel_queue(made, tmp_path):
    build, before = operator("build_relabel_queue"), stored(made, less=["kalos"])
    done = build(made, csv=tmp_path / "queue.csv")
    assert names(made.load_saved_view(done["view"])) == ["class", "missed"]
    assert names(everything(made).match_tags("kalos_relabel")) == ["class", "missed"]
    with open(done["csv"], encoding="utf-8-sig", newline="") as file:
        files = [row["filepath"] for row in csv.DictReader(file)]
    assert files == ["/nowhere/class.jpg", "/nowhere/missed.jpg"]
    units = build(made, by="unit", tag="objects", csv=False)
    tiles = made.load_saved_view(units["view"])
    assert tiles.values("kalos_units.kind") == ["class", "missed"]
    assert build(made, n=1, csv=False)["n"] == 1  # replaces the first one
    assert names(everything(made).match_tags("kalos_relabel")) == ["class"]
    everything(made).match({"filepath": "/nowhere/left class.jpg"}).tag_samples("mine")
    with pytest.raises(KalosError, match=r"1 samples .* have a tag 'mine'"):
        build(made, tag="mine")
    everything(made).untag_samples("mine")
    operator("delete_run")(made, "kalos")
    assert stored(made) == before
    assert made.list_saved_views() == []
    assert everything(made).count_sample_tags() == {}


def test_a_backend_gets_the_slice(made, monkeypatch):
    given = {"config_cls": "fake_backend.FakeBackendConfig"}
    monkeypatch.setitem(fo.annotation_config.backends, "fake", given)
    fake_backend.UPLOADED.clear()
    done = operator("build_relabel_queue")(made, csv=False, backend="fake")
    assert "handed to 'fake'" in done["annotation"]
    [(_, files, _)] = fake_backend.UPLOADED
    assert files == ["class.jpg", "missed.jpg"]


def test_create_consensus(made):
    before = left(made)
    done = operator("create_consensus")(made)
    assert (done["n_images"], done["n_labels"]) == (3, 7)
    view = made.select_group_slices("right")
    assert view.values("kalos_consensus.detections.existence") == [
        [1, 1],
        [1, 1],
        [1, 0.5, 1],
    ]
    assert left(made) == before


def test_export_results(made, tmp_path):
    report = operator("export_results")(made, folder=tmp_path)
    assert report["left_out"] == {}
    assert len(report["files"]) == 7
    with open(tmp_path / "images.csv", encoding="utf-8-sig", newline="") as file:
        paths = [row["filepath"] for row in csv.DictReader(file)]
    assert paths == [f"/nowhere/{n}.jpg" for n in ("agreed", "class", "missed")]
    whole = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    ids = made.select_group_slices("right").values("id")
    assert whole["results"]["sample_ids"] == ids


def test_compare_runs(made, compute):
    view = made.select_group_slices("right")
    disputed = view.match({"filepath": "/nowhere/class.jpg"}).first()
    disputed.gt.detections[-1].label = "cat"
    disputed.save()
    compute(view, "gt", run_key="after")
    found = operator("compare_runs")(made)
    assert (found["n_better"], found["n_common"]) == (1, 3)
    result = foo.execute_operator(
        "@kalos/audit/compare_runs", {"dataset": made, "params": {"show": "better"}}
    )
    asked = {r.operator_uri: r.params for r in result.executor._requests}
    view = fo.DatasetView._build(made, asked["set_view"]["view"])
    assert names(view) == ["class"]


def test_labels_that_changed(made):
    disputed = everything(made).match({"filepath": "/nowhere/class.jpg"}).first()
    disputed.gt.detections[-1].label = "cat"
    disputed.save()
    build = operator("build_relabel_queue")
    with pytest.raises(KalosError, match=r"in 1 of 3 samples, .* class\.jpg"):
        build(made, csv=False)
    done = build(made, csv=False, on_changed="recompute")
    assert names(made.load_saved_view(done["view"])) == ["missed"]


def test_delete_run(compute, snapshot):
    made = grouped()
    before = snapshot(made, clocks=False)
    compute(made.select_group_slices("right"), "gt")
    operator("create_consensus")(made)
    operator("delete_run")(made, "kalos", consensus=True)
    assert snapshot(made, clocks=False) == before
    made.delete()


def test_slices_that_are_no_images_do_not_matter(compute):
    made = grouped()
    group = made.first().group
    scene = fo.Sample(filepath="/nowhere/scene.mp4", group=group.element("film"))
    made.add_sample(scene)
    compute(made.select_group_slices("right"), "gt")
    assert names(operator("show_disagreement")(made)) == ["class", "missed", "agreed"]
    operator("create_consensus")(made)
    made.delete()


def test_all_slices_at_once(compute):
    made = grouped()
    compute(everything(made), "gt")
    assert operator("build_relabel_queue")(made, csv=False)["n"] == 5
    made.delete()


def test_a_data_set_without_groups_is_as_it_was(compute):
    made = make_dataset(
        sample("one", gt=drawn(("cat", "dog")), raters=["ana", "ben"]),
    )
    compute(made, "gt")
    view = operator("show_disagreement")(made)
    assert [type(stage).__name__ for stage in view._stages] == ["Select"]
    made.delete()
