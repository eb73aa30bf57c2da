"""What the README shows is what the code prints."""

import contextlib
import io
import json
import os
import re
import time
from pathlib import Path

import fiftyone as fo
import fiftyone.operators as foo
import numpy as np
import pytest
from plugin_builders import (
    detections,
    make_dataset,
    masked,
    operator,
    plugin_module,
    sample,
    start,
)

from demo.coco import document
from scripts.demo import summary

README = (Path(__file__).parents[2] / "README.md").read_text()
NAME = "kalos-readme"
journal = plugin_module("operators.journal")


def examples(title):
    """Return the Python of a section, and the output that is shown after it or ""."""
    section = README.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(
        r"^```python\n(.+?)^```\n(?:\n```\n(.*?)^```\n)?", section, re.S | re.M
    )


def printed(code, names):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(code, names)
    return shown.getvalue()


@pytest.fixture
def cloned(demo):
    """Return a copy of the demo with its audit, as the quickstart leaves it."""
    if fo.dataset_exists(NAME):
        fo.delete_dataset(NAME)
    made = demo.clone(NAME)
    yield made
    made.delete()


def test_the_summary_of_the_demo_is_the_one_printed(demo):
    assert summary(demo).strip() in README


def test_the_quickstart_prints_what_it_says():
    [(code, expected)] = examples("Quickstart")
    if fo.dataset_exists(NAME):
        fo.delete_dataset(NAME)
    assert printed(code.replace("kalos-demo", NAME), {}) == expected
    fo.delete_dataset(NAME)


def test_the_operators_print_what_they_say(cloned, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(journal, "BEAT", 0.05)  # it is stopped before it can end
    names = {"foo": foo, "dataset": cloned}
    audit = None
    for code, expected in examples("What each operator does"):
        if "stop_run" in code:
            audit = start(
                lambda: operator("compute_agreement")(
                    cloned, "ratings", run_key="later"
                )
            )
            while not journal.at_work(cloned):
                time.sleep(0.01)
        assert printed(code, names) == expected
    os.waitpid(audit, 0)
    cloned.reload()
    assert cloned.list_runs() == []
    assert cloned.get_field("later_alpha") is None
    assert {path.name for path in tmp_path.iterdir()} == {"audit", "queue.csv"}


def test_synthetic_raters_print_what_they_say(cloned):
    names = {"foo": foo, "dataset": cloned}
    for code, expected in examples("Synthetic raters"):
        if "class_similarity" not in code:  # which downloads a model
            assert printed(code, names) == expected
    assert {"noise", "noise_3"} <= set(cloned.list_runs())


def test_each_way_to_say_where_raters_are():
    code, _ = examples("Where raters live in your data set")[0]
    raters, mask = ["ana", "ben", "cho"], np.ones((2, 2))
    drawn = [masked("cat", 10, 10, 20, 20, mask=mask, rater=rater) for rater in raters]
    fields = {
        name: detections(own.copy()) for name, own in zip(raters, drawn, strict=True)
    }
    made = make_dataset(
        sample("x", ratings=detections(*drawn), raters=raters, **fields)
    )
    assert printed(code, {"foo": foo, "dataset": made}) == ""
    assert set(made.list_runs()) == {"kalos", "fields", "two", "giou", "masks"}
    made.delete()


def test_the_import_prints_what_it_says(demo, tmp_path, monkeypatch):
    [(code, expected)] = examples("Bringing labels in")
    monkeypatch.chdir(tmp_path)
    Path("annotations.json").write_text(json.dumps(document()))
    assert printed(code, {}) == expected
    for attribute in ("rater", "label"):
        counts = demo.count_values(f"imported.detections.{attribute}")
        assert counts == demo.count_values(f"ratings.detections.{attribute}")
    demo.delete_sample_fields(["imported", "imported_by"])


def test_the_picture_is_there():
    for path in re.findall(r"!\[.*?\]\((.+?)\)", README):
        assert (Path(__file__).parents[2] / path).stat().st_size > 10_000
