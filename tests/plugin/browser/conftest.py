"""One App server for all tests of the browser, and a Chromium for each file of them.

Playwright keeps an event loop running, in which no other test should find itself.
"""

from time import monotonic

import pytest
from beside import ODD_NAMES, beside_images, open_beside, open_page
from playwright.sync_api import TimeoutError as LateError
from plugin_builders import (
    box_document,
    detection,
    detections,
    make_dataset,
    multiply,
    operator,
    sample,
)

from scripts.app import app_server, audit_address
from scripts.browser import SECONDS, browser_context

PATIENCE = 5_000
"""Milliseconds after which something that the App may have missed is done again."""


@pytest.fixture(scope="session")
def address():
    """Return where the App is served."""
    with app_server() as address:
        yield address


@pytest.fixture(scope="module")
def served(address, seen):
    """Return the browser and the address of the App."""
    with browser_context() as context:
        context.add_init_script(TELL_ERRORS)
        context.on("console", lambda said: note_error(seen, said.text))
        yield context, address


@pytest.fixture(scope="session")
def seen():
    """Return the errors that the App has shown; see `errors`."""
    return []


@pytest.fixture(autouse=True)
def errors(seen):
    """Return the errors that the App shows; one that is left at the end is a failure.

    They are errors that an operator or a panel did not catch, and notices of an error.
    """
    seen.clear()
    yield seen
    assert not seen


def note_error(seen, text):
    if text.startswith(MARK):
        seen.append(text.removeprefix(MARK))


MARK = "The App shows: "
TELL_ERRORS = """(() => {
  const shown = new WeakSet();
  const errors = '.notistack-MuiContent-error, [data-cy=error-boundary]';
  new MutationObserver(() => {
    for (const error of document.querySelectorAll(errors)) {
      if (shown.has(error)) continue;
      shown.add(error);
      console.log('%s' + error.innerText);
    }
  }).observe(document, {childList: true, subtree: true});
})()""".replace("%s", MARK)


@pytest.fixture
def open_app(served):
    """Return a function that opens a data set in the App."""
    context, address = served
    pages = []

    def show(dataset, audit=False):
        where = f"{address}/datasets/{dataset.name}"
        if audit:
            where = audit_address(address, dataset.name)
        pages.append(open_page(context, where))
        return pages[-1]

    yield show
    for page in pages:
        page.close()


@pytest.fixture
def beside(served):
    """Return a function that opens a copy of a data set with a panel beside it."""
    opened = []

    def show(dataset, panel):
        made = beside_images(dataset, panel)
        page = open_beside(*served, made, panel)
        opened.append((made, page))
        return made, page

    yield show
    for made, page in opened:
        page.close()
        made.delete()


@pytest.fixture(scope="session")
def crowd(demo):
    """Return 30 images of 17 raters and 300 classes, some of odd names.

    Every 20th label is of the next class.
    """
    raters = [*ODD_NAMES, *(f"rater {n}" for n in range(13))]
    classes = [*ODD_NAMES, *(f"class {n}" for n in range(296))]
    samples = []
    for image in range(30):
        labels = [
            detection(classes[(n + (who + n) % 20 // 19) % 300], x, 20, 8, 8, rater=by)
            for x, n in zip(range(0, 100, 10), range(image * 10, 300), strict=False)
            for who, by in enumerate(raters)
        ]
        made = sample(str(image), gt=detections(*labels), raters=raters)
        made.filepath = demo.first().filepath
        samples.append(made)
    made = make_dataset(*samples)
    operator("compute_agreement")(made, "gt")
    yield made
    made.delete()


@pytest.fixture(scope="session")
def vast(demo):
    """Return 15,000 images of 17 raters and 300 classes, some of odd names.

    Three raters saw each. In every third image they drew an object: every fifth of
    them apart from each other, every tenth the last rater calls another class, and
    every seventh the last rater overlooks.
    """
    raters = [*ODD_NAMES, *(f"rater {n:02}" for n in range(13))]
    classes = [*ODD_NAMES, *(f"class {n:03}" for n in range(296))]

    def image(n):
        asked, seen = [raters[(n + place) % 17] for place in range(3)], n // 3
        drawn = [
            box_document(
                classes[(seen + (place == 2 and seen % 10 == 0)) % 300],
                *(10 + 3 * place * (seen % 5 == 0), 20, 30, 40),
                rater=rater,
            )
            for place, rater in enumerate(asked)
            if n % 3 == 0 and not (place == 2 and seen % 7 == 0)
        ]
        return {"raters": asked, "gt": {"_cls": "Detections", "detections": drawn}}

    one = detections(detection("x", 0, 0, 1, 1, rater="x"))
    template = sample("x", gt=one, raters=["x"])
    template.filepath = demo.first().filepath
    made = multiply(template, [image(n) for n in range(15_000)])
    made.persistent = True  # the server is another process
    operator("compute_agreement")(made, "gt")
    operator("open_audit")(made)  # saves the workspace
    yield made
    made.delete()


@pytest.fixture(scope="session")
def until():
    """Return a function that does something again until it has the effect.

    The App draws its panels anew after it has loaded, so a click may come to nothing.
    """

    def again(act, effect):
        end = monotonic() + SECONDS
        while True:
            try:
                act()
                return effect()
            except LateError:
                if monotonic() > end:
                    raise

    return again


@pytest.fixture
def run_operator(until):
    """Return a function that opens the form of an operator and returns its dialog."""

    def run(page, label):
        search = page.get_by_placeholder("Search operations by name")

        def ask():
            if not search.is_visible():
                page.keyboard.press("`")

        until(ask, lambda: search.fill(label, timeout=PATIENCE))
        page.get_by_text(label, exact=True).first.click()
        return page.get_by_role("dialog")

    return run
