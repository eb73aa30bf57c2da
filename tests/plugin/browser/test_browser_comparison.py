"""A comparison in Chromium: tables, and names shown as they are."""

import pytest
from plugin_builders import detection, detections, make_dataset, sample

pytestmark = pytest.mark.browser

NAMES = ("<b>ana</b>", "www.ben.org|**x**", "`cho` <img src=x onerror=alert(1)>")


@pytest.fixture
def odd(compute):
    """Return an image that three raters of odd names labelled, with two runs."""
    boxes = [detection(name, 10, 10, 20, 20, rater=name) for name in NAMES]
    made = make_dataset(sample("one", gt=detections(*boxes), raters=list(NAMES)))
    compute(made, "gt", run_key="before")
    compute(made, "gt", tau=0.1, run_key="after")
    made.persistent = True  # the server is another process
    yield made
    made.delete()


def test_names_are_text(odd, open_app, run_operator):
    dialog = run_operator(open_app(odd), "KαLOS: compare two runs")
    dialog.get_by_text("Those that got worse").wait_for()
    dialog.get_by_role("button", name="Execute").click()
    dialog.get_by_text("is the same").wait_for()
    dialog.get_by_text("Kinds").first.wait_for()  # the last table
    cells = dialog.locator("td").all_inner_texts()
    shown = [cell.replace("\N{WORD JOINER}", "") for cell in cells]
    assert set(NAMES) <= set(shown)
    assert dialog.locator("td a, td img, td b, td code, td strong").count() == 0
