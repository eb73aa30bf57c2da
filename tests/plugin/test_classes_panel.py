import fiftyone as fo
import pytest
from plugin_builders import detection, detections, make_dataset, operator, sample
from plugin_builders import panel_request as send


@pytest.fixture
def panel():
    return operator("kalos_classes")


@pytest.fixture
def many(compute):
    """Return an image with thirty classes, of which ben confuses every two."""
    labels = []
    for n in range(30):
        box = (n % 6 * 15, n // 6 * 15, 8, 8)
        labels.append(detection(f"class {n}", *box, rater="ana"))
        labels.append(detection(f"class {n // 2 * 2}", *box, rater="ben"))
    made = make_dataset(sample("one", gt=detections(*labels), raters=["ana", "ben"]))
    compute(made, "gt")
    yield made
    made.delete()


def tiles(dataset, shown):
    (params,) = shown["set_view"]
    return fo.DatasetView._build(dataset, params["view"])


def test_without_a_run_it_offers_to_compute_one(panel, context, dataset):
    shown = send(panel, context, dataset, "on_load")
    assert set(shown.properties) == {"empty", "compute"}


def test_a_class_shows_its_disputed_objects(panel, context, compute, dataset):
    compute(dataset, "gt")
    shown = send(panel, context, dataset, "on_load")
    assert {"difficulty_2", "confusion_1"} <= set(shown.properties)
    state = shown.state
    for name in ("cat", "dog"):
        idx = state["classes"].index(name)
        shown = send(panel, context, dataset, "on_click_class", state, idx=idx)
        view = tiles(dataset, shown)
        # The other cat is agreed on.
        assert view.values("kalos_units.kind") == ["class"]


def test_a_pair_shows_the_objects_in_dispute(panel, context, compute, dataset):
    compute(dataset, "gt")
    state = send(panel, context, dataset, "on_load").state
    assert state["pairs"] == [["cat", "dog"]]
    shown = send(panel, context, dataset, "on_click_confusion", state, idx=0)
    assert len(tiles(dataset, shown)) == 1


def test_agreement_is_said_and_the_grid_stays(panel, context, compute):
    labels = [detection("cat", 10, 10, 9, 9, rater=who) for who in ("ana", "ben")]
    made = make_dataset(sample("one", gt=detections(*labels), raters=["ana", "ben"]))
    compute(made, "gt")
    shown = send(panel, context, made, "on_load")
    assert "No object was called" in shown.properties["pairs_text"]["default"]
    shown = send(panel, context, made, "on_click_class", shown.state, idx=0)
    assert shown["notify"][0]["message"] == "Raters agree on every cat."
    assert shown["set_view"] == []
    made.delete()


def test_nothing_to_compare_is_said(panel, context, compute, dataset):
    lonely = dataset.match_tags("none").clone()
    box = detection("cat", 10, 10, 9, 9, rater="ana")
    lonely.add_sample(sample("x", gt=detections(box), raters=["ana"]), dynamic=True)
    compute(lonely, "gt")
    shown = send(panel, context, lonely, "on_load")
    assert "nothing to compare" in shown.properties["classes_text"]["default"]
    lonely.delete()


def test_of_many_the_worst_and_on_request_all(panel, context, many):
    shown = send(panel, context, many, "on_load")
    text = shown.properties["classes_text"]["default"]
    assert "20 of 30 classes are shown." in text
    assert {"difficulty_20", "confusion_15"} <= set(shown.properties)
    state = shown.state
    state |= send(panel, context, many, "on_every_class", state).state
    shown = send(panel, context, many, "on_every_class", {**state})
    assert shown.state["all_classes"] is False
    ctx = context(many, {"__method__": "on_change_view"}, panel_state=state)
    properties = panel.render(ctx).to_json()["type"]["properties"]
    assert "difficulty_30" in properties
    labels = properties["difficulty_30"]["view"]["layout"]["yaxis"]["ticktext"]
    assert len(labels) == 30
    shown = send(panel, context, many, "on_click_class", state, idx=25)
    assert len(tiles(many, shown)) == 1


@pytest.mark.parametrize("method", ["on_click_class", "on_click_confusion"])
def test_a_run_deleted_meanwhile_is_said(panel, context, compute, dataset, method):
    compute(dataset, "gt")
    state = send(panel, context, dataset, "on_load").state
    operator("delete_run")(dataset, "kalos")
    shown = send(panel, context, dataset, method, state, idx=0)
    assert shown["notify"][0]["message"] == "Run 'kalos' was deleted."
    assert shown["set_view"] == []
    assert "compute" in shown.properties
