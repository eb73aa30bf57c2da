import fiftyone as fo
import pytest
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    names,
    operator,
    plugin_module,
    sample,
)
from plugin_builders import panel_request as send

palette = plugin_module("operators.palette")
CAT, DOG, FAR = (10, 10, 10, 10), (40, 40, 10, 10), (70, 70, 10, 10)


@pytest.fixture
def panel():
    return operator("kalos_raters")


@pytest.fixture
def three(compute):
    """Return images of which cho misses one, two and no objects, and ben one."""
    everyone = ["ana", "ben", "cho"]

    def drawn(name, **boxes):
        labels = [
            detection("cat", *box, rater=who) for who in everyone for box in boxes[who]
        ]
        return sample(name, gt=detections(*labels), raters=everyone)

    every = [CAT, DOG, FAR]
    made = make_dataset(
        drawn("one", ana=every, ben=every[:2], cho=every[1:]),
        drawn("two", ana=every, ben=every, cho=every[2:]),
        drawn("none", ana=every, ben=every, cho=every),
        sample("lonely", gt=detections(), raters=["ana"]),
    )
    compute(made, "gt")
    yield made
    made.delete()


def click(panel, context, dataset, method, idx):
    state = send(panel, context, dataset, "on_load").state
    return send(panel, context, dataset, method, state, idx=idx)


def shown_view(dataset, shown):
    (params,) = shown["set_view"]
    return fo.DatasetView._build(dataset, params["view"])


def test_without_a_run_it_offers_to_compute_one(panel, context, dataset):
    shown = send(panel, context, dataset, "on_load")
    assert set(shown.properties) == {"empty", "compute"}


def test_with_a_run_it_draws_it(panel, context, three):
    shown = send(panel, context, three, "on_load")
    assert {"vitality_3", "collaboration_3"} <= set(shown.properties)
    layout = shown.properties["vitality_3"]["view"]["layout"]
    assert layout["yaxis"]["ticktext"] == ["ana (3)", "ben (3)", "cho (3)"]
    text = shown.properties["schools_text"]["default"]
    assert "No schools of thought: fewer than four raters" in text


def test_two_raters_have_no_vitality(panel, context, compute, dataset):
    compute(dataset, "gt")
    shown = send(panel, context, dataset, "on_load")
    assert "three raters" in shown.properties["vitality_text"]["default"]
    assert "collaboration_2" in shown.properties
    assert not any(name.startswith("vitality_0") for name in shown.properties)


def test_a_rater_is_shown_where_the_rater_stands_against_most(panel, context, three):
    view = shown_view(three, click(panel, context, three, "on_click_rater", 2))
    assert names(view) == ["two", "one"]
    assert set(view.distinct("gt.detections.rater")) == {"cho"}


def test_two_raters_are_shown_where_they_disagree_most(panel, context, three):
    state = send(panel, context, three, "on_load").state
    order = state["in_schools"]
    assert sorted(order) == ["ana", "ben", "cho"]
    cell = [order.index("cho"), order.index("ben")]
    for idx in (cell, cell[::-1]):
        view = shown_view(three, click(panel, context, three, "on_click_pair", idx))
        assert names(view) == ["one", "two"]  # two objects each, the lower alpha first
        assert set(view.distinct("gt.detections.rater")) == {"ben", "cho"}
    diagonal = [order.index("ben")] * 2
    view = shown_view(three, click(panel, context, three, "on_click_pair", diagonal))
    assert names(view) == ["one"]


def test_who_never_disagrees_is_said_and_the_grid_stays(panel, context, three):
    shown = click(panel, context, three, "on_click_rater", 0)
    assert shown["set_view"] == []
    assert shown["notify"][0]["message"] == "ana never stands against the others."


def test_a_run_deleted_meanwhile_is_said(panel, context, three):
    state = send(panel, context, three, "on_load").state
    operator("delete_run")(three, "kalos")
    shown = send(panel, context, three, "on_click_pair", state, idx=[0, 1])
    assert shown["notify"][0]["message"] == "Run 'kalos' was deleted."
    assert shown["set_view"] == []
    assert "compute" in shown.properties


def test_a_rater_who_is_gone_is_said(panel, context, compute, three):
    state = send(panel, context, three, "on_load").state
    compute(three, "gt", raters=["ana", "ben"], overwrite=True)
    shown = send(panel, context, three, "on_click_rater", state, idx=2)
    assert "There is no rater 'cho' in this run" in shown["notify"][0]["message"]


HOSTILE = ("<b>x</b>", "[x](http://y)", "$\\alpha$", "www.x.org", "5", "2020-01-01")


def test_names_are_never_markup(panel, context, compute):
    labels = [detection(name, *CAT, rater=name) for name in HOSTILE]
    made = make_dataset(sample("one", gt=detections(*labels), raters=list(HOSTILE)))
    compute(made, "gt")
    for panel_name in ("kalos_raters", "kalos_classes"):
        shown = send(operator(panel_name), context, made, "on_load")
        (drawn,) = shown["patch_panel_data"]
        assert len(drawn["data"]) >= 2
        assert "<b>x" not in str(drawn) and "$" not in str(drawn)
        # The App would show what the state has under the same name instead.
        assert not set(shown.properties) & set(shown.state)
        for name, described in shown.properties.items():
            assert "<b>x" not in str(described) and "$" not in str(described), name
            assert "](" not in str(described.get("default")), name
    made.delete()


def test_schools_are_named_as_text():
    words = plugin_module("panels.raters").schools_in_words
    schools = {"school": [0, 1, 0, 1], "p_value": 0.001, "reason": ""}
    text = words(schools, ["ana", "<b>", "[x](y)", "dee"])
    first, second = "&#91;x&#93;&#40;y&#41; and ana", "&#60;b&#62; and dee"
    assert f"{first} agree more with each other than with {second}" in text
    assert "in 0.1% of cases" in text
    many = words({**schools, "school": [0] * 12 + [1] * 5}, [*"abcdefghijklmnopq"])
    assert "g, h and 4 more agree more with each other than with m, n" in many


def test_raters_have_the_colours_of_the_images(panel, context, compute, three):
    layout = {"layout": "one_field", "label_field": "gt", "rater_attribute": "rater"}
    own = palette.colour_of(["ben", "cho"])
    assert palette.shown(three, layout, ["ben", "cho"]) == own
    compute(three, "gt", run_key="coloured", colours=True)
    on_images = palette.colour_of(["ana", "ben", "cho"])
    assert palette.shown(three, layout, ["ben", "cho"]) == {
        name: on_images[name] for name in ("ben", "cho")
    }
    # Who joined later takes no colour that somebody has.
    with_new = palette.shown(three, layout, ["aaa", "ana", "ben", "cho"])
    assert len(set(with_new.values())) == 4
    assert {name: with_new[name] for name in on_images} == on_images
    compute(three, "gt", run_key="fewer", raters=["ben", "cho"])
    fields = {"layout": "field_per_rater", "label_fields": ["ben", "cho"]}
    assert palette.shown(three, fields, ["ben", "cho"]) == own


def test_a_field_per_rater_has_its_colour(per_rater, compute):
    layout = {"layout": "field_per_rater", "label_fields": ["ana", "ben"]}
    compute(per_rater, ["ana", "ben"], colours=True)
    per_rater.app_config.color_scheme.fields[0]["fieldColor"] = "#123456"
    shown = palette.shown(per_rater, layout, ["ana", "ben"])
    assert shown == {**palette.colour_of(["ana", "ben"]), "ana": "#123456"}
