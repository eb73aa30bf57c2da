"""What the README shows is what the code prints."""

import contextlib
import io
import re
from pathlib import Path

import fiftyone as fo

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


def test_the_picture_is_there():
    for path in re.findall(r"!\[.*?\]\((.+?)\)", README):
        assert (Path(__file__).parents[2] / path).stat().st_size > 10_000
