"""What-if in the real App: change something, see it, go there, keep it."""

import re
from dataclasses import replace

import fiftyone as fo
import numpy as np
import pytest
from beside import click_in_plot, wait_for_view
from playwright.sync_api import expect
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
)

pytestmark = pytest.mark.browser

NAME = "kalos_what_if"
PANEL = f"[data-cy=panel-content-{NAME}]"
PATIENCE = 5_000

what_if = plugin_module("operators.what_if")
Restriction = plugin_module("kalos_core.what_if").Restriction


@pytest.fixture
def open_panel(served):
    """Return a function that opens a data set beside the panel."""
    context, address = served
    pages = []

    def pane(panel):
        return fo.Space(children=[panel], active_child=panel.component_id)

    def show(dataset):
        panes = [fo.Panel(type="Samples", pinned=True), fo.Panel(type=NAME)]
        space = fo.Space(orientation="horizontal", children=list(map(pane, panes)))
        dataset.save_workspace("what-if", space, overwrite=True)
        page = context.new_page()
        pages.append(page)
        where = f"{address}/datasets/{dataset.name}?workspace=what-if"
        page.goto(where, wait_until="domcontentloaded")
        page.locator(PANEL).wait_for()
        return page

    yield show
    for page in pages:
        page.close()


@pytest.fixture
def own_demo(demo):
    """Return a copy of the demo, for tests that change runs."""
    made = demo.clone()
    made.persistent = True
    yield made
    made.delete()


def wait_for_count(page, expected, **options):
    counts = page.locator("[data-cy=entry-counts]")
    counts.filter(has_text=re.compile(rf"^{expected} ")).wait_for(**options)


def leave_out(page, rater, until):
    """Choose a rater in the first of the lists; the App may close it by drawing."""
    chosen = page.locator(f"{PANEL} .MuiChip-root").get_by_text(rater, exact=True)
    option = page.get_by_role("option", name=rater, exact=True)

    def choose():
        if chosen.count():
            return
        if not option.is_visible():
            page.locator(f"{PANEL} input[role=combobox]").first.click(timeout=PATIENCE)
        option.click(timeout=PATIENCE)

    until(choose, lambda: chosen.wait_for(timeout=PATIENCE))


def summary_of(found, before):
    return f"Mean α {before.mean_alpha:.2f} → {found.mean_alpha:.2f}"


HEIGHTS_ARE = """([selector, heights]) => JSON.stringify(heights) == JSON.stringify(
  document.querySelector(selector + ' .js-plotly-plot')?.data[0].y)"""


def bins(alpha):
    edges = np.round(np.linspace(-1, 1, 21), 1)
    return np.histogram(alpha[~np.isnan(alpha)], bins=edges)[0].tolist()


def test_changes_are_shown_at_once_and_lead_to_images(demo, open_panel, until):
    run = what_if.of_run(demo, "kalos")
    others = Restriction(raters=tuple(name for name in run.raters if name != "eli"))
    found = run.again(run.configuration, others)
    page = open_panel(demo)
    panel = page.locator(PANEL)
    panel.get_by_text("All images are as in the run").wait_for()
    page.wait_for_function(HEIGHTS_ARE, arg=[PANEL, bins(run.found.alpha)])
    keep = panel.get_by_role("button", name="Keep as a new run")
    expect(keep).to_be_disabled()
    leave_out(page, "eli", until)
    panel.get_by_text(summary_of(found, run.found)).wait_for()
    page.wait_for_function(HEIGHTS_ARE, arg=[PANEL, bins(found.alpha)])
    expect(keep).to_be_enabled()

    def click_the_tallest():
        page.get_by_text("Click a bar to see").scroll_into_view_if_needed()
        bars = page.locator(f"{PANEL} .js-plotly-plot .trace").first.locator("path")
        boxes = [bar.bounding_box() for bar in bars.all()]
        tall = max(filter(None, boxes), key=lambda box: box["height"])
        page.mouse.click(tall["x"] + tall["width"] / 2, tall["y"] + tall["height"] / 2)

    until(
        click_the_tallest,
        lambda: wait_for_count(page, max(bins(found.alpha)), timeout=PATIENCE),
    )
    n_worst = min(50, int((found.alpha < 1).sum()))
    worst = panel.get_by_role("button", name=f"Show the {n_worst} worst images")
    until(worst.click, lambda: wait_for_count(page, n_worst, timeout=PATIENCE))
    # What is shown stays, whatever the App repeats.
    panel.get_by_text(summary_of(found, run.found)).wait_for()
    panel.get_by_role("button", name="Back to the run").click()
    panel.get_by_text("All images are as in the run").wait_for()
    page.locator(f"{PANEL} .MuiChip-root").wait_for(state="detached")


def test_solver_cost_classes_and_sizes_are_chosen(demo, open_panel, until):
    """Each is chosen in the App on top of those before it."""
    run = what_if.of_run(demo, "kalos")
    page = open_panel(demo)
    panel = page.locator(PANEL)
    panel.get_by_text("All images are as in the run").wait_for()
    only, other = Restriction(), run.configuration
    for control, option, settings, restriction in (
        ("Greedy", "Clustering", {"solver": "ahc"}, {}),
        ("Class first", "Places only", {"psi": "neg"}, {}),
        (1, "red cell", {}, {"classes": ("red cell",)}),
        (2, "Small", {}, {"sizes": ("small",)}),
    ):
        other, only = replace(other, **settings), replace(only, **restriction)
        choose(page, control, option, until)
        found = run.again(other, only)
        page.wait_for_function(HEIGHTS_ARE, arg=[PANEL, bins(found.alpha)])
        panel.get_by_text(f"{other}", exact=True).wait_for()
        panel.get_by_text(f"Mean α 0.62 → {found.mean_alpha:.2f}").wait_for()
    expect(panel.get_by_role("button", name="Keep as a new run")).to_be_disabled()
    panel.get_by_text("a run compares labels of all classes and sizes").wait_for()
    heights = bins(found.alpha)
    middle, most = np.argmax(heights) / 10 - 0.95, max(heights)
    until(
        lambda: click_in_plot(page, NAME, 0, middle, most / 2),
        lambda: wait_for_view(page, most, "Select", timeout=PATIENCE),
    )


def choose(page, control, option, until):
    """Choose an option, by what a selector shows or the place of a list of several."""
    chosen = page.locator(PANEL).get_by_text(option, exact=True)
    offered = page.get_by_role("option", name=option, exact=True)
    if isinstance(control, int):
        opened = page.locator(f"{PANEL} input[role=combobox]").nth(control)
    else:
        opened = page.locator(f"{PANEL} [role=combobox]").filter(has_text=control)

    def click():
        if not chosen.count():
            if not offered.is_visible():
                opened.click(timeout=PATIENCE)
            offered.click(timeout=PATIENCE)

    until(click, lambda: chosen.first.wait_for(timeout=PATIENCE))


def test_the_threshold_moves_and_is_kept_as_a_run(own_demo, open_panel, until):
    page = open_panel(own_demo)
    panel = page.locator(PANEL)
    panel.get_by_text("from IoU 0.50 up").wait_for()
    leave_out(page, "fay", until)
    thumb = page.locator(f"{PANEL} input[type=range]")

    def move():
        thumb.focus(timeout=PATIENCE)
        page.keyboard.press("ArrowLeft")

    moved = panel.get_by_text(re.compile(r"from IoU 0\.5[1-9] up"))
    until(move, lambda: moved.wait_for(timeout=PATIENCE))
    page.wait_for_function(IS_TOLD, arg=PANEL)
    tau = float(thumb.input_value())
    keep = panel.get_by_role("button", name="Keep as a new run")
    expect(keep).to_be_enabled()
    dialog = page.get_by_role("dialog")

    def ask():
        if not dialog.is_visible():  # drawing the panel anew may swallow a click
            keep.click(timeout=PATIENCE)

    form = dialog.get_by_text("Raters to compare")
    until(ask, lambda: form.wait_for(timeout=PATIENCE))
    dialog.get_by_role("button", name="Execute").click()
    page.get_by_text(" 160 images").first.wait_for()
    panel.get_by_text("All images are as in the run").wait_for()
    # Whoever tries things out stays where that is done.
    assert page.locator("[data-cy=panel-tab-kalos_agreement]").count() == 0
    own_demo.reload()
    new = own_demo.get_run_info("kalos_2").config
    assert new.configuration["tau"] == tau < 0.5
    raters = own_demo.load_run_results("kalos_2").raters["name"]
    assert raters == ["ana", "ben", "cho", "dee", "eli"]


IS_TOLD = """selector => {
  const panel = document.querySelector(selector);
  const tau = panel.querySelector('input[type=range]').value;
  return panel.innerText.includes('Threshold τ ' + Number(tau).toFixed(2));
}"""


def test_a_run_deleted_while_it_is_open(own_demo, open_panel, until):
    page = open_panel(own_demo)
    panel = page.locator(PANEL)
    panel.get_by_text("All images are as in the run").wait_for()
    operator("delete_run")(own_demo, "kalos")
    worst = panel.get_by_role("button", name="Show the 50 worst images")
    compute = panel.get_by_role("button", name="Compute agreement")

    def click():
        if worst.is_visible():  # it may have noticed by itself
            worst.click(timeout=PATIENCE)

    until(click, lambda: compute.wait_for(timeout=PATIENCE))


HOSTILE = ["<b>x</b>", "<a href='http://y'>z</a>", "[x](http://y)", "$\\alpha$"]


@pytest.fixture
def crowd(compute):
    """Return 17 raters and 300 classes, some of hostile names, without and with a run.

    The file is hostile, too.
    """
    raters = [*HOSTILE, *(f"rater {n:02}" for n in range(13))]
    classes = [*HOSTILE, *(f"class {n:03}" for n in range(296))]
    boxes = [
        detection(classes[(17 * n + place) % 300], n, 10, 20, 20, rater=rater)
        for place, rater in enumerate(raters)
        for n in range(18)
    ]
    made = make_dataset(
        sample("<b>bold <img src=x>", gt=detections(*boxes), raters=raters)
    )
    made.persistent = True
    yield made
    made.delete()


def test_many_and_hostile_names_are_text(crowd, compute, open_panel, until):
    page = open_panel(crowd)
    panel = page.locator(PANEL)
    panel.get_by_role("button", name="Compute agreement").wait_for()
    compute(crowd, "gt")
    page.close()
    page = open_panel(crowd)
    panel = page.locator(PANEL)
    panel.get_by_text("<b>bold <img src=x>.jpg", exact=True).wait_for()
    for name in HOSTILE:
        leave_out(page, name, until)
    lists = page.locator(f"{PANEL} input[role=combobox]")
    options = page.get_by_role("option")

    def open_classes():
        if not options.first.is_visible():
            lists.nth(1).click(timeout=PATIENCE)

    def listed():
        """Return names and what is drawn in one look: the App may close the list."""
        found = page.wait_for_function(ALL_ARE_LISTED, arg=PANEL, timeout=PATIENCE)
        return found.json_value()

    names, n_drawn = until(open_classes, listed)
    assert len(names) == 300
    assert set(HOSTILE) <= set(names)
    assert n_drawn == 0


ALL_ARE_LISTED = """selector => {
  const names = [...document.querySelectorAll('[role=option]')].map(o => o.innerText);
  const drawn = `:is(${selector}, [role=listbox]) :is(b, a, img, .katex)`;
  return names.length > 17 && [names, document.querySelectorAll(drawn).length];
}"""
