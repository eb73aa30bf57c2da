"""Nothing is cut off or covered: tabs, plots, tables, in wide and in narrow windows."""

import pytest
from beside import PATIENCE, to_front
from plugin_builders import operator

from scripts.app import audit_address
from scripts.browser import SIZE

pytestmark = pytest.mark.browser

PANELS = [
    f"kalos_{name}"
    for name in ("agreement", "raters", "localization", "classes", "what_if")
]
NARROW = 900


@pytest.fixture(scope="module")
def page(demo, served):
    """Return a page with all panels of a data set that has a calibration, too."""
    context, address = served
    made = demo.clone()
    made.persistent = True  # the server is another process
    operator("calibrate")(made, "ratings", d_locs=["box_iou"])
    made.delete_workspaces()
    operator("open_audit")(made)
    page = context.new_page()
    page.goto(audit_address(address, made.name), wait_until="domcontentloaded")
    page.locator("[data-cy=looker]").first.wait_for()
    yield page
    page.close()
    made.delete()


def test_all_tabs_are_seen(page, until):
    """The App puts its choice of workspaces over the end of the last pane's tabs."""
    to_front(page, PANELS[0], until)
    for panel in PANELS:
        assert page.evaluate(IS_SEEN, f"[data-cy=panel-tab-{panel}]"), panel


IS_SEEN = """selector => {
  const tab = document.querySelector(selector), box = tab.getBoundingClientRect();
  return [box.left + 4, box.right - 4].every(
    x => tab.contains(document.elementFromPoint(x, box.top + box.height / 2)));
}"""


@pytest.mark.parametrize("width", [SIZE[0], NARROW])
@pytest.mark.parametrize("panel", PANELS)
def test_nothing_is_wider_than_the_pane(page, panel, width, until):
    page.set_viewport_size({"width": width, "height": SIZE[1]})
    content = to_front(page, panel, until)
    content.locator(".js-plotly-plot .main-svg").first.wait_for(state="attached")
    # What is left over once the App has drawn the plots in the new width.
    page.wait_for_function(FITS, arg=panel, timeout=4 * PATIENCE)


FITS = """panel => {
  const content = document.querySelector(`[data-cy=panel-content-${panel}]`);
  const {left, right} = content.getBoundingClientRect();
  const inside = (box, from, to) => box.left >= from - 1 && box.right <= to + 1;
  const within = (element, parent) => {
    const {left, right} = parent.getBoundingClientRect();
    return inside(element.getBoundingClientRect(), left, right);
  };
  const all = (selector, from) => [...(from || content).querySelectorAll(selector)];
  const words = '.g-xtitle, .g-x2title, .g-ytitle, .xtick, .ytick, .legend, .bars text';
  return all('.js-plotly-plot, table, button, input, p').every(
      element => inside(element.getBoundingClientRect(), left, right))
    && all('.js-plotly-plot').every(
      plot => all(words, plot).every(element => within(element, plot)));
}"""
