"""The inspector beside an image, and the button that arranges the panels."""

import pytest
from playwright.sync_api import expect
from plugin_builders import operator, plugin_module

pytestmark = pytest.mark.browser

PANEL = "[data-cy=panel-content-kalos_inspector]"
TAB = "[data-cy=panel-tab-kalos_inspector]"
PATIENCE = 5_000
VIEW = "inspected"

in_digits = plugin_module("panels.numbers").in_digits


@pytest.fixture
def inspect(open_app, until):
    """Return a function that opens an image with the inspector beside it.

    The image is the first one of a view.
    """
    saved = []

    def show(dataset, view):
        dataset.save_view(VIEW, view, overwrite=True)
        saved.append(dataset)
        page = open_app(dataset)
        where = page.url.split("?")[0]
        page.goto(f"{where}?view={VIEW}", wait_until="domcontentloaded")
        page.locator("[data-cy=entry-counts]", has_text=f"{len(view)} ").wait_for()
        images = page.locator("[data-cy=looker]")
        tab, panel = page.locator(TAB), page.locator(PANEL)
        until(
            lambda: tab.is_visible() or images.first.click(timeout=PATIENCE),
            lambda: tab.wait_for(timeout=PATIENCE),
        )
        until(
            lambda: tab.click(timeout=PATIENCE),
            lambda: panel.wait_for(timeout=PATIENCE),
        )
        split = page.locator("[data-cy=modal] [title='Split horizontally']")
        if split.is_visible():  # the browser remembers it
            split.click()
        page.locator("[data-cy=modal] [data-cy=modal-looker-container]").wait_for()
        return page, panel

    yield show
    for dataset in saved:
        if not dataset.deleted and dataset.has_saved_view(VIEW):
            dataset.delete_saved_view(VIEW)


def shown(page, dataset, sample_id):
    """Wait until App and inspector show a sample, with all of its objects."""
    page.wait_for_url(f"**id={sample_id}*")
    sample = dataset[sample_id]
    panel = page.locator(PANEL)
    alpha = sample.kalos_alpha
    value = "undefined" if alpha is None else in_digits(alpha, 3)
    panel.get_by_text(f"α {value}").wait_for()
    expect(panel.locator("tbody tr")).to_have_count(sample.kalos_n_units)


def disputed(dataset):
    view = dataset.match({"kalos_alpha": {"$lt": 1}})
    return view.sort_by("kalos_alpha").values("id")


def test_it_follows_the_image_and_leads_to_the_next(demo, inspect):
    worst = disputed(demo)
    view = demo.select(worst[:2], ordered=True)
    page, panel = inspect(demo, view)
    shown(page, demo, worst[0])
    panel.get_by_text("Number 1 of 2 disputed images").wait_for()
    previous, following = (
        panel.get_by_role("button", name=f"{which} disputed")
        for which in ("Previous", "Next")
    )
    expect(previous).to_be_disabled()
    following.click()
    shown(page, demo, worst[1])
    panel.get_by_text("Number 2 of 2 disputed images").wait_for()
    expect(following).to_be_disabled()
    previous.click()
    shown(page, demo, worst[0])
    page.keyboard.press("ArrowRight")
    shown(page, demo, worst[1])


def test_cells_are_told_apart(demo, inspect):
    missed = next(
        s for s in demo.match({"kalos_n_no_object": {"$gt": 0}}) if len(s.raters) == 5
    )
    page, panel = inspect(demo, demo.select(missed.id))
    shown(page, demo, missed.id)

    def style(text):
        cell = panel.locator("td", has_text=text).first
        return cell.evaluate(
            "cell => { const s = getComputedStyle(cell);"
            " return [s.backgroundColor, s.boxShadow, s.opacity]; }"
        )

    red_cell, nothing, unasked = map(style, ("red cell", "no object", "not asked"))
    assert red_cell[0] not in (nothing[0], unasked[0])
    assert nothing[1] != "none" and unasked[1] == "none"
    assert float(unasked[2]) < 0.5
    # Six raters fit without scrolling.
    table = panel.locator("table").locator("xpath=..")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")


def test_a_click_selects_the_labels_of_an_object(demo, inspect):
    sample = demo[disputed(demo)[-1]]
    page, panel = inspect(demo, demo.select(sample.id))
    shown(page, demo, sample.id)
    row = panel.locator("tbody tr").first
    unit = int(row.locator("td").first.inner_text())
    labels = [d for d in sample.ratings.detections if d.kalos_unit == unit]
    row.click()
    selected = page.locator("[data-cy=modal] [data-cy=action-manage-selected]")
    expect(selected).to_have_text(str(len(labels)))
    row.click()
    expect(selected).to_have_text("0")


def test_a_run_deleted_meanwhile_and_none_at_all(demo, inspect):
    new = demo.clone()
    try:
        first, second = disputed(new)[:2]
        page, panel = inspect(new, new.select([first, second], ordered=True))
        shown(page, new, first)
        operator("delete_run")(new, "kalos")
        panel.get_by_role("button", name="Next disputed").click()
        page.get_by_text("Run 'kalos' was deleted.").wait_for()
        panel.get_by_role("button", name="Compute agreement").wait_for()
        page.close()
        page, panel = inspect(new, new.select(first))
        panel.get_by_role("button", name="Compute agreement").wait_for()
    finally:
        new.delete()


def test_names_are_shown_as_they_are(demo, compute, inspect):
    new, hostile = demo.clone(), "<b>x</b>[y](http://y)"
    names = new.values("ratings.detections.rater")
    new.set_values(
        "ratings.detections.rater",
        [[hostile if name == "ana" else name for name in row] for row in names],
    )
    rows = new.values("raters")
    new.set_values(
        "raters", [[hostile if n == "ana" else n for n in row] for row in rows]
    )
    try:
        compute(new, "ratings", overwrite=True)
        first = disputed(new)[0]
        page, panel = inspect(new, new.select(first))
        shown(page, new, first)
        panel.locator("th", has_text=hostile).wait_for()
        assert panel.locator("table b, table a").count() == 0
    finally:
        new.delete()


def test_the_button_arranges_images_and_panels(demo, open_app, until):
    new = demo.clone()
    new.delete_workspaces()
    try:
        page = open_app(new)
        button = page.locator("[data-item-id='@kalos/audit/open_audit']")
        panel = page.locator("[data-cy=panel-content-kalos_agreement]")
        until(
            lambda: panel.is_visible() or button.click(timeout=PATIENCE),
            lambda: panel.wait_for(timeout=PATIENCE),
        )
        panel.get_by_text("Mean α 0.6").wait_for()
        listed = [p.type for p in operator("open_audit")(new).children[0].children]
        for name in listed:
            page.locator(f"[data-cy=panel-tab-{name}]").wait_for()
        page.locator("[data-cy=looker]").first.wait_for()
        new.reload()
        assert new.list_workspaces() == ["KαLOS audit"]
    finally:
        new.delete()
