"""The panel of raters in Chromium: it draws, and clicks show where raters disagree."""

import pytest
from beside import (
    ODD_NAMES,
    PATIENCE,
    click_in_plot,
    texts_of_plots,
    wait_for_order,
    wait_for_view,
)
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
)

pytestmark = pytest.mark.browser

stored = plugin_module("operators.disagreement")

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
            lambda number=expected: wait_for_view(
                page, number, "Select", "FilterLabels", timeout=PATIENCE
            ),
        )
        question = stored.Question(raters=tuple(raters))
        view = stored.Disagreement(new).view(question, most_first=True)
        wait_for_order(page, "kalos_alpha", view.values("kalos_alpha"))
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
    colours = page.evaluate(
        "content => document.querySelector(content + ' .js-plotly-plot')"
        ".data[1].marker.color",
        CONTENT,
    )
    assert len(set(colours)) == 17


@pytest.fixture
def agreed(demo, compute):
    """Return two images on which three raters of odd names agree."""
    raters = ODD_NAMES[:3]
    made = make_dataset(
        *(
            sample(
                str(n),
                gt=detections(
                    *(detection(ODD_NAMES[n], 10, 10, 20, 20, rater=r) for r in raters)
                ),
                raters=list(raters),
            )
            for n in range(2)
        )
    )
    made.set_values("filepath", [demo.first().filepath] * 2)
    compute(made, "gt")
    yield made
    made.delete()


def test_notices_show_names_as_they_are(agreed, beside, until):
    _, page = beside(agreed, PANEL)
    notices = page.locator(".notistack-SnackbarContainer")
    first = sorted(stored.Disagreement(agreed).raters)[0]
    for number, at, words in (
        (0, (0, 0), f"{first} never stands against the others."),
        (1, (0, 1), "never disagree."),
    ):
        told = notices.get_by_text(words)
        until(
            lambda number=number, at=at: click_in_plot(page, PANEL, number, *at),
            lambda told=told: told.first.wait_for(timeout=PATIENCE),
        )
        assert notices.locator("b, a, img, em, .katex").count() == 0


N_TICKS = """([content, number]) => [...document.querySelectorAll(
  content + ' .js-plotly-plot')].every(
    plot => plot.querySelectorAll('g.ytick').length == number)"""
