"""The README's examples of a calibration and a diagnosis print what they say."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from demo.coco import document

README = (Path(__file__).parents[2] / "README.md").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the labels of the demo."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "annotations.json").write_text(json.dumps(document()))
    return folder


@pytest.mark.parametrize(
    "title", ["Reading a calibration", "Reading a diagnosis", "The engine on its own"]
)
def test_the_example_prints_what_it_says(title, folder, monkeypatch):
    section = README.split(f"## {title}")[1].split("\n## ")[0]
    code, expected = re.search(
        r"```python\n(.+?)```\n\n```\n(.+?)```", section, re.S
    ).groups()
    monkeypatch.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == expected
