"""What holds for every panel: help, empty state, colours, names as they are."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    panel_request,
    plugin_module,
    sample,
)

NAMES = ("agreement", "raters", "localization", "classes", "what_if", "inspector")
every_panel = pytest.mark.parametrize("name", NAMES)
HOSTILE = ["<b>x</b>", "[x](http://y)", "$\\alpha$", "**y**", "<img src=z>"]

figures, palette = map(plugin_module, ("panels.figures", "operators.palette"))
SETS = {
    "bands": tuple(figures.BAND_COLOURS.values()),
    "kinds": tuple(colour for _, colour in figures.KIND_WORDS.values()),
    "sources": tuple(
        colour
        for _, colour in plugin_module("panels.class_figures").SOURCE_WORDS.values()
    ),
    "raters": palette.COLOURS,
    "classes": plugin_module("panels.inspector_figures").CLASS_COLOURS,
}


@pytest.fixture
def hostile(compute):
    """Return two images whose raters, classes and files have hostile names."""
    boxes = [
        detection(HOSTILE[(n + (n == 4)) % 5], 10, 10, 20, 20, rater=rater)
        for n, rater in enumerate(HOSTILE)
    ] + [detection(HOSTILE[0], 60, 60, 20, 20, rater=rater) for rater in HOSTILE[:3]]
    made = make_dataset(
        *(
            sample(f"<b>{n}", gt=detections(*(box.copy() for box in boxes)))
            for n in range(2)
        )
    )
    made.set_values("raters", [HOSTILE, HOSTILE])
    compute(made, "gt")
    yield made
    made.delete()


@every_panel
def test_help_is_two_sentences(name):
    text = operator(f"kalos_{name}").how_to_read
    assert len(re.findall(r"\.(?= ['A-Z]|$)", text)) == 2


@every_panel
def test_a_data_set_without_a_run_offers_the_next_step(name, context, dataset):
    panel = operator(f"kalos_{name}")
    shown = panel_request(panel, context, dataset, "on_load")
    assert {"empty", "compute"} == set(shown.properties)
    shown = panel_request(panel, context, dataset, "on_compute", shown.state)
    (asked,) = shown["prompt_user_for_operation"]
    assert asked["operator_uri"] == "@kalos/audit/compute_agreement"


@every_panel
def test_a_data_set_without_labels_offers_to_bring_some_in(name, context, bare):
    panel = operator(f"kalos_{name}")
    shown = panel_request(panel, context, bare, "on_load")
    assert {"empty", "steps"} == set(shown.properties)
    assert "no labels" in shown.properties["empty"]["default"]
    for click, asked in (("import", "import_annotations"), ("demo", "load_demo")):
        found = panel_request(panel, context, bare, f"on_{click}", shown.state)
        (prompt,) = found["prompt_user_for_operation"]
        assert prompt["operator_uri"] == f"@kalos/audit/{asked}"


@pytest.fixture
def bare():
    made = make_dataset(sample("one"))
    yield made
    made.delete()


@every_panel
def test_a_run_can_be_chosen(name, context, compute, dataset):
    compute(dataset, "gt", run_key="one")
    compute(dataset, "gt", run_key="two", tau=0.3)
    panel = operator(f"kalos_{name}")
    state = panel_request(panel, context, dataset, "on_load").state
    assert (state["run_key"], state["keys"]) == ("two", ["one", "two"])
    chosen = panel_request(panel, context, dataset, "on_select_run", state, value="one")
    assert chosen.state["run_key"] == "one"
    (selector,) = [key for key in chosen.properties if key.startswith("run_")]
    assert chosen.properties[selector]["default"] == "one"
    assert chosen.properties[selector]["view"]["caption"] == panel.how_to_read
    # Its tab was left and comes to the front again; then another run is deleted.
    state |= chosen.state
    again = panel_request(panel, context, dataset, "on_load", state)
    assert again.state["run_key"] == "one"
    operator("delete_run")(dataset, "two")
    again = panel_request(panel, context, dataset, "on_change_view", state)
    assert (again.state["run_key"], again.state["keys"]) == ("one", ["one"])
    compute(dataset, "gt", run_key="three")
    newest = panel_request(panel, context, dataset, "on_load", state)
    assert newest.state["run_key"] == "three"


def test_images_say_what_the_chosen_run_says(context, compute, dataset):
    compute(dataset, "gt", run_key="old")
    compute(dataset, "gt", run_key="kalos")
    ctx = context(dataset, {"__method__": "on_load"}, panel_state={})
    ctx.request_params["active_fields"] = ["gt", "old_alpha"]
    operator("kalos_raters").execute(ctx)
    asked = [r.params for r in ctx.executor._requests if "active" in r.operator_uri]
    assert asked == [{"fields": ["gt", "kalos_alpha"]}]


@pytest.mark.parametrize(
    ("active", "how", "drawn"),
    [
        (["gt", "kalos_alpha"], {}, None),
        (["gt"], {"as_units": True}, ["gt", "kalos_units"]),
        (["gt", "kalos_units"], {"as_units": True}, None),
        (["gt", "kalos_units"], {}, None),  # chosen by the user
        (["gt", "kalos_units"], {"only_their_labels": True}, ["gt"]),
        # Among objects, where the App does not tell what is chosen for images.
        (["kalos_units"], {}, ["gt", "kalos_alpha"]),
        (["kalos_units"], {"as_units": True}, None),
        # Of another run, which the panel is not about.
        (["gt", "old_alpha"], {}, ["gt", "kalos_alpha"]),
        (["gt", "old_units"], {"as_units": True}, ["gt", "kalos_units"]),
    ],
)
def test_what_a_click_shows_is_drawn(context, compute, dataset, active, how, drawn):
    compute(dataset, "gt", run_key="old")
    compute(dataset, "gt", run_key="kalos")
    panel = operator("kalos_classes")
    state = panel_request(panel, context, dataset, "on_load").state
    ctx = context(dataset, {"__method__": "x"}, panel_state=state)
    ctx.request_params["active_fields"] = active
    panel.go_to(ctx, dataset.view(), **how)
    asked = [r.params for r in ctx.executor._requests if "active" in r.operator_uri]
    assert [one["fields"] for one in asked] == ([drawn] if drawn else [])


@every_panel
def test_all_that_shows_a_run_comes_at_once(name, context, compute, dataset):
    """The App may ask for something while a part is on its way."""
    compute(dataset, "gt")
    panel = operator(f"kalos_{name}")
    shown = panel_request(panel, context, dataset, "on_load")
    asked = [request for request, _ in shown.requests]
    plots = [] if name == "inspector" else ["patch_panel_data"]
    assert asked == ["patch_panel_state", *plots, "show_panel_output"]


@every_panel
def test_an_event_without_news_draws_nothing(name, context, compute, dataset):
    """Its state may be an older one, which would hide what came since."""
    compute(dataset, "gt")
    panel = operator(f"kalos_{name}")
    state = panel_request(panel, context, dataset, "on_load").state
    for event, value in (("on_change_view", []), ("on_select_run", "kalos")):
        shown = panel_request(panel, context, dataset, event, dict(state), value=value)
        assert shown.requests == []
    operator("delete_run")(dataset, "kalos")
    shown = panel_request(panel, context, dataset, "on_change_view", dict(state))
    assert "empty" in shown.properties


@every_panel
def test_it_is_registered_when_the_app_starts(name, context, dataset):
    ctx = context(dataset)
    operator(f"kalos_{name}").execute(ctx)
    (request,) = ctx.executor._requests
    assert request.operator_uri.endswith("register_panel")


@every_panel
@pytest.mark.parametrize("event", ["on_change_current_sample", "on_click_bar"])
def test_an_event_before_anything_is_loaded_loads(
    name, event, context, compute, dataset
):
    compute(dataset, "gt")
    panel = operator(f"kalos_{name}")
    found = panel_request(panel, context, dataset, event)
    assert found.state["run_key"] == "kalos"
    assert "empty" not in found.properties


@every_panel
def test_names_of_the_data_are_never_markup(name, context, hostile):
    panel = operator(f"kalos_{name}")
    ctx = context(hostile, {"__method__": "on_load"}, panel_state={})
    ctx.request_params["current_sample"] = hostile.first().id
    panel.execute(ctx)
    markdown, figures = [], []
    for request in ctx.executor._requests:
        action = request.operator_uri.split("/")[-1]
        if action == "patch_panel_data":
            figures.append(request.params)
        if action == "show_panel_output":
            drawn = request.params["output"]["type"]["properties"].values()
            kinds = [(one["view"] or {}).get("name") for one in drawn]
            for one, kind in zip(drawn, kinds, strict=True):
                if kind == "MarkdownView":
                    markdown.append(one["default"])
                if kind == "PlotlyView":
                    figures.append(one["view"])
    assert markdown and (len(figures) > 1 or name == "inspector")
    for one in HOSTILE:
        assert not any(one in text for text in markdown)
        if one[0] in "<$":  # Plotly knows tags and formulas, but no Markdown
            assert json.dumps(one)[1:-1] not in json.dumps(figures)


# Severe colour-blindness after Machado, Oliveira and Fernandes 2009, in linear RGB.
EYES = {
    "all colours": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1, 1.08883])


def seen(colour, eye):
    """Return a colour in CIELAB as an eye sees it."""
    part = np.array([int(colour[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(TO_XYZ @ np.clip(np.array(eye) @ linear, 0, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("colours", SETS)
def test_colours_are_told_apart_by_the_colour_blind(colours, eye):
    for one, other in combinations(SETS[colours], 2):
        difference = np.linalg.norm(seen(one, EYES[eye]) - seen(other, EYES[eye]))
        assert difference >= 10, (one, other)  # a just noticeable one is 2.3


def test_many_raters_have_different_colours_and_the_first_keep_theirs():
    names = [f"rater {n}" for n in range(1, 18)]
    many, few = palette.colour_of(names), palette.colour_of(names[:8])
    assert len(set(many.values())) == 17
    assert few == {name: many[name] for name in names[:8]}
    assert many["rater 1"] == "#0072b2" and many["rater 10"] == "#b15928"


def test_a_rater_has_one_colour_in_panels_and_on_images(context, compute, dataset):
    compute(dataset, "gt", colours=True)
    scheme = dataset.app_config.color_scheme
    # As somebody who chose other colours in the App.
    scheme.fields[0]["valueColors"][0]["color"] = "#123456"
    dataset.save()
    on_images = {one["value"]: one["color"] for one in scheme.fields[0]["valueColors"]}
    ctx = context(dataset, {"__method__": "on_load"}, panel_state={})
    ctx.request_params["current_sample"] = dataset.first().id
    operator("kalos_inspector").execute(ctx)
    in_table = ctx.panel.get_state("colours")
    config = dataset.get_run_info("kalos").config
    in_figures = palette.shown(dataset, config.layout, ["ana", "ben"])
    assert in_table == in_figures == on_images
    assert on_images["ana"] == "#123456"
