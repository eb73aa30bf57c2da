"""The form in Chromium: what it offers changes with the field that is chosen."""

import pytest
from plugin_builders import keypoint

pytestmark = pytest.mark.browser


@pytest.fixture
def mixed(demo):
    """Return samples with the boxes of the demo and with poses."""
    import fiftyone as fo

    made = demo.limit(4).clone()
    poses = [
        fo.Keypoints(
            keypoints=[
                keypoint(label, (x, 20), (x + 20, 60), None, rater=rater)
                for rater in ("ana", "ben")
                for label, x in (("cat", 10), ("dog", 50))
            ]
        )
        for _ in made
    ]
    made.set_values("poses", poses, dynamic=True)
    yield made
    made.delete()


def test_another_field_has_other_distances(mixed, open_app, run_operator):
    page = open_app(mixed, audit=True)
    dialog = run_operator(page, "KαLOS: compute agreement")
    dialog.get_by_text("Least overlap (IoU)").wait_for()
    dialog.get_by_role("combobox").filter(has_text="ratings").click()
    page.get_by_role("option", name="poses", exact=True).click()
    dialog.get_by_text("Largest distance").wait_for()
    dialog.get_by_text("Mean distance of joints").wait_for()
    dialog.get_by_text("Least overlap").wait_for(state="detached")
    dialog.get_by_text("Advanced").click()
    dialog.get_by_text("Prefers labels of one class").wait_for()
    execute = dialog.get_by_role("button", name="Execute")
    execute.click()
    page.get_by_text(" 4 images").first.wait_for()
    mixed.reload()
    (key,) = set(mixed.list_runs()) - {"kalos"}
    notation = mixed.get_run_info(key).config.notation
    assert notation == "KαLOS(keypoint_mpjpe, τ=0.08, S=Greedy, ψ_soft)"
