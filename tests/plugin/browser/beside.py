"""A panel beside the images: open it, click into its plots, count the images."""

import re

import fiftyone as fo

PATIENCE = 5_000
"""Milliseconds after which something that the App may have missed is done again."""


PANELS = [
    f"kalos_{name}"
    for name in ("agreement", "raters", "localization", "classes", "what_if")
]
"""Those that stand beside the images."""

ODD_NAMES = ("<b>bold</b>", "<a href='//y'>x</a>", "$\\alpha$", "[x](http://y)")
"""Of raters and classes, none of which may be taken for markup."""


def beside_images(dataset, panel):
    """Return a copy of a data set that opens with one panel beside the images.

    A copy, since the App keeps the workspace of a data set that it has shown.
    """
    made = dataset.clone()
    made.persistent = True  # the server is another process
    panes = [fo.Panel(type="Samples", pinned=True), fo.Panel(type=panel)]
    space = fo.Space(
        orientation="horizontal",
        children=[
            # Without an active child the App leaves the pane blank.
            fo.Space(children=[pane], active_child=pane.component_id)
            for pane in panes
        ],
    )
    made.save_workspace(panel, space, overwrite=True)
    return made


def open_page(context, where):
    """Return a page that shows the images of a data set."""
    page = context.new_page()
    page.goto(where, wait_until="domcontentloaded")
    page.locator("[data-cy=looker]").first.wait_for()
    return page


def open_beside(context, address, dataset, panel):
    """Return a page with the data set and the panel."""
    slug = fo.core.utils.to_slug(panel)
    page = open_page(context, f"{address}/datasets/{dataset.name}?workspace={slug}")
    page.locator(f"[data-cy=panel-content-{panel}]").wait_for()
    return page


def wait_for_count(page, expected, **options):
    counts = page.locator("[data-cy=entry-counts]")
    counts.filter(has_text=re.compile(rf"^{expected:,} ")).wait_for(**options)


def wait_for_view(page, expected, *stages, **options):
    """Wait until so many are shown of a view that has just these stages."""
    wait_for_count(page, expected, **options)
    page.wait_for_function(STAGES_ARE, arg=list(stages), **options)


STAGES_ARE = """stages => {
  const shown = [...document.querySelectorAll('[data-cy=view-stage-container]')];
  const names = shown.map(stage => stage.querySelector('input').value);
  return JSON.stringify(names.filter(Boolean)) == JSON.stringify(stages);
}"""


def to_front(page, panel, until):
    """Bring a panel to the front and return what it shows."""
    tab = page.locator(f"[data-cy=panel-tab-{panel}]")
    content = page.locator(f"[data-cy=panel-content-{panel}]")
    until(
        lambda: content.is_visible() or tab.click(timeout=PATIENCE),
        lambda: content.wait_for(timeout=PATIENCE),
    )
    return content


def switch(page, dataset, until):
    """Choose another data set in the App, and have its panels arranged."""
    chooser = page.locator("[data-cy=selector-dataset]")
    option = page.locator(f"[data-cy='selector-result-{dataset.name}']")

    def choose():
        if dataset.name in page.url:
            return
        chooser.click(timeout=PATIENCE)
        chooser.fill(dataset.name, timeout=PATIENCE)
        option.click(timeout=PATIENCE)

    until(choose, lambda: page.wait_for_url(f"**/{dataset.name}*", timeout=PATIENCE))
    wait_for_count(page, len(dataset))
    arrange = page.locator("[data-item-id='@kalos/audit/open_audit']")
    panel = page.locator("[data-cy=panel-content-kalos_agreement]")
    until(
        lambda: panel.is_visible() or arrange.click(timeout=PATIENCE),
        lambda: panel.wait_for(timeout=PATIENCE),
    )


def click_in_plot(page, panel, number, x, y):
    """Click at (x, y) of the axes of a plot, once it stays where it is."""
    page.wait_for_function(IN_PLACE, arg=[panel, number])
    # It may be drawn anew just now, and is then waited for again.
    found = page.wait_for_function(POINT, arg=[panel, number, x, y], timeout=PATIENCE)
    where = found.json_value()
    page.mouse.move(where["x"], where["y"])
    page.mouse.click(where["x"], where["y"])


IN_PLACE = """async ([panel, number]) => {
  const place = () => {
    const found = document.querySelectorAll(
      `[data-cy=panel-content-${panel}] .js-plotly-plot`)[number];
    if (!found || !found._fullLayout || !found._fullLayout.yaxis) return null;
    found.scrollIntoView({block: 'center'});
    return JSON.stringify(found.getBoundingClientRect());
  };
  const before = place();
  await new Promise(resolve => setTimeout(resolve, 500));
  return before !== null && before == place();
}"""
POINT = """([panel, number, x, y]) => {
  const plot = document.querySelectorAll(
    `[data-cy=panel-content-${panel}] .js-plotly-plot`)[number];
  if (!plot?._fullLayout?.yaxis) return false;
  const box = plot.getBoundingClientRect();
  const {xaxis, yaxis} = plot._fullLayout;
  return {
    x: box.x + xaxis._offset + xaxis.d2p(x), y: box.y + yaxis._offset + yaxis.d2p(y)
  };
}"""


def wait_for_order(page, field, expected):
    """Wait until the first images are those of a field's first expected numbers."""
    first = [float(value) for value in expected[:6]]
    page.wait_for_function(ORDER_IS, arg=[field, first])


ORDER_IS = """([field, expected]) => {
  const tags = [...document.querySelectorAll(`[data-cy=tag-${field}]`)].map(tag => {
    const {x, y} = tag.closest('[data-cy=looker]').getBoundingClientRect();
    return {row: Math.round(y), x, number: Number(tag.innerText)};
  });
  const shown = tags.sort((a, b) => a.row - b.row || a.x - b.x);
  return shown.length >= expected.length && expected.every(
    (number, n) => Math.abs(number - shown[n].number) < 0.001);
}"""


def texts_of_plots(page, panel):
    """Return all text that the plots of a panel show."""
    found = page.locator(f"[data-cy=panel-content-{panel}] .js-plotly-plot text")
    return found.all_text_contents()
