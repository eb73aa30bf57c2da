"""What the README shows is what the code prints."""

import contextlib
import io
import json
import re
from pathlib import Path

import fiftyone as fo

from demo.coco import document
from scripts.demo import summary

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_summary_of_the_demo_is_the_one_printed(demo):
    assert summary(demo).strip() in README


def test_the_quickstart_prints_what_it_says():
    shown = re.search(
        r"## Quickstart\n\n```python\n(.+?)```\n\n```\n(.+?)```", README, re.S
    )
    code, expected = shown.groups()
    name = "kalos-readme"
    if fo.dataset_exists(name):
        fo.delete_dataset(name)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code.replace("kalos-demo", name), {})
    assert printed.getvalue() == expected
    fo.delete_dataset(name)


def test_the_import_prints_what_it_says(demo, tmp_path, monkeypatch):
    shown = re.search(
        r"## Bringing labels in\n.+?```python\n(.+?)```\n\n```\n(.+?)```", README, re.S
    )
    code, expected = shown.groups()
    monkeypatch.chdir(tmp_path)
    Path("annotations.json").write_text(json.dumps(document()))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == expected
    for attribute in ("rater", "label"):
        counts = demo.count_values(f"imported.detections.{attribute}")
        assert counts == demo.count_values(f"ratings.detections.{attribute}")
    demo.delete_sample_fields(["imported", "imported_by"])


def test_the_picture_is_there():
    for path in re.findall(r"!\[.*?\]\((.+?)\)", README):
        assert (Path(__file__).parents[2] / path).stat().st_size > 10_000
