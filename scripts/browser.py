"""Headless Chromium for tests and screenshots."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

from scripts.set_up import BROWSERS

OPTIONS = (
    # Nothing but the App itself may be asked for anything. Playwright could see to that
    # too, but then the browser would keep nothing and load the App anew for each page.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZE = (1500, 900)
SECONDS = 60


def find_browser() -> str | None:
    """Return the Chromium to use: the one in CHROME, else the first installed."""
    named = os.environ.get("CHROME")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


@contextlib.contextmanager
def browser_context(dark: bool = True) -> Iterator[object]:
    """Yield a Playwright browser context that reaches this machine only."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=SECONDS * 1000)

    theme = "dark" if dark else "light"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=list(OPTIONS)
        )
        width, height = SIZE
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme
        )
        context.add_init_script(
            "localStorage.setItem('fiftyone-enterprise-tooltip-seen', 'true');"
            f"localStorage.setItem('mui-mode', '{theme}');"
        )
        context.set_default_timeout(SECONDS * 1000)
        yield context
        browser.close()
