"""The panel of classes in Chromium: it draws, and clicks show objects in dispute."""

import pytest
from beside import (
    ODD_NAMES,
    PATIENCE,
    click_in_plot,
    texts_of_plots,
    wait_for_count,
    wait_for_view,
)
from plugin_builders import operator, plugin_module

pytestmark = pytest.mark.browser

PANEL = "kalos_classes"
CONTENT = f"[data-cy=panel-content-{PANEL}]"


def test_clicks_show_objects_in_dispute(demo, beside, until, run_operator):
    new, page = beside(demo, PANEL)
    stored = plugin_module("operators.disagreement")
    run, question = stored.Disagreement(new, "kalos"), stored.Question
    disputed = question(classes=("neutrophil",), disputed=True)
    n_disputed = len(run.units(disputed))
    assert 0 < n_disputed < len(run.units(question(classes=("neutrophil",))))
    until(
        lambda: click_in_plot(page, PANEL, 0, 0.9, 4),
        lambda: wait_for_count(page, n_disputed, timeout=PATIENCE),
    )
    pair = ["lymphocyte", "monocyte"]
    tiles = operator("show_disagreement")(new, classes=pair, as_units=True)
    until(
        lambda: click_in_plot(page, PANEL, 1, 10, 0),
        lambda: wait_for_view(
            page, len(tiles), "SelectLabels", "ToPatches", "SortBy", timeout=PATIENCE
        ),
    )
    # What is in dispute is drawn, though only the raters' labels were before.
    crops = page.locator("[data-cy=looker]")
    drawn = crops.locator("[data-cy=tag-kalos_units]").first
    drawn.wait_for()
    assert drawn.inner_text() in pair
    content = page.locator(CONTENT)
    dialog = run_operator(page, "KαLOS: delete a run")
    dialog.get_by_text("Your labels stay").wait_for()
    dialog.get_by_role("button", name="Execute").click()
    content.get_by_text("No agreement computed yet").wait_for()


def test_a_data_set_without_a_run_offers_to_compute_one(demo, beside):
    new = demo.clone()
    new.delete_runs()
    _, page = beside(new, PANEL)
    page.locator(CONTENT).get_by_text("No agreement computed yet").wait_for()
    page.locator(CONTENT).get_by_role("button", name="Compute agreement").click()
    page.get_by_role("dialog").get_by_text("One field for all raters").wait_for()
    new.delete()


def test_of_300_classes_the_worst_or_all(crowd, beside, until):
    _, page = beside(crowd, PANEL)
    content = page.locator(CONTENT)
    content.get_by_text("20 of 300 classes are shown").wait_for()
    page.wait_for_function(N_TICKS, arg=[CONTENT, 20])
    every = content.get_by_role("button", name="Show all 300")
    worst = content.get_by_role("button", name="Show the worst 20")
    until(
        lambda: every.is_visible() and every.click(timeout=PATIENCE),
        lambda: worst.wait_for(timeout=PATIENCE),
    )
    page.wait_for_function(N_TICKS, arg=[CONTENT, 300])
    shown = texts_of_plots(page, PANEL)
    for name in ODD_NAMES:
        assert any(text.startswith(f"{name} (") for text in shown), name
    marked = page.locator(f"{CONTENT} text a, {CONTENT} tspan[style*=bold]")
    assert marked.count() == 0
    until(
        lambda: worst.is_visible() and worst.click(timeout=PATIENCE),
        lambda: every.wait_for(timeout=PATIENCE),
    )
    page.wait_for_function(N_TICKS, arg=[CONTENT, 20])


N_TICKS = """([content, number]) => document.querySelector(
  content + ' .js-plotly-plot')?.querySelectorAll('g.ytick').length == number"""
