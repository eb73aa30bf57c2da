"""One App server for all tests of the browser, and a Chromium for each file of them.

Playwright keeps an event loop running, in which no other test should find itself.
"""

from time import monotonic

import pytest
from playwright.sync_api import TimeoutError as LateError

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
def served(address):
    """Return the browser and the address of the App."""
    with browser_context() as context:
        yield context, address


@pytest.fixture
def open_app(served):
    """Return a function that opens a data set in the App."""
    context, address = served
    pages = []

    def show(dataset, audit=False):
        page = context.new_page()
        pages.append(page)
        where = f"{address}/datasets/{dataset.name}"
        if audit:
            where = audit_address(address, dataset.name)
        page.goto(where, wait_until="domcontentloaded")
        page.locator("[data-cy=looker]").first.wait_for()
        return page

    yield show
    for page in pages:
        page.close()


@pytest.fixture
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
