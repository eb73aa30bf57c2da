import json

import pytest
from plugin_builders import (
    detection,
    detections,
    drawn,
    grouped,
    make_dataset,
    operator,
    panel_request,
    plugin_module,
    sample,
)

figures = plugin_module("panels.inspector_figures")


@pytest.fixture
def panel():
    return operator("kalos_inspector")


@pytest.fixture
def send(panel, context):
    """Return a function that calls a method of the panel while a sample is shown."""

    def call(dataset, method, shown, state=None, view=None, **params):
        def seen(*args, **kwargs):
            ctx = context(*args, view=view, **kwargs)
            ctx.request_params["current_sample"] = shown
            return ctx

        return panel_request(panel, seen, dataset, method, dict(state or {}), **params)

    return call


@pytest.fixture
def several(compute):
    """Four images: two disputed ones, an agreed one, and one that nobody drew in."""
    made = make_dataset(
        sample("agreed", gt=drawn(("cat", "cat"), ("dog", "dog")), **BOTH),
        sample("class", gt=drawn(("cat", "cat"), ("cat", "dog")), **BOTH),
        sample("missed", gt=drawn(("cat", "cat"), ("cat", None), ("dog", "dog"))),
        sample("empty", gt=detections(), **BOTH),
        sample("later", gt=detections(), **BOTH),
    )
    made.match({"filepath": "/nowhere/missed.jpg"}).set_values(
        "raters", [["ana", "ben"]]
    )
    compute(made.limit(4), "gt")
    yield made
    made.delete()


BOTH = {"raters": ["ana", "ben"]}


def id_of(dataset, name):
    return dataset.match({"filepath": f"/nowhere/{name}.jpg"}).first().id


def image(shown):
    return json.loads(shown.state["image"])


def rows(shown):
    """Return what the table holds."""
    [name] = [name for name in shown.properties if name.startswith("units_")]
    return shown.properties[name]["default"]


def summary(shown):
    return shown.properties["summary"]["default"]


def test_without_a_run_it_offers_to_compute_one(send, dataset):
    shown = send(dataset, "on_load", dataset.first().id)
    assert {"empty", "compute"} <= set(shown.properties)


def test_the_matrix_of_the_image(send, several):
    shown = send(several, "on_load", id_of(several, "missed"))
    assert "2 raters asked, 3 objects, 1 in dispute" in summary(shown)
    assert "Number 2 of 2 disputed images" in summary(shown)
    worst, *others = rows(shown)
    assert worst.pop("gain") == f"{1 - image(shown)['alpha']:.3f}"
    assert worst == {
        "id": "2",
        "number": "2",
        "kind": "Missed",
        "rater_0": "cat",
        "rater_1": "no object",
    }
    assert [row["gain"] for row in others] == ["0", "0"]
    assert [row["rater_1"] for row in others] == ["cat", "dog"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("disputed", "α 0.000, weak agreement"),
        ("empty", "everyone left this image empty"),
        ("lonely", "fewer than two raters were asked"),
    ],
)
def test_alpha_and_status_in_words(send, compute, dataset, name, words):
    compute(dataset, "gt")
    shown = send(dataset, "on_load", id_of(dataset, name))
    assert words.lower() in summary(shown).lower()
    assert any(n.startswith("units_") for n in shown.properties) == (name != "empty")


def test_who_was_not_asked_comes_last(send, compute, dataset):
    compute(dataset, "gt")
    shown = send(dataset, "on_load", id_of(dataset, "lonely"))
    assert image(shown)["raters"] == ["ana", "ben"]
    assert rows(shown)[0]["rater_1"] == "not asked"
    assert rows(shown)[0]["kind"] == "Not compared"


def test_it_follows_the_image_that_is_shown(send, several):
    state = send(several, "on_load", id_of(several, "missed")).state
    shown = send(several, "on_change_current_sample", id_of(several, "class"), state)
    assert "Number 1 of 2" in summary(shown)
    assert len(rows(shown)) == 2
    state |= shown.state
    again = send(several, "on_change_current_sample", id_of(several, "class"), state)
    assert "image" not in again.state  # nothing changed, nothing is loaded


def test_an_image_that_is_not_in_the_run(send, several):
    shown = send(several, "on_load", id_of(several, "later"))
    assert "not part of the run" in summary(shown)
    assert {"previous", "next"} == set(shown.properties["steps"]["type"]["properties"])
    assert opened(send, several, "on_next", "later") == "class"
    assert opened(send, several, "on_previous", "later") == "missed"


def opened(send, dataset, method, name, view=None):
    """Return the name of the sample that is opened, or what is said instead."""
    state = send(dataset, "on_load", id_of(dataset, name), view=view).state
    shown = send(dataset, method, id_of(dataset, name), state, view)
    if shown["notify"]:
        return shown["notify"][0]["message"]
    (params,) = shown["open_sample"]
    return dataset[params["id"]].filename.split(".")[0]


def test_the_next_and_previous_disputed_image(send, several):
    assert opened(send, several, "on_next", "class") == "missed"
    assert opened(send, several, "on_previous", "missed") == "class"
    assert "no other" in opened(send, several, "on_next", "missed")
    assert "no other" in opened(send, several, "on_previous", "class")
    assert opened(send, several, "on_next", "agreed") == "class"
    on = id_of(several, "class")
    assert disabled(send(several, "on_load", on)) == ["previous"]
    on = id_of(several, "missed")
    assert disabled(send(several, "on_load", on)) == ["next"]
    on = id_of(several, "agreed")
    assert disabled(send(several, "on_load", on)) == []


def disabled(shown):
    steps = shown.properties["steps"]["type"]["properties"]
    return [name for name in steps if steps[name]["view"]["disabled"]]


def test_only_images_of_the_view_are_next(send, several):
    view = several.exclude(id_of(several, "missed"))
    assert "no other" in opened(send, several, "on_next", "class", view)
    assert opened(send, several, "on_previous", "agreed", view) == "class"
    shown = send(several, "on_load", id_of(several, "class"), view=view)
    assert "The only disputed image that is shown" in summary(shown)
    assert disabled(shown) == ["previous", "next"]
    agreed = id_of(several, "agreed")
    shown = send(several, "on_load", agreed, view=several.select(agreed))
    assert "No image that is shown is disputed" in summary(shown)
    assert disabled(shown) == ["previous", "next"]


def test_what_is_drawn_loosely_is_not_in_dispute(send, compute):
    boxes = [
        detection("cat", 10, 10, 20, 20, rater="ana"),
        detection("cat", 10, 10, 20, 20, rater="ben"),
        detection("dog", 60, 60, 20, 20, rater="ana"),
        detection("dog", 60, 60, 30, 20, rater="ben"),  # an IoU of 2/3
    ]
    made = make_dataset(sample("loose", gt=detections(*boxes), raters=["ana", "ben"]))
    compute(made, "gt")
    shown = send(made, "on_load", made.first().id)
    words = "2 objects, 0 in dispute, 1 drawn loosely, which costs no α"
    assert words in summary(shown)
    made.delete()


def test_a_patch_is_inspected_as_its_image(send, several):
    view = several.to_patches("kalos_units").sort_by("kalos_units.gain", reverse=True)
    patches = dict(
        zip(view.values("id"), map(str, view.values("sample_id")), strict=True)
    )
    first = next(p for p, of in patches.items() if of == id_of(several, "class"))
    shown = send(several, "on_load", first, view=view)
    assert "Number 1 of 2" in summary(shown)
    shown = send(several, "on_next", first, shown.state, view)
    (params,) = shown["open_sample"]
    assert patches[params["id"]] == id_of(several, "missed")


def test_a_click_selects_the_labels_of_the_object(send, several):
    missed = several[id_of(several, "missed")]
    state = send(several, "on_load", missed.id).state
    shown = send(several, "on_click_unit", missed.id, state, row=1)
    (params,) = shown["set_selected_labels"]
    ours = [d.id for d in missed.gt.detections if d.kalos_unit == 1]
    assert [label["label_id"] for label in params["labels"]] == ours
    assert {(d["field"], d["sample_id"]) for d in params["labels"]} == {
        ("gt", missed.id)
    }
    assert len(ours) == 2
    again = send(several, "on_click_unit", missed.id, {**state, **shown.state}, row=1)
    assert again["clear_selected_labels"] == [{}] and not again["set_selected_labels"]
    other = id_of(several, "class")
    moved = send(several, "on_change_current_sample", other, {**state, **shown.state})
    assert moved["clear_selected_labels"] == [{}]
    assert not send(several, "on_click_unit", missed.id, state, row=-1)[
        "set_selected_labels"
    ]


def test_a_click_selects_in_a_field_per_rater(send, compute, per_rater):
    compute(per_rater, ["ana", "ben"])
    disputed = id_of(per_rater, "disputed")
    state = send(per_rater, "on_load", disputed).state
    shown = send(per_rater, "on_click_unit", disputed, state, row=0)
    (params,) = shown["set_selected_labels"]
    assert [label["field"] for label in params["labels"]] == ["ana", "ben"]


def test_a_run_deleted_meanwhile_is_said(send, several):
    shown_id = id_of(several, "class")
    state = send(several, "on_load", shown_id).state
    operator("delete_run")(several, "kalos")
    for method in ("on_next", "on_previous", "on_click_unit"):
        shown = send(several, method, shown_id, state, row=0)
        assert shown["notify"][0]["message"] == "Run 'kalos' was deleted."
        assert "compute" in shown.properties
    shown = send(several, "on_change_current_sample", id_of(several, "missed"), state)
    assert "compute" in shown.properties


def test_groups(send, compute):
    made = grouped()
    compute(made.select_group_slices("right"), "gt")
    right = made.select_group_slices("right")
    ids = dict(zip(right.values("filepath"), right.values("id"), strict=True))
    view = made.view()
    shown_id = ids["/nowhere/class.jpg"]
    shown = send(made, "on_load", shown_id, view=view)
    assert "Number 1 of 2" in summary(shown)
    moved = send(made, "on_next", shown_id, shown.state, view)
    missed = right[ids["/nowhere/missed.jpg"]]
    assert moved["open_sample"] == [{"id": missed.id, "group_id": missed.group.id}]
    assert moved["set_group_slice"] == [{"slice": "right"}]
    left = send(made, "on_change_current_sample", made.first().id, shown.state, view)
    assert "not part of the run" in summary(left)
    clicked = send(made, "on_click_unit", shown_id, shown.state, view, row=0)
    assert len(clicked["set_selected_labels"][0]["labels"]) == 2
    made.delete()


HOSTILE = ("<b>x</b>", "[x](http://y)", "$\\alpha$", "<a href='http://y'>z</a>")


def test_names_are_text(send, compute):
    raters = list(HOSTILE[:2])
    labels = [
        detection(name, 10, 10, 20, 20, rater=rater)
        for rater, name in zip(raters, HOSTILE[2:], strict=True)
    ]
    made = make_dataset(sample("one", gt=detections(*labels), raters=raters))
    compute(made, "gt")
    shown = send(made, "on_load", made.first().id)
    # Only cells and heads of the table, which the App never renders, hold them.
    [table] = [name for name in shown.properties if name.startswith("units_")]
    rest = {name: p for name, p in shown.properties.items() if name != table}
    assert not any(name in json.dumps(rest) for name in HOSTILE)
    assert {rows(shown)[0]["rater_0"], rows(shown)[0]["rater_1"]} == set(HOSTILE[2:])
    heads = {c["label"] for c in shown.properties[table]["view"]["columns"]}
    assert set(raters) <= heads
    made.delete()


def test_an_image_is_shown_without_a_look_at_the_samples(send, several, examined):
    shown_id, other = id_of(several, "class"), id_of(several, "missed")
    state = send(several, "on_load", shown_id).state
    change = [several, "on_change_current_sample", other, state]
    assert examined(several, lambda: send(*change)) == 0


MATRIX = {
    "raters": ["ana", "ben"],
    "values": [[0, -1], [0, 1], [-2, 9]],
    "classes": {"0": "cat", "1": "dog", "9": "owl"},
    "unit": [3, 1, 2],
    "kind": ["missed", "class", "undefined"],
    "outlier": [None, "ben", None],
    "gain": [0.25, 0.0001, None],
}
COLOURS = {"ana": "#0072b2", "ben": "#e69f00"}


def test_rows_are_told_in_words():
    assert [list(row.values())[1:] for row in figures.matrix_rows(MATRIX)] == [
        ["3", "0.250", "Missed", "cat", "no object"],
        ["1", "0", "Classes differ", "cat", "dog"],
        ["2", "", "Not compared", "not asked", "owl"],
    ]


def test_each_value_has_its_look():
    looks = figures.matrix_looks(MATRIX, COLOURS, chosen=1)

    def look_of(row, column):
        cell = f"& tbody tr:nth-of-type({row}) td:nth-of-type({column})"
        found = {}
        for where, look in looks.items():
            if cell in where.split(", "):
                found |= look
        return found

    cat, dog = look_of(1, 4), look_of(2, 5)
    assert cat == look_of(2, 4) and "textDecoration" not in cat
    assert dog["backgroundColor"] != cat["backgroundColor"]
    assert dog["textDecoration"] == "underline"  # who stands alone
    assert "boxShadow" in look_of(1, 5) and "opacity" in look_of(3, 4)
    assert look_of(2, 1)["bgcolor"] == "primary.main" and not look_of(1, 1)
    assert COLOURS["ben"] in looks["& th:nth-of-type(5)"]["borderBottom"]


def test_many_raters_and_units_are_all_there():
    n_raters, n_units = 17, 40
    image = {
        "raters": [f"rater {n}" for n in range(n_raters)],
        "values": [[n % 300 for n in range(n_raters)] for _ in range(n_units)],
        "classes": {str(n): f"class {n}" for n in range(300)},
        "unit": list(range(1, n_units + 1)),
        "kind": ["class"] * n_units,
        "outlier": [None] * n_units,
        "gain": [0.1] * n_units,
    }
    assert len(figures.matrix_rows(image)) == n_units
    columns = figures.matrix_columns(image)
    assert len(columns) == len(set(columns)) == 3 + n_raters
    colours = dict.fromkeys(image["raters"], "#000000")
    assert figures.matrix_looks(image, colours)["overflow"] == "auto"
    assert figures.table_looks(image)["minWidth"] > 17 * 50
    six = {"raters": image["raters"][:6]}
    assert figures.table_looks(six)["minWidth"] <= 478  # half of a small screen


def test_it_is_beside_single_images_only(panel):
    assert panel.config.surfaces == "modal"
