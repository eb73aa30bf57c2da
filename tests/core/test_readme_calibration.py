"""The README's example of a calibration prints what it says."""

import contextlib
import io
import json
import re
from pathlib import Path

from demo.coco import document

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_example_prints_what_it_says(tmp_path, monkeypatch):
    section = README.split("## Reading a calibration")[1].split("\n## ")[0]
    code, expected = re.search(
        r"```python\n(.+?)```\n\n```\n(.+?)```", section, re.S
    ).groups()
    (tmp_path / "annotations.json").write_text(json.dumps(document()))
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == expected
