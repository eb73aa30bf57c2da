"""The panel of thresholds in the real App."""

import re

import fiftyone as fo
import pytest
from playwright.sync_api import expect
from plugin_builders import operator

pytestmark = pytest.mark.browser

PANEL = "[data-cy=panel-content-kalos_localization]"
PATIENCE = 5_000
WORKSPACE = "localization"


@pytest.fixture
def open_panel(served):
    """Return a function that opens a data set beside the panel."""
    context, address = served
    pages = []

    def show(dataset):
        panes = [
            fo.Space(children=[panel], active_child=panel.component_id)
            for panel in (
                fo.Panel(type="Samples", pinned=True),
                fo.Panel(type="kalos_localization"),
            )
        ]
        space = fo.Space(orientation="horizontal", children=panes)
        dataset.save_workspace(WORKSPACE, space, overwrite=True)
        page = context.new_page()
        pages.append(page)
        where = f"{address}/datasets/{dataset.name}?workspace={WORKSPACE}"
        page.goto(where, wait_until="domcontentloaded")
        page.locator(PANEL).wait_for()
        return page

    yield show
    for page in pages:
        page.close()


@pytest.fixture
def copy(demo):
    """Return a copy of the demo, to be changed."""
    made = demo.clone()
    yield made
    made.delete()


def wait_for_count(page, expected, **options):
    counts = page.locator("[data-cy=entry-counts]")
    counts.filter(has_text=re.compile(rf"^{expected:,} ")).wait_for(**options)


POINTS_REST = """async selector => {
  const places = () => JSON.stringify([...document.querySelectorAll(
    selector + ' .js-plotly-plot .point')].map(e => e.getBoundingClientRect()));
  const before = places();
  await new Promise(resolve => setTimeout(resolve, 500));
  return before == places() && before != '[]';
}"""


def click_point(page, number):
    """Click a point of the curve, counted from the strictest threshold."""
    page.wait_for_function(POINTS_REST, arg=PANEL)
    plot = page.locator(f"{PANEL} .js-plotly-plot").first
    box = plot.locator(".point").nth(number).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_point_narrows_the_grid_to_what_changes_there(demo, open_panel, until):
    page = open_panel(demo)
    wait_for_count(page, len(demo))
    known = demo.load_run_results("kalos", cache=False).thresholds
    taus, n_changed = known["tau"][::-1], known["n_changed"][::-1]
    own, stricter, more_lenient = (taus.index(tau) for tau in (0.5, 0.4, 0.75))
    for number in (stricter, more_lenient):
        count = n_changed[number]
        until(
            lambda number=number: click_point(page, number),
            lambda count=count: wait_for_count(page, count, timeout=PATIENCE),
        )
    told = page.get_by_text("This is the run's own threshold")
    until(
        lambda: click_point(page, own),
        lambda: told.first.wait_for(timeout=PATIENCE),
    )
    wait_for_count(page, n_changed[more_lenient])


def test_from_no_calibration_to_one_by_clicking(copy, open_panel):
    page = open_panel(copy)
    panel = page.locator(PANEL)
    panel.get_by_role("button", name="Calibrate").click()
    dialog = page.get_by_role("dialog")
    execute = dialog.get_by_role("button", name="Execute")
    expect(execute).to_be_enabled()
    execute.click()
    page.get_by_role("button", name="Done").click()
    panel.get_by_text("KS 0.").wait_for()
    expect(panel.locator(".js-plotly-plot")).to_have_count(2)
    panel.get_by_text("Medium (").wait_for()
    copy.reload()
    assert "calibration" in copy.list_runs()


def test_a_run_deleted_while_it_is_open(copy, compute, open_panel, until):
    compute(copy, "ratings", tau=0.3, run_key="strict")
    page = open_panel(copy)
    panel = page.locator(PANEL)
    panel.get_by_text("τ 0.15, IoU 0.85").wait_for()
    operator("delete_run")(copy, "strict")
    until(
        lambda: click_point(page, 0),
        lambda: panel.get_by_text("τ 0.25, IoU 0.75").wait_for(timeout=PATIENCE),
    )
    wait_for_count(page, len(copy))


def test_a_data_set_without_a_run(dataset, open_panel):
    page = open_panel(dataset)
    panel = page.locator(PANEL)
    panel.get_by_role("button", name="Compute agreement").wait_for()
    expect(panel.locator(".js-plotly-plot")).to_have_count(0)
