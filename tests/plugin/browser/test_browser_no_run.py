"""Panels without a run: deleted by somebody else meanwhile, or no labels at all."""

import pytest
from beside import PATIENCE, click_in_plot, wait_for_count
from playwright.sync_api import expect
from plugin_builders import operator

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("panel", "x", "y"),
    [("kalos_agreement", 0.55, 3), ("kalos_raters", 0, 2), ("kalos_classes", 0.9, 4)],
)
def test_a_run_deleted_outside_while_it_is_open(demo, beside, until, panel, x, y):
    made, page = beside(demo, panel)
    content = page.locator(f"[data-cy=panel-content-{panel}]")
    content.locator(".js-plotly-plot .main-svg").first.wait_for(state="attached")
    operator("delete_run")(made, "kalos")
    compute = content.get_by_role("button", name="Compute agreement")

    def click():
        if not compute.is_visible():  # it may have noticed by itself
            click_in_plot(page, panel, 0, x, y)

    until(click, lambda: compute.wait_for(timeout=PATIENCE))
    expect(content.locator(".js-plotly-plot")).to_have_count(0)
    wait_for_count(page, len(demo))


@pytest.fixture
def bare(demo):
    """Return images without labels."""
    made = demo.limit(3).clone()
    made.delete_runs()
    kept = {"raters", "simulated_raters"}
    fields = set(made.get_field_schema()) - set(made._get_default_sample_fields())
    made.delete_sample_fields(sorted(fields - kept))
    yield made
    made.delete()


def test_without_labels_it_offers_to_bring_some_in(bare, beside, until):
    _, page = beside(bare, "kalos_agreement")
    content = page.locator("[data-cy=panel-content-kalos_agreement]")
    content.get_by_text("No labels yet").wait_for()
    dialog = page.get_by_role("dialog")
    for button, words in (
        ("Import annotations", "several raters"),
        ("Load the demo", "160 rendered blood smears"),
    ):
        clicked, form = (
            content.get_by_role("button", name=button),
            dialog.get_by_text(words),
        )
        until(
            lambda form=form, clicked=clicked: (
                form.first.is_visible() or clicked.click(timeout=PATIENCE)
            ),
            lambda form=form: form.first.wait_for(timeout=PATIENCE),
        )
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
