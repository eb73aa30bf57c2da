"""The import in the real App: choose a file, execute, read the report."""

import fiftyone as fo
import pytest
from import_builders import boxes_only, coco, write
from PIL import Image

pytestmark = pytest.mark.browser


def test_a_file_is_imported_and_the_report_shown(tmp_path, open_app, run_operator):
    names = ["a.jpg", "b.jpg", "absent.jpg"]
    path = write(tmp_path / "x.json", boxes_only(coco(["ana", "ben"], names)))
    made = fo.Dataset("kalos-import-browser", persistent=True, overwrite=True)
    for name in names[:2]:
        Image.new("RGB", (200, 100)).save(tmp_path / name)
        made.add_sample(fo.Sample(filepath=str(tmp_path / name)))
    page = open_app(made)
    dialog = run_operator(page, "KαLOS: import labels of several raters")
    dialog.locator("input[type=text]").first.fill(str(path))
    dialog.get_by_role("button", name="Execute").click()
    page.get_by_text("labels by 2 raters on 2 images").wait_for()
    page.get_by_text("absent.jpg").wait_for()
    made.reload()
    assert made.count("ratings.detections") > 0
    made.delete()
