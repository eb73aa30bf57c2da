"""Every panel with 15,000 images, 17 raters and 300 classes, some of odd names.

All tests look at one page. Another data set was open in it before, with its panels.
"""

import numpy as np
import pytest
from beside import (
    ODD_NAMES,
    PANELS,
    PATIENCE,
    click_in_plot,
    switch,
    texts_of_plots,
    to_front,
    wait_for_count,
    wait_for_view,
)
from playwright.sync_api import expect
from plugin_builders import operator, plugin_module

from scripts.app import audit_address

pytestmark = pytest.mark.browser

PATCHES = "SelectLabels", "ToPatches", "SortBy"
INSPECTOR = "[data-cy=panel-content-kalos_inspector]"

stored = plugin_module("operators.disagreement")
natural = plugin_module("kalos_core.natural_order").natural


@pytest.fixture(scope="module")
def page(demo, vast, served, until):
    """Return a page that showed another data set with all panels, and this one now."""
    context, address = served
    page = context.new_page()
    page.goto(audit_address(address, demo.name), wait_until="domcontentloaded")
    for panel in PANELS:
        to_front(page, panel, until).get_by_text("kalos", exact=True).first.wait_for()
    switch(page, vast, until)
    yield page
    page.close()


@pytest.fixture(scope="module")
def run(vast):
    return stored.Disagreement(vast, "kalos")


def click(page, until, panel, number, at, expected, *stages):
    """Click at a place of a plot and wait for the view that is expected."""
    until(
        lambda: click_in_plot(page, panel, number, *at),
        lambda: wait_for_view(page, expected, *stages, timeout=PATIENCE),
    )


def nothing_is_markup(content):
    """Check that no odd name was taken for Markdown, HTML or a formula."""
    drawn = ":is(p, li, td, th, text) :is(b, a, img, em, script, .katex)"
    assert content.locator(drawn).count() == 0
    assert content.locator("tspan[style*=bold]").count() == 0


def test_agreement(vast, page, until):
    panel = "kalos_agreement"
    content = to_front(page, panel, until)
    content.get_by_text("15,000 images, 17 raters, 14,285 labels").wait_for()
    alpha = np.array(vast.values("kalos_alpha"), dtype=float)
    best = int((alpha >= 0.9).sum())
    assert 13_000 < best < 15_000
    click(page, until, panel, 0, (0.95, best / 2), best, "Match", "SortBy")
    missed = len(vast.match({"kalos_units.detections.kind": "missed"}))
    assert 0 < missed < 1_000
    click(page, until, panel, 1, (missed / 2, 1), missed, "Select")
    nothing_is_markup(content)


def test_raters(vast, run, page, until):
    panel = "kalos_raters"
    content = to_front(page, panel, until)
    page.wait_for_function(N_ROWS, arg=[panel, 17])
    shown = texts_of_plots(page, panel)
    for name in ODD_NAMES:
        assert any(text.startswith(f"{name} (") for text in shown), name
    nothing_is_markup(content)
    third = sorted(run.raters, key=natural)[2]
    expected = len(operator("show_disagreement")(vast, raters=[third]))
    assert 0 < expected < 1_000
    click(page, until, panel, 0, (0, 2), expected, "Select", "FilterLabels")


def test_localization(run, page, until):
    panel = "kalos_localization"
    content = to_front(page, panel, until)
    content.get_by_text("objects were drawn by several raters").wait_for()
    known = run.results.thresholds
    strict = known["tau"].index(min(known["tau"]))
    mean = run.results.diagnosis["sensitivity"]["mean"]["value"]
    lost = known["n_changed"][strict]
    assert 0 < lost < 5_000
    where = known["tau"][strict], mean[strict]
    click(page, until, panel, 0, where, lost, *PATCHES)
    nothing_is_markup(content)


def test_classes(run, page, until):
    panel = "kalos_classes"
    content = to_front(page, panel, until)
    content.get_by_text("20 of 300 classes are shown").wait_for()
    figures, found = plugin_module("panels.class_figures"), run.results.diagnosis
    worst = run.classes[figures.worst_classes(found["difficulty"])[0]]
    disputed = stored.Question(classes=(worst,), disputed=True)
    expected = len(run.units(disputed))
    assert expected > 0
    click(page, until, panel, 0, (0.9, 0), expected, *PATCHES)
    pair = figures.worst_pairs(found["confusion"])[0]
    number = found["confusion"]["n_units"][pair]
    click(page, until, panel, 1, (number, 0), number, *PATCHES)
    nothing_is_markup(content)


def test_what_if(page, until):
    content = to_front(page, "kalos_what_if", until)
    content.get_by_text("All images are as in the run").wait_for()
    worst = content.get_by_role("button", name="Show the 50 worst images")
    until(
        lambda: worst.click(timeout=PATIENCE),
        lambda: wait_for_view(page, 50, "Select", timeout=PATIENCE),
    )
    nothing_is_markup(content)


def test_the_inspector(vast, page, until):
    tab = page.locator("[data-cy=panel-tab-kalos_inspector]")
    image = page.locator("[data-cy=looker]").first
    until(
        lambda: tab.is_visible() or image.click(timeout=PATIENCE),
        lambda: tab.wait_for(timeout=PATIENCE),
    )
    content = page.locator(INSPECTOR)
    until(
        lambda: tab.click(timeout=PATIENCE),
        lambda: content.wait_for(timeout=PATIENCE),
    )
    content.get_by_text("Number 1 of 50 disputed images").wait_for()
    expect(content.locator("th")).to_have_count(3 + 17)
    heads = content.locator("th").all_inner_texts()
    assert set(ODD_NAMES) <= set(heads)
    expect(content.locator("tbody tr").first.locator("td")).to_have_count(3 + 17)
    assert content.get_by_text("not asked", exact=True).count() == 14
    nothing_is_markup(content)
    before = page.url
    content.get_by_role("button", name="Next disputed").click()
    page.wait_for_url(lambda url: url != before)
    until(
        lambda: page.mouse.click(4, 450),  # beside the image
        lambda: tab.wait_for(state="detached", timeout=PATIENCE),
    )


def test_a_data_set_without_a_run(page, dataset, until):
    dataset.persistent = True  # the server is another process
    switch(page, dataset, until)
    for panel in PANELS:
        content = to_front(page, panel, until)
        content.get_by_text("No agreement computed yet").wait_for()
        expect(content.locator(".js-plotly-plot")).to_have_count(0)
    compute = content.get_by_role("button", name="Compute agreement")
    form = page.get_by_role("dialog").get_by_text("One field for all raters")
    until(
        lambda: form.is_visible() or compute.click(timeout=PATIENCE),
        lambda: form.wait_for(timeout=PATIENCE),
    )
    wait_for_count(page, 3)


N_ROWS = """([panel, number]) => {
  const plots = [...document.querySelectorAll(
    `[data-cy=panel-content-${panel}] .js-plotly-plot`)];
  return plots.length == 2
    && plots.every(plot => plot.querySelectorAll('g.ytick').length == number);
}"""
