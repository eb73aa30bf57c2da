"""`make screenshots`: take pictures of every panel, and those of the README, anew.

Each panel is taken as a whole, light and dark, in a wide and in a narrow window, into
.kalos/screens, to be looked at.
"""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager

from scripts.app import app_server, audit_address
from scripts.browser import browser_context, find_browser
from scripts.demo import RUN, audit, build
from scripts.sandbox import HOME, ROOT, enter

README = ROOT / "docs" / "images"
SCREENS = HOME / "screens"
COPY = "kalos-demo-pictured"
PANELS = ("agreement", "raters", "localization", "classes", "what_if")
THEMES = {"dark": True, "light": False}
INSPECTED = "inspected"
WHOLE = "audit.webp"
"""The picture that shows all of the App."""

FOR_README = {
    "agreement-dark": WHOLE,
    "raters-dark": "raters.webp",
    "inspector-dark": "inspector.webp",
}
WIDTH, NARROW, HEIGHT, TALL = 1500, 900, 900, 1900


def main():
    if find_browser() is None:
        sys.exit("Screenshots need Chromium; see `make test`.")
    enter("demo")
    with pictured():
        for theme, dark in THEMES.items():
            # The server remembers what was open, so each theme has its own.
            with app_server() as address, browser_context(dark) as context:
                page = context.new_page()
                page.goto(audit_address(address, COPY), wait_until="domcontentloaded")
                for name in PANELS:
                    take_panel(page, name, theme)
                for name in PANELS:
                    take_narrow(page, name, theme)
                take_inspector(page, address, theme)


@contextmanager
def pictured():
    """Have a copy of the demo with a calibration; the demo has none."""
    import fiftyone as fo
    import fiftyone.operators as foo

    demo = build()
    audit(demo)
    if fo.dataset_exists(COPY):
        fo.delete_dataset(COPY)
    dataset = demo.clone(COPY)
    dataset.persistent = True  # the server is another process
    dataset.delete_workspaces()  # which may be of an earlier version
    foo.get_operator("@kalos/audit/open_audit")(dataset)
    foo.get_operator("@kalos/audit/calibrate")(dataset, "ratings", d_locs=["box_iou"])
    kinds = f"{RUN}_units.detections.kind"
    several = dataset.match(
        {
            kinds: {"$all": ["class", "missed"]},
            "raters.4": {"$exists": True},
            "raters.5": {"$exists": False},
        }
    )
    dataset.save_view(INSPECTED, several.sort_by(f"{RUN}_n_units").limit(1))
    yield
    dataset.delete()


def take_panel(page, name, theme):
    """Take one of the panels beside the images."""
    content = bring_to_front(page, name)
    save(content, SCREENS / f"{name}-{theme}.webp")
    picture = FOR_README.get(f"{name}-{theme}")
    if picture == WHOLE:
        resize(page, HEIGHT)
        wait_until_drawn(page)
        save(page, README / picture)
    elif picture:
        save(content, README / picture)


def take_narrow(page, name, theme):
    """Take one of the panels in a narrow window."""
    save(bring_to_front(page, name, NARROW), SCREENS / f"{name}-{theme}-narrow.webp")


def bring_to_front(page, name, width=WIDTH):
    """Return one of the panels when it is drawn."""
    content = page.locator(f"[data-cy=panel-content-kalos_{name}]")
    resize(page, TALL, width)
    page.locator(f"[data-cy=panel-tab-kalos_{name}]").click()
    content.locator(".js-plotly-plot svg").first.wait_for(state="attached")
    page.locator("[data-cy=looker] canvas").first.wait_for()
    wait_until_drawn(page)
    return content


def take_inspector(page, address, theme):
    """Take the panel beside a disputed image."""
    resize(page, HEIGHT)
    page.goto(f"{address}/datasets/{COPY}?view={INSPECTED}")
    page.locator("[data-cy=looker]").first.click()
    page.locator("[data-cy=panel-tab-kalos_inspector]").click()
    page.locator("[data-cy=modal] [title='Split horizontally']").click()
    page.locator("[data-cy=panel-content-kalos_inspector] td").first.wait_for()
    wait_until_drawn(page)
    save(page, SCREENS / f"inspector-{theme}.webp")
    if f"inspector-{theme}" in FOR_README:
        # Without the sidebar, which tells where this machine has its files.
        panes = [
            page.locator(f"[data-cy={name}]").bounding_box()
            for name in ("modal-looker-container", "panel-content-kalos_inspector")
        ]
        save(page, README / FOR_README[f"inspector-{theme}"], clip=around(panes))


def resize(page, height, width=WIDTH):
    page.set_viewport_size({"width": width, "height": height})


def wait_until_drawn(page):
    page.wait_for_timeout(4000)  # until images, boxes and plots are drawn


def around(boxes):
    """Return the box around some boxes."""
    x, y = (min(box[name] for box in boxes) for name in "xy")
    right = max(box["x"] + box["width"] for box in boxes)
    foot = max(box["y"] + box["height"] for box in boxes)
    return {"x": x, "y": y, "width": right - x, "height": foot - y}


def save(what, path, **options):
    """Write a part of the page as a picture, small enough for a repository."""
    from PIL import Image

    picture = Image.open(io.BytesIO(what.screenshot(**options))).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    without_ground(picture).save(path, quality=85, method=6)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KiB", flush=True)


def without_ground(picture):
    """Return a picture without the empty ground at its foot."""
    from PIL import Image, ImageChops

    ground = picture.getpixel((picture.width - 2, picture.height - 2))
    drawn = ImageChops.difference(picture, Image.new("RGB", picture.size, ground))
    inside = drawn.crop((2, 0, picture.width - 2, picture.height)).getbbox()
    foot = min(picture.height, (inside[3] if inside else 0) + 16)
    return picture.crop((0, 0, picture.width, foot))


if __name__ == "__main__":
    main()
