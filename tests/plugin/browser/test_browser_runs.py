"""Two runs of one data set: every panel shows the one that is chosen in it."""

import re

import pytest
from beside import (
    PANELS,
    PATIENCE,
    click_in_plot,
    open_page,
    to_front,
    wait_for_view,
)
from playwright.sync_api import expect
from plugin_builders import operator, plugin_module

from scripts.app import audit_address

pytestmark = pytest.mark.browser

stored = plugin_module("operators.disagreement")
Disagreement, Question = stored.Disagreement, stored.Question


@pytest.fixture(scope="module")
def audited(demo):
    """Return a data set with a run of another threshold after the first one."""
    made = demo.clone()
    made.persistent = True  # the server is another process
    operator("compute_agreement")(made, "ratings", tau=0.25, run_key="strict")
    made.delete_workspaces()
    operator("open_audit")(made)
    yield made
    made.delete()


@pytest.fixture(scope="module")
def page(audited, served):
    context, address = served
    page = open_page(context, audit_address(address, audited.name))
    yield page
    page.close()


@pytest.mark.parametrize("panel", PANELS)
def test_the_run_that_is_chosen_is_drawn(page, panel, until):
    content = to_front(page, panel, until)
    drawn = page.wait_for_function(DRAWN, arg=[panel, None]).json_value()
    choose(page, content, "kalos", until)
    page.wait_for_function(DRAWN, arg=[panel, drawn])


def test_a_click_is_about_the_run_that_is_chosen(audited, page, until):
    content = to_front(page, "kalos_classes", until)
    choose(page, content, "kalos", until)
    question = Question(classes=("lymphocyte", "monocyte"))
    number = len(Disagreement(audited, "kalos").units(question))
    until(
        lambda: click_in_plot(page, "kalos_classes", 1, 10, 0),
        lambda: wait_for_view(
            page, number, "SelectLabels", "ToPatches", "SortBy", timeout=PATIENCE
        ),
    )
    page.locator("[data-cy=tag-kalos_units]").first.wait_for()
    assert page.locator("[data-cy=tag-strict_units]").count() == 0
    content = to_front(page, "kalos_raters", until)
    choose(page, content, "kalos", until)
    numbers = {
        key: len(Disagreement(audited, key).view(Question(raters=("ana",))))
        for key in ("kalos", "strict")
    }
    assert numbers["kalos"] != numbers["strict"]
    until(
        lambda: click_in_plot(page, "kalos_raters", 0, 0, 0),
        lambda: wait_for_view(
            page, numbers["kalos"], "Select", "FilterLabels", timeout=PATIENCE
        ),
    )


def test_a_change_stays_while_another_tab_is_in_front(page, until):
    content = to_front(page, "kalos_what_if", until)
    choose(page, content, "strict", until)
    content.get_by_text("from IoU 0.75 up").wait_for()
    chip = content.locator(".MuiChip-root").get_by_text("fay", exact=True)
    option = page.get_by_role("option", name="fay", exact=True)

    def leave_out():
        if not chip.count():
            if not option.is_visible():
                content.locator("input[role=combobox]").first.click(timeout=PATIENCE)
            option.click(timeout=PATIENCE)

    until(leave_out, lambda: chip.wait_for(timeout=PATIENCE))
    thumb = content.locator("input[type=range]")

    def move():
        thumb.focus(timeout=PATIENCE)
        page.keyboard.press("ArrowLeft")

    moved = content.get_by_text(re.compile(r"from IoU 0\.7[6-9] up"))
    until(move, lambda: moved.wait_for(timeout=PATIENCE))
    mean = content.get_by_text(re.compile(r"^Mean α 0\.\d\d → ")).inner_text()
    told = moved.inner_text()
    to_front(page, "kalos_raters", until)
    content = to_front(page, "kalos_what_if", until)
    chip.wait_for()
    content.get_by_text(told).wait_for()
    content.get_by_text(mean).wait_for()
    expect(thumb).to_have_value(re.search(r"τ (0\.\d\d)", told)[1])


def choose(page, content, key, until):
    """Choose a run; drawing the panel anew closes the list."""
    runs = content.locator("[role=combobox]").first
    option = page.get_by_role("option", name=key, exact=True)

    def open_and_click():
        if runs.inner_text() == key:
            return
        if not option.is_visible():
            runs.click(timeout=PATIENCE)
        option.click(timeout=PATIENCE)

    chosen = content.locator("[role=combobox]").first.get_by_text(key, exact=True)
    until(open_and_click, lambda: chosen.wait_for(timeout=PATIENCE))


DRAWN = """([panel, before]) => {
  const plots = `[data-cy=panel-content-${panel}] .js-plotly-plot`;
  const numbers = [...document.querySelectorAll(plots)].map(
    plot => (plot.data || []).map(trace => [trace.x, trace.y, trace.z]));
  const drawn = JSON.stringify(numbers);
  return numbers.length && numbers[0].length && drawn != before ? drawn : false;
}"""
