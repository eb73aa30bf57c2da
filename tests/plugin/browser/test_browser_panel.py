"""The real App in Chromium: what a person sees and clicks."""

import re

import pytest
from beside import click_in_plot, wait_for_order, wait_for_view
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PANEL = "[data-cy=panel-content-kalos_agreement]"
PATIENCE = 5_000


@pytest.fixture
def open_audit(open_app):
    def show(dataset):
        page = open_app(dataset, audit=True)
        page.locator(PANEL).wait_for()
        return page

    return show


def wait_for_count(page, expected, **options):
    counts = page.locator("[data-cy=entry-counts]")
    counts.filter(has_text=re.compile(rf"^{expected} ")).wait_for(**options)


def wait_for_bars(page):
    """Wait until the bars of the panel are there and stay where they are."""
    bars = page.locator(f"{PANEL} .js-plotly-plot .point path")
    bars.first.wait_for(state="attached")
    page.wait_for_function(BARS_REST, arg=PANEL)
    return bars


BARS_REST = """async selector => {
  const places = () => JSON.stringify([...document.querySelectorAll(
    selector + ' .js-plotly-plot .point path')].map(e => e.getBoundingClientRect()));
  const before = places();
  await new Promise(resolve => setTimeout(resolve, 500));
  return before == places();
}"""


def test_images_boxes_and_panel_are_there(demo, open_audit):
    page = open_audit(demo)
    wait_for_count(page, len(demo))
    panel = page.locator(PANEL)
    panel.get_by_text("Mean α 0.6").wait_for()
    panel.locator(".js-plotly-plot .point path").first.wait_for(state="attached")
    canvas = page.locator("[data-cy=looker] canvas").first
    canvas.wait_for()
    # Boxes are painted over the image: there is the colour of a rater who saw it.
    page.wait_for_function(HAS_COLOUR, arg=[0xD5, 0x5E, 0x00], timeout=20_000)


HAS_COLOUR = """([red, green, blue]) => {
  const canvas = document.querySelector('[data-cy=looker] canvas');
  const context = canvas && canvas.getContext('2d');
  if (!context || !canvas.width) return false;
  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - red) < 12 && Math.abs(data[i + 1] - green) < 12
        && Math.abs(data[i + 2] - blue) < 12 && data[i + 3] > 200) return true;
  }
  return false;
}"""


def test_a_click_on_a_bar_narrows_the_grid_to_its_images(demo, open_audit, until):
    page = open_audit(demo)

    def click_the_tallest():
        boxes = [bar.bounding_box() for bar in wait_for_bars(page).all()]
        tallest = max(filter(None, boxes), key=lambda box: box["height"])
        page.mouse.click(
            tallest["x"] + tallest["width"] / 2, tallest["y"] + tallest["height"] / 2
        )

    alpha = [value for value in demo.values("kalos_alpha") if value is not None]
    bins = [sum(n / 10 <= a < (n + 1) / 10 for a in alpha) for n in range(10)]
    until(
        click_the_tallest,
        lambda: wait_for_count(page, max(bins), timeout=PATIENCE),
    )
    assert 0 < max(bins) < len(demo)
    low = bins.index(max(bins)) / 10
    inside = sorted(value for value in alpha if low <= value < low + 0.1)
    wait_for_view(page, len(inside), "Match", "SortBy")
    wait_for_order(page, "kalos_alpha", inside)
    page.locator(PANEL).get_by_role("button", name="Worst images first").click()
    wait_for_count(page, len(alpha))
    wait_for_order(page, "kalos_alpha", sorted(alpha))
    page.locator(PANEL).get_by_role("button", name="Undefined images").click()
    wait_for_count(page, len(demo) - len(alpha))


def test_a_kind_shows_its_images_or_its_objects(demo, open_audit, until):
    page = open_audit(demo)
    kinds = demo.values("kalos_units.detections.kind", unwind=True)
    images = demo.match({"kalos_units.detections.kind": "class"})
    n_objects, n_images = kinds.count("class"), len(images)
    assert 0 < n_images < n_objects

    def click():
        click_in_plot(page, "kalos_agreement", 1, n_objects / 2, 2)

    until(click, lambda: wait_for_view(page, n_images, "Select", timeout=PATIENCE))
    by_itself = page.locator(PANEL).get_by_role("checkbox")
    until(
        lambda: by_itself.is_checked() or by_itself.click(timeout=PATIENCE),
        lambda: expect(by_itself).to_be_checked(),
    )
    patches = "SelectLabels", "ToPatches", "SortBy"
    until(click, lambda: wait_for_view(page, n_objects, *patches, timeout=PATIENCE))


def test_from_nothing_to_agreement_by_clicking(demo, open_audit):
    new = demo.clone()
    new.delete_runs()
    new.delete_sample_fields([f for f in new.get_field_schema() if "kalos_" in f])
    page = open_audit(new)
    page.locator(PANEL).get_by_role("button", name="Compute agreement").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("A field per rater").click()
    dialog.get_by_text("Choose at least two fields").wait_for()
    execute = dialog.get_by_role("button", name="Execute")
    expect(execute).to_be_disabled()
    dialog.get_by_text("One field for all raters").click()
    dialog.get_by_text("Choose at least two fields").wait_for(state="detached")
    execute.click()
    page.get_by_text("0.615, substantial agreement").wait_for()
    page.get_by_role("button", name="Done").click()
    page.locator(f"{PANEL} .js-plotly-plot .point path").first.wait_for(
        state="attached"
    )
    new.reload()
    assert new.list_runs() == ["kalos"]
    new.delete()


def heights(page):
    """Return the heights of the bars that are drawn."""
    return page.evaluate(
        "selector => document.querySelector(selector + ' .js-plotly-plot').data[0].y",
        PANEL,
    )


def test_runs_come_and_go_while_the_panel_is_open(
    demo, compute, open_audit, until, run_operator
):
    new = demo.clone()
    compute(new, "ratings", tau=0.25, run_key="strict")
    try:
        page = open_audit(new)
        panel = page.locator(PANEL)
        panel.get_by_text("from IoU 0.75 up").wait_for()
        wait_for_bars(page)
        strict = heights(page)
        until(*selecting(page, "kalos"))
        panel.get_by_text("from IoU 0.50 up").wait_for()
        page.wait_for_function(BARS_CHANGED, arg=[PANEL, strict])
        until(*selecting(page, "strict"))
        panel.get_by_text("from IoU 0.75 up").wait_for()
        page.wait_for_function(BARS_ARE, arg=[PANEL, strict])
        dialog = run_operator(page, "KαLOS: delete a run")
        dialog.get_by_text("Your labels stay").wait_for()
        dialog.get_by_role("button", name="Execute").click()
        panel.get_by_text("from IoU 0.50 up").wait_for()
        new.reload()
        assert new.list_runs() == ["kalos"]
    finally:
        new.delete()


BARS_ARE = """([selector, heights]) => JSON.stringify(heights) ==
  JSON.stringify(document.querySelector(selector + ' .js-plotly-plot').data[0].y)"""
BARS_CHANGED = BARS_ARE.replace("==", "!=")


def selecting(page, key):
    """Return how to open the list of runs, and to choose; drawing anew closes it."""
    runs = page.locator(f"{PANEL} [role=combobox]").first
    option = page.get_by_role("option", name=key, exact=True)

    def opened():
        if not option.is_visible():
            runs.click(timeout=PATIENCE)

    return opened, lambda: option.click(timeout=PATIENCE)


def test_a_bad_label_is_named_in_the_dialog(demo, open_audit, errors):
    new = demo.clone()
    first = new.first()
    first.ratings.detections[0].bounding_box = [0.1, 0.1, float("nan"), 0.2]
    first.save()
    try:
        page = open_audit(new)
        page.locator(PANEL).get_by_role("button", name="New run").click()
        page.get_by_role("dialog").get_by_role("button", name="Execute").click()
        page.get_by_text("Nothing was written.").wait_for()
        told = page.get_by_role("dialog").get_by_text("got [0.1, 0.1, nan, 0.2]")
        told.wait_for()
        assert "smear_000.jpg" in told.inner_text()
        assert "Nothing was written." in errors.pop()
    finally:
        new.delete()
