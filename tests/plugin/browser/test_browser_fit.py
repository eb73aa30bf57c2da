"""Nothing is cut off, covered or hard to read: wide and narrow, dark and light."""

import pytest
from beside import PANELS, PATIENCE, open_page, to_front
from plugin_builders import operator

from scripts.app import audit_address
from scripts.browser import SIZE

pytestmark = pytest.mark.browser

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
    page = open_page(context, audit_address(address, made.name))
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
    assert page.evaluate(OVERLAPS, panel) == []
    assert page.evaluate(FAINT, panel) == []


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

OVERLAPS = """panel => {
  const found = [];
  const plots = `[data-cy=panel-content-${panel}] .js-plotly-plot`;
  for (const plot of document.querySelectorAll(plots)) {
    const words = [...plot.querySelectorAll('text')].filter(text => text.textContent);
    const boxes = words.map(text => text.getBoundingClientRect());
    for (const [n, one] of boxes.entries()) {
      for (const [m, other] of boxes.slice(0, n).entries()) {
        const shared = (from, to) =>
          Math.min(one[to], other[to]) - Math.max(one[from], other[from]);
        if (shared('left', 'right') > 2 && shared('top', 'bottom') > 4)
          found.push([words[n].textContent, words[m].textContent]);
      }
    }
  }
  return found;
}"""
FAINT = """panel => {
  const parts = colour => colour.match(/[0-9.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(part => part / 255).map(
    part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  ).reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a] = parts(getComputedStyle(at).backgroundColor);
      if (a === undefined || a > 0.5) return light([r, g, b]);
    }
  };
  const content = document.querySelector(`[data-cy=panel-content-${panel}]`);
  const words = 'p, h5, label, .xtick text, .ytick text, .g-xtitle text,'
    + ' .g-x2title text, .g-ytitle text, .legendtext';
  return [...content.querySelectorAll(words)].filter(element => {
    if (!element.textContent || element.closest('.Mui-disabled')) return false;
    const style = getComputedStyle(element);
    const ink = light(parts(element instanceof SVGElement ? style.fill : style.color));
    const [low, high] = [ink, ground(element)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05) < 3;
  }).map(element => element.textContent.slice(0, 80));
}"""


def test_all_is_read_on_light_ground(page, until):
    page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
    page.add_init_script("localStorage.setItem('mui-mode', 'light')")
    page.reload(wait_until="domcontentloaded")
    page.locator("[data-cy=looker]").first.wait_for()
    for panel in PANELS:
        content = to_front(page, panel, until)
        content.locator(".js-plotly-plot .main-svg").first.wait_for(state="attached")
        assert page.evaluate(IS_LIGHT, panel)
        assert page.evaluate(FAINT, panel) == []


IS_LIGHT = """panel => {
  const text = document.querySelector(`[data-cy=panel-content-${panel}] p`);
  return getComputedStyle(text).color.match(/[0-9]+/g).every(part => part < 128);
}"""
