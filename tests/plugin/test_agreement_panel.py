import fiftyone as fo
import pytest
from plugin_builders import names, operator, plugin_module
from plugin_builders import panel_request as send


@pytest.fixture
def panel():
    return operator("kalos_agreement")


def test_without_a_run_it_offers_to_compute_one(panel, context, dataset):
    shown = send(panel, context, dataset, "on_load")
    assert {"empty", "compute"} <= set(shown.properties)
    assert "histogram" not in shown.properties


def test_with_a_run_it_draws_it(panel, context, compute, dataset):
    compute(dataset, "gt")
    shown = send(panel, context, dataset, "on_load")
    assert {"summary", "histogram"} <= set(shown.properties)
    assert any(name.startswith("run_") for name in shown.properties)
    text = shown.properties["summary"]["default"]
    assert "Mean α 0.50 (−1.00 to 1.00), moderate agreement" in text
    assert "3 images, 2 raters, 5 labels, 3 objects" in text
    assert "0 times no object (NO_OBJECT): a rater was asked and drew none" in text
    assert "1 image that everyone left empty counts as agreed" in text
    assert "1 image is undefined: fewer than two raters were asked" in text


def test_a_click_shows_the_images_of_the_bar(panel, context, compute, dataset):
    compute(dataset, "gt")
    state = send(panel, context, dataset, "on_load").state
    for idx, expected in ((10, ["disputed"]), (19, ["empty"]), (5, [])):
        shown = send(panel, context, dataset, "on_click_bar", state, idx=idx)
        assert names(shown_view(dataset, shown)) == expected
    shown = send(panel, context, dataset, "on_show_all", state)
    assert names(shown_view(dataset, shown)) == ["disputed", "empty"]
    shown = send(panel, context, dataset, "on_show_undefined", state)
    assert names(shown_view(dataset, shown)) == ["lonely"]


def shown_view(dataset, shown):
    (params,) = shown["set_view"]
    return fo.DatasetView._build(dataset, params["view"])


def test_a_run_deleted_meanwhile_is_said(panel, context, compute, dataset):
    compute(dataset, "gt")
    state = send(panel, context, dataset, "on_load").state
    operator("delete_run")(dataset, "kalos")
    shown = send(panel, context, dataset, "on_click_bar", state, idx=10)
    assert shown["notify"][0]["message"] == "Run 'kalos' was deleted."
    assert shown["set_view"] == []
    assert "compute" in shown.properties


def test_another_run_is_shown_whole(panel, context, compute, dataset):
    compute(dataset, "gt", run_key="first")
    compute(dataset, "gt", run_key="second", tau=0.0)
    state = send(panel, context, dataset, "on_load").state
    assert state["run_key"] == "second"
    shown = send(panel, context, dataset, "on_select_run", state, value="first")
    assert shown.state["run_key"] == "first"
    assert len(shown.state["bins"]) == len(state["bins"])


def test_runs_that_come_and_go_are_noticed(panel, context, compute, dataset):
    state = send(panel, context, dataset, "on_load").state
    compute(dataset, "gt")
    shown = send(panel, context, dataset, "on_change_view", state)
    assert shown.state["run_key"] == "kalos"
    again = send(panel, context, dataset, "on_change_view", {**state, **shown.state})
    assert "run_key" not in again.state  # nothing changed, nothing is loaded
    compute(dataset, "gt", tau=0.0, overwrite=True)
    replaced = send(panel, context, dataset, "on_change_view", {**state, **shown.state})
    assert "IoU 1.00" in replaced.state["text"]
    operator("delete_run")(dataset, "kalos")
    gone = send(panel, context, dataset, "on_change_view", {**state, **shown.state})
    assert gone.state["run_key"] is None
    assert "compute" in gone.properties


@pytest.mark.parametrize(
    ("d_loc", "words"),
    [
        ("box_iou", "Labels can be one object from IoU 0.70 up"),
        ("box_giou", "from GIoU (from 0 to 1) 0.70 up"),
        ("box_centroid_l2", "up to 0.30 of the image's diagonal apart"),
    ],
)
def test_the_threshold_in_words(panel, context, compute, dataset, d_loc, words):
    compute(dataset, "gt", d_loc=d_loc, tau=0.3)
    shown = send(panel, context, dataset, "on_load")
    assert words in shown.properties["summary"]["default"]


def test_a_click_on_a_kind_shows_its_images_or_its_objects(
    panel, context, compute, dataset
):
    compute(dataset, "gt")
    state = send(panel, context, dataset, "on_load").state
    assert state["kinds"] == ["split_merge", "missed", "class", "loose", "agreed"]
    shown = send(panel, context, dataset, "on_click_kind", state, idx=2)
    assert names(shown_view(dataset, shown)) == ["disputed"]
    shown = send(panel, context, dataset, "on_click_kind", state, idx=1)
    assert names(shown_view(dataset, shown)) == []
    state["as_units"] = True  # as the App keeps what is ticked
    shown = send(panel, context, dataset, "on_click_kind", state, idx=2)
    view = shown_view(dataset, shown)
    assert view.media_type == "image" and len(view) == 1
    assert view.first().kalos_units.kind == "class"


def test_bars_of_kinds_count_what_a_click_shows(demo):
    counts = demo.load_run_results("kalos").diagnosis["kind_counts"]
    (bars,) = plugin_module("panels.figures").kind_bars(counts)
    kinds = [kind for kind in counts["kind"] if kind != "undefined"]
    show = operator("show_disagreement")
    for kind, number in zip(kinds, bars["x"], strict=True):
        assert len(show(demo, kind=kind, as_units=True)) == number, kind
