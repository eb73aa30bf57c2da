"""The layout of the authors' implementation, written only from the run's own labels."""

import os

import numpy as np
import pytest
from export_builders import ALL, load, table
from plugin_builders import plugin_module

core = plugin_module("kalos_core")
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")


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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            "label",
            "changed since the run 'kalos' in 1 of 10 samples, the first being 0.jpg",
        ),
        ("moved", "changed since the run 'kalos' in 1 of 10 samples"),
        ("deleted", "1 of 10 samples of the run 'kalos' are gone"),
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
