"""The panel of raters in Chromium: it draws, and clicks show where raters disagree."""

import pytest
from beside import (
    ODD_NAMES,
    PATIENCE,
    click_in_plot,
    texts_of_plots,
    wait_for_count,
)
from plugin_builders import operator

pytestmark = pytest.mark.browser

PANEL = "kalos_raters"
CONTENT = f"[data-cy=panel-content-{PANEL}]"


def test_clicks_show_where_raters_disagree(demo, beside, until, run_operator):
    new, page = beside(demo, PANEL)
    content = page.locator(CONTENT)
    content.get_by_text("More than one school of thought").wait_for()
    show = operator("show_disagreement")
    clicks = [
        (0, 0, 2, ["cho"]),
        (0, 0, 5, ["fay"]),
        (1, 0, 1, ["dee", "ana"]),
        (1, 5, 2, ["fay", "ben"]),
    ]
    for plot, x, y, raters in clicks:
        expected = len(show(new, raters=raters))
        assert 0 < expected < len(new)
        until(
            lambda at=(plot, x, y): click_in_plot(page, PANEL, *at),
            lambda number=expected: wait_for_count(page, number, timeout=PATIENCE),
        )
    dialog = run_operator(page, "KαLOS: delete a run")
    dialog.get_by_text("Your labels stay").wait_for()
    dialog.get_by_role("button", name="Execute").click()
    content.get_by_text("No agreement computed yet").wait_for()
    content.get_by_text("Compute agreement", exact=True).wait_for()


def test_seventeen_raters_of_odd_names_fit(crowd, beside):
    _, page = beside(crowd, PANEL)
    page.locator(f"{CONTENT} .js-plotly-plot").nth(1).wait_for()
    page.wait_for_function(N_TICKS, arg=[CONTENT, 17])
    shown = texts_of_plots(page, PANEL)
    for name in ODD_NAMES:
        assert f"{name} (30)" in shown
    marked = page.locator(f"{CONTENT} text a, {CONTENT} tspan[style*=bold]")
    assert marked.count() == 0


N_TICKS = """([content, number]) => [...document.querySelectorAll(
  content + ' .js-plotly-plot')].every(
    plot => plot.querySelectorAll('g.ytick').length == number)"""
