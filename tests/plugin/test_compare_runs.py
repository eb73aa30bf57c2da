"""Two runs compared by what they stored: by hand, and through all three ways."""

import json
import random

import fiftyone as fo
import fiftyone.operators as foo
import numpy as np
import pytest
from fiftyone.operators.delegated import DelegatedOperationService
from plugin_builders import (
    detection,
    detections,
    in_one_field,
    make_dataset,
    operator,
    plugin_module,
    sample,
)

core = plugin_module("kalos_core")
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")
markdown = plugin_module("operators.markdown")
per_image = plugin_module("kalos_core.diagnostics.per_image")
report = plugin_module("operators.comparison_report")
run_comparison = plugin_module("operators.run_comparison")
stored_runs = plugin_module("operators.stored")

ODD = ["<b>x</b>", "a|b", "`c`", "**d**", "$e.f$", "🐈\nwww.g.org", "h\"'i", "None"]


@pytest.fixture
def comparing():
    return operator("compare_runs")


def relabel(dataset, field="gt"):
    """Make a cat of the dog."""
    first = dataset.first()
    first[field].detections[-1].label = "cat"
    first.save()


@pytest.fixture
def relabelled(compute, dataset):
    """Return three images with a run before and one after the dog became a cat."""
    compute(dataset, "gt", run_key="before")
    relabel(dataset)
    compute(dataset, "gt", run_key="after")
    return dataset


def test_by_hand(comparing, relabelled):
    # (cat cat) (cat dog) has alpha 0, (cat cat) (cat cat) has 1; the empty image has 1
    # twice, and the one with one rater no value.
    found = comparing(relabelled)
    assert (found["run_a"], found["run_b"]) == ("before", "after")
    assert (found["mean_a"]["value"], found["mean_b"]["value"]) == (0.5, 1)
    assert (found["difference"]["value"], found["difference"]["n_images"]) == (0.5, 2)
    counts = {name: n for name, n in found.items() if name.startswith("n_") and n}
    assert counts == {
        "n_common": 3,
        "n_better": 1,
        "n_equal": 1,
        "n_undefined_both": 1,
        "n_boot": 1000,
    }
    first = relabelled.first().id
    assert (found["better"], found["worse"]) == ([first], [])
    assert found["change"] == {first: 1}
    assert found["seed"] == 51
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert "rose by 0.500, from 0.500 to 1.000" in found["in_words"]
    assert "cannot be told from zero" in found["in_words"]  # of two images


def test_raters_classes_and_kinds_by_hand(comparing, relabelled):
    found = comparing(relabelled)
    # At one in two of three units before, the empty image being one; then in all.
    raters = found["raters"]
    assert raters["name"] == ["ana", "ben"]
    assert raters["a"] == pytest.approx([2 / 3, 2 / 3])
    assert raters["b"] == [1, 1]
    assert raters["difference"] == pytest.approx([1 / 3, 1 / 3])
    assert raters["n_images"] == [2, 2]
    classes = found["classes"]
    assert (classes["name"], classes["a"], classes["b"]) == (["cat"], [0], [1])
    assert (classes["only_a"], classes["only_b"]) == (["dog"], [])
    kinds = dict(zip(found["kinds"]["name"], found["kinds"]["difference"], strict=True))
    assert kinds["class"] == pytest.approx(-1 / 3)
    assert kinds["agreed"] == pytest.approx(1 / 3)
    assert kinds["missed"] == kinds["loose"] == kinds["split_merge"] == 0


def test_the_other_way_round_and_with_a_field_each(
    comparing, compute, per_rater, relabelled
):
    compute(per_rater, ["ana", "ben"], run_key="before")
    relabel(per_rater, "ben")
    compute(per_rater, ["ana", "ben"], run_key="after")
    found, each = comparing(relabelled), comparing(per_rater)
    for name in ("mean_a", "mean_b", "raters", "classes", "kinds"):
        assert each[name] == found[name]
    back = comparing(relabelled, "after", "before")
    assert back["difference"]["value"] == -0.5
    assert back["worse"] == found["better"]
    assert comparing(relabelled, run_b="before")["run_a"] == "after"


def pairs(*labels):
    """Return images with one object each, which ana and ben name."""
    drawn = {}
    for n, (one, other) in enumerate(labels):
        far = detection("x", 70, 70, 9, 9), detection("x", 70, 70, 9, 9)
        near = detection(one, 10, 10, 9, 9), detection(other, 10, 10, 9, 9)
        drawn[f"{n:02}"] = {
            "ana": [near[0], far[0]],
            "ben": [near[1], far[1]],
        }
    return drawn


def test_it_says_what_can_be_told(comparing, compute):
    made = in_one_field(fo.Detections, pairs(*[("cat", "dog")] * 10, ("cat", "cat")))
    compute(made, "gt", run_key="before")
    for some in made.limit(9).iter_samples(autosave=True):
        some.gt.detections[2].label = "cat"
    compute(made.skip(1), "gt", run_key="after")  # all but the first
    # (cat dog) (x x): n = 4, n_x = 2, chance 2, o = 2: (3 * 2 - 2) / (12 - 2) = 0.4.
    found = comparing(made, "before", "after")
    assert (found["n_common"], found["n_only_a"], found["n_only_b"]) == (10, 1, 0)
    assert (found["n_better"], found["n_equal"]) == (8, 2)
    assert found["difference"]["value"] == pytest.approx(0.8 * 0.6)
    assert found["difference"]["told_from_zero"]
    assert found["in_words"].endswith("This can be told from zero.")
    ids = made.values("id")
    assert sorted(found["better"]) == sorted(ids[1:9])
    again = comparing(made, "before", "after")
    other = comparing(made, "before", "after", seed=0, n_boot=50, most=2)
    assert again == found
    assert (other["seed"], other["n_boot"], len(other["better"])) == (0, 50, 2)
    assert other["difference"]["low"] != found["difference"]["low"]
    assert other["n_better"] == 8
    made.delete()


def random_dataset(seed=0):
    """Return images of three raters, some not assigned, some who saw nothing."""
    rng, made = random.Random(seed), []
    for n in range(12):
        who = sorted(rng.sample(ODD, rng.choice([1, 2, 3])))
        spots = [(rng.uniform(0, 80), rng.uniform(0, 80)) for _ in range(n % 4)]
        boxes = [
            detection(rng.choice(ODD[:4]), x + rng.gauss(0, 1), y, 15, 15, rater=rater)
            for x, y in spots
            for rater in who
            if rng.random() < 0.8
        ]
        made.append(sample(f"{n:02}", gt=detections(*boxes), raters=who))
    return make_dataset(*made)


def test_what_is_stored_is_enough(compute):
    made = random_dataset()
    compute(made, "gt")
    run = stored_runs.StoredRun(made)
    annotations = fields.read_annotations(made, layouts.OneField("gt"))
    agreement = core.compute_agreement(annotations, core.Configuration())
    kinds = core.unit_kinds(annotations, agreement)
    assert (run.reliability.values == agreement.reliability.values).all()
    assert (run.reliability.image_of == agreement.reliability.image_of).all()
    assert (run.assigned == annotations.assigned).all()
    assert (run.kind == kinds.kind).all()
    live = (
        core.raters_per_image(annotations, agreement),
        core.classes_per_image(annotations, agreement),
        core.kinds_per_image(annotations, agreement, kinds),
    )
    for expected, columns in zip(live, run_comparison.COLUMNS.values(), strict=True):
        found = columns(run)
        assert found.names == expected.names
        for name in ("image", "column", "total", "count"):
            assert np.array_equal(getattr(found, name), getattr(expected, name))
    made.delete()


def test_names_are_shown_as_they_are(comparing, compute):
    made = random_dataset()
    compute(made, "gt", run_key="before")
    compute(made, "gt", tau=0.2, run_key="after")
    text = report.to_markdown(comparing(made))
    for shown in ("<b>", "a|b", "`", "$e", "www.g", "**d"):
        assert shown not in text
    assert "&#60;b&#62;x&#60;&#47;b&#62;" in text
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    rows = [line for line in lines if "yes" in line or "no |" in line]
    assert {line.count("|") for line in rows} == {8}
    assert len(rows) == len(ODD) + 4 + 5
    made.delete()


def test_the_middle_of_a_long_name_is_left_out():
    assert markdown.in_short("x" * 60) == "x" * 60
    short = markdown.in_short("".join(map(chr, range(1000, 1200))))
    assert len(short) == 60
    assert (short[0], short[30], short[-1]) == (chr(1000), "…", chr(1199))


def test_text_of_data_is_no_markdown():
    assert markdown.as_text("# a\n- b") == "&#35; a &#45; b"
    joined = markdown.as_text("me@x.org https://y.org")
    assert joined.count(markdown.JOINER) == 2


def test_nothing_is_written(comparing, relabelled, snapshot):
    before = snapshot(relabelled)
    comparing(relabelled.view(), "before", "after")  # which is all of it
    assert snapshot(relabelled) == before


def test_what_cannot_be_compared_is_said(comparing, compute, dataset, per_rater):
    compute(per_rater, ["ana", "ben"], run_key="theirs")
    with pytest.raises(core.KalosError, match=r"needs two KαLOS runs, .* has none"):
        comparing(dataset)
    with pytest.raises(core.KalosError, match=r"no finished KαLOS run 'a'\. Compute"):
        comparing(dataset, "a", "b")
    compute(dataset.limit(1), "gt", run_key="one")
    with pytest.raises(core.KalosError, match=r"has 1\. Compute agreement again"):
        comparing(dataset)
    compute(dataset.skip(1), "gt", run_key="rest")
    for arguments, message in (
        (("one", "rest"), "'one' and 'rest' have no image in common"),
        (("one", "theirs"), "no finished KαLOS run 'theirs'.*two data sets"),
        (("one", "rst"), r"run 'rst'\. Runs are: one, rest\. Did you mean 'rest'\?"),
        (("one", "one"), "Choose two different runs; got 'one' twice"),
    ):
        with pytest.raises(core.KalosError, match=message):
            comparing(dataset, *arguments)
    for options in ({"seed": -1}, {"seed": "x"}, {"n_boot": 0}, {"most": 1.5}):
        with pytest.raises(core.KalosError, match="must be a whole number"):
            comparing(dataset, **options)


def test_without_a_value_in_both(comparing, compute, dataset):
    lonely = dataset.skip(2)
    for key in ("before", "after"):
        compute(lonely, "gt", run_key=key)
    found = comparing(dataset)
    assert found["difference"]["value"] is None
    assert found["n_undefined_both"] == 1
    assert found["in_words"].startswith("No common image has a value in both runs")
    assert report.to_markdown(found)


def test_the_only_run_twice(comparing, compute, dataset):
    compute(dataset, "gt")
    with pytest.raises(core.KalosError, match="two different runs; got 'kalos' twice"):
        comparing(dataset, "kalos", "kalos")


def test_the_same_labels_twice(comparing, compute, dataset):
    for key in ("before", "after"):
        compute(dataset, "gt", run_key=key)
    found = comparing(dataset)
    assert found["in_words"] == "Mean α of 2 common images is the same, 0.500."
    assert found["n_equal"] == 2


def test_one_image(comparing, compute, dataset):
    compute(dataset.limit(1), "gt", run_key="before")
    relabel(dataset)
    compute(dataset, "gt", run_key="after")
    found = comparing(dataset)
    assert found["n_only_b"] == 2
    assert "too few images to tell this from zero" in found["in_words"]


def test_the_form_shows_it(comparing, context, relabelled):
    form = comparing.resolve_input(context(relabelled)).type.properties
    assert (form["run_a"].default, form["run_b"].default) == ("before", "after")
    result = foo.execute_operator(
        comparing.uri, {"dataset": relabelled, "params": {"show": "better"}}
    )
    asked = {r.operator_uri: r.params for r in result.executor._requests}
    assert relabelled.first().id in json.dumps(asked["set_view"])
    assert "rose by 0&#46;500" in json.dumps(asked["show_output"]["outputs"])
    ctx = context(relabelled)
    ctx.request_params["results"] = comparing(relabelled)  # of a delegated one
    shown = comparing.resolve_output(ctx).type.properties["comparison"]
    assert "rose by 0&#46;500" in shown.default


def test_the_form_says_what_is_wrong(comparing, compute, context, dataset):
    form = comparing.resolve_input(context(dataset)).type.properties
    assert form["nothing"].invalid
    compute(dataset.limit(1), "gt", run_key="one")
    compute(dataset.skip(1), "gt", run_key="rest")
    twice = context(dataset, {"run_a": "one", "run_b": "one"})
    form = comparing.resolve_input(twice).type.properties
    assert "two different runs" in form["problem"].view.label
    result = foo.execute_operator(comparing.uri, {"dataset": dataset, "params": {}})
    asked = {r.operator_uri: r.params for r in result.executor._requests}
    assert "no image in common" in asked["set_progress"]["label"]
    assert "show_output" not in asked


def test_delegation_does_the_same(comparing, relabelled):
    relabelled.persistent = True
    queued = comparing(relabelled, seed=3, delegate=True)
    assert queued.delegated
    service = DelegatedOperationService()
    service.execute_queued_operations(
        operator=comparing.uri, dataset_name=relabelled.name
    )
    (done,) = service.list_operations(dataset_name=relabelled.name)
    assert done.run_state == "completed"
    assert done.result.result == comparing(relabelled, seed=3)
    assert (done.status.progress, done.status.label) == (1, "Done")
