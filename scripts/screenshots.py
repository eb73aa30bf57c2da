"""`make screenshots`: take the pictures of the README from the demo."""

from __future__ import annotations

import io
import sys

from scripts.app import app_server, audit_address
from scripts.browser import browser_context, find_browser
from scripts.demo import DATASET, audit, build
from scripts.sandbox import ROOT, enter

PICTURE = ROOT / "docs" / "images" / "audit.webp"
PANEL = "[data-cy=panel-content-kalos_agreement]"


def main():
    if find_browser() is None:
        sys.exit("Screenshots need Chromium; see `make test`.")
    enter("demo")
    audit(build())
    with app_server() as address, browser_context() as context:
        page = context.new_page()
        page.goto(audit_address(address, DATASET), wait_until="domcontentloaded")
        page.locator("[data-cy=looker]").first.wait_for()
        bars = page.locator(f"{PANEL} .js-plotly-plot .point path")
        bars.first.wait_for(state="attached")
        page.wait_for_timeout(3000)  # until images, boxes and plot are drawn
        take(page)


def take(page):
    """Write the page as a picture, small enough for a repository."""
    from PIL import Image

    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(page.screenshot())).save(PICTURE, quality=85, method=6)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
