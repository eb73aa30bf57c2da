import fiftyone as fo
import numpy as np
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

what_if = plugin_module("operators.what_if")


@pytest.fixture
def panel():
    return operator("kalos_what_if")


@pytest.fixture
def trio():
    """Return images in which cho stands alone, draws loosely, or sees what is small."""
    ana, ben, cho = (
        lambda label, *box, rater=rater: detection(label, *box, rater=rater)
        for rater in ("ana", "ben", "cho")
    )
    raters = ["ana", "ben", "cho"]
    drawn = {
        "alone": [
            *(who("cat", 10, 10, 20, 20) for who in (ana, ben, cho)),
            *(who("dog", 60, 60, 20, 20) for who in (ana, ben)),
            cho("cat", 60, 60, 20, 20),
        ],
        "loose": [
            *(who("cat", 10, 10, 20, 20) for who in (ana, ben)),
            cho("cat", 10, 10, 30, 20),  # an IoU of 2/3
            *(who("dog", 60, 60, 20, 20) for who in (ana, ben, cho)),
        ],
        "small": [
            *(who("cat", 10, 10, 20, 20) for who in (ana, ben, cho)),
            cho("dog", 60, 60, 2, 2),
        ],
    }
    made = make_dataset(
        *(
            sample(name, gt=detections(*own), raters=raters)
            for name, own in drawn.items()
        )
    )
    yield made
    made.delete()


@pytest.fixture
def change(panel, context, trio):
    """Return a function that makes changes one after the other, by handler."""

    def make(state, **changes):
        state = dict(state)
        for handler, value in changes.items():
            shown = send(panel, context, trio, handler, state, value=value)
            state.update(shown.state)
        return shown, state

    return make


def told(shown, name):
    return shown.properties[name]["default"]


def opened(panel, context, dataset):
    return send(panel, context, dataset, "on_load")


def shown_view(dataset, shown):
    (params,) = shown["set_view"]
    return fo.DatasetView._build(dataset, params["view"])


def alphas(dataset):
    """Return what a run of these labels stored, by the name of the image."""
    return dict(zip(names(dataset), dataset.values("kalos_alpha"), strict=True))


def test_without_a_run_it_offers_to_compute_one(panel, context, dataset):
    shown = opened(panel, context, dataset)
    assert {"empty", "compute"} <= set(shown.properties)


def test_it_opens_with_the_run_as_it_is(panel, context, compute, trio):
    figures = compute(trio, "gt")
    shown = opened(panel, context, trio)
    text = told(shown, "summary")
    assert f"Mean α {figures['mean_alpha']:.2f}, " in text
    assert "All images are as in the run" in text
    assert "from IoU 0.50 up" in told(shown, "threshold")
    actions = shown.properties["actions"]["type"]["properties"]
    disabled = [name for name in actions if actions[name]["view"]["disabled"]]
    assert disabled == ["keep", "reset"]
    assert "change something" in told(shown, "why_not_kept")


def test_a_rater_left_out_is_a_run_without_the_rater(
    panel, context, compute, trio, change
):
    compute(trio, "gt")
    before = alphas(trio)
    state = opened(panel, context, trio).state
    shown, state = change(state, on_left_out=["cho"])
    compute(trio, "gt", raters=["ana", "ben"], overwrite=True)
    after = alphas(trio)
    assert before != after
    text = told(shown, "summary")
    was, now = (np.mean(list(found.values())) for found in (before, after))
    assert f"Mean α {was:.2f} → {now:.2f}, near-perfect agreement" in text
    assert f"{now - was:+.2f} (" in text and "over 3 images: 2 better, 0 worse" in text
    assert state["worst_images"] == []  # ana and ben agree in everything
    assert "show_worst" not in shown.properties
    assert "why_not_kept" not in shown.properties


def test_tau_solver_and_cost_are_those_of_another_run(
    panel, context, compute, trio, change
):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    shown, state = change(state, on_tau=0.2, on_solver="shm", on_psi="neg")
    assert "KαLOS(box_iou, τ=0.2, S=SHM, ψ_neg)" in state["summary"]
    assert "from IoU 0.80 up" in told(shown, "threshold")
    found = what_if.of_run(trio, "kalos")._last[1]
    compute(trio, "gt", tau=0.2, solver="shm", psi="neg", overwrite=True)
    assert found.alpha.tolist() == trio.values("kalos_alpha")


def test_classes_and_sizes_cannot_be_kept(panel, context, compute, trio, change):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    shown, large = change(state, on_sizes=["large", "medium"])
    assert "α" in large["summary"] and len(large["worst_images"]) == 1
    assert large["worst_images"][0]["file"] == "alone.jpg"
    assert "labels of all classes and sizes" in told(shown, "why_not_kept")
    shown, cats = change(state, on_classes=["dog"], on_left_out=["cho"])
    assert "of which everyone left 0 → 1 empty" in cats["summary"]
    again = send(panel, context, trio, "on_reset", cats)
    assert again.state["change"] == again.state["own"]
    assert set(again.properties["ways"]["type"]["properties"]).isdisjoint(
        shown.properties["ways"]["type"]["properties"]
    )


def test_the_worst_images_and_those_of_a_bar_are_shown(
    panel, context, compute, trio, change
):
    compute(trio, "gt")
    before = alphas(trio)
    state = opened(panel, context, trio).state
    shown = send(panel, context, trio, "on_show_worst", state)
    worst = sorted((alpha, name) for name, alpha in before.items() if alpha < 1)
    assert names(shown_view(trio, shown)) == [name for _, name in worst]
    _, strict = change(state, on_tau=0.2)
    shown = send(panel, context, trio, "on_show_worst", strict)
    assert sorted(names(shown_view(trio, shown))) == ["alone", "loose", "small"]
    shown = send(panel, context, trio, "on_click_bar", state, idx=19)
    assert names(shown_view(trio, shown)) == ["loose"]
    shown = send(panel, context, trio, "on_click_bar", strict, idx=19)
    assert names(shown_view(trio, shown)) == []


def test_what_the_app_repeats_draws_nothing(panel, context, compute, trio, change):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    _, less = change(state, on_left_out=["cho"])
    for handler, value in (("on_left_out", ["cho"]), ("on_tau", 0.5)):
        shown = send(panel, context, trio, handler, dict(less), value=value)
        assert shown.requests == []
    patches = send(panel, context, trio, "on_tau", less, value=0.2)["patch_panel_state"]
    assert len(patches) == 1  # an event in between would see half of it


def test_a_change_before_the_last_one_is_answered_keeps_both(
    panel, context, compute, trio
):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    stamp = state["stamp"]
    state["whose"] = {f"left_out_{stamp}": ["cho"], f"classes_{stamp}": []}
    send(panel, context, trio, "on_left_out", dict(state), value=["cho"])
    # Its answer is still on its way, and the App knows the controls only.
    late = send(panel, context, trio, "on_tau", dict(state), value=0.2)
    assert late.state["change"] == {**state["own"], "left_out": ["cho"], "tau": 0.2}
    # Back again, which is what the App still shows.
    state["whose"][f"left_out_{stamp}"] = []
    again = send(panel, context, trio, "on_left_out", dict(state), value=[])
    assert again.state["change"] == state["own"]


def test_a_change_is_kept_while_another_tab_is_in_front(
    panel, context, compute, trio, change
):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    shown, state = change(state, on_left_out=["cho"])
    again = send(panel, context, trio, "on_load", dict(state))
    assert told(again, "summary") == told(shown, "summary")
    (left_out,) = [
        one
        for name, one in again.properties["whose"]["type"]["properties"].items()
        if name.startswith("left_out_")
    ]
    assert left_out["default"] == ["cho"]  # controls are drawn anew as well
    # The App sends it twice; the second answer must be about the same controls.
    assert (
        send(panel, context, trio, "on_load", state).state["stamp"]
        == (again.state["stamp"])
    )
    assert again["patch_panel_data"] == shown["patch_panel_data"]
    # The App draws the controls that were there first once more, and tells of them.
    old = {"path": f"tau_{state['stamp']}", "value": state["own"]["tau"]}
    assert send(panel, context, trio, "on_tau", dict(state), **old).requests == []
    state |= again.state
    _, refused = change(state, on_left_out=["ben", "cho"])
    again = send(panel, context, trio, "on_load", refused)
    assert "refused" in again.properties and again["patch_panel_data"]
    compute(trio, "gt", run_key="new")
    again = send(panel, context, trio, "on_load", state)
    assert again.state["change"] == again.state["own"]


def test_an_answer_that_comes_too_late_is_not_drawn(
    panel, context, compute, trio, monkeypatch
):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    answers, of_run = [], what_if.of_run

    def slowly(*run):
        """Have something newer asked and answered meanwhile."""
        monkeypatch.setattr(what_if, "of_run", of_run)
        answers.append(send(panel, context, trio, "on_tau", dict(state), value=0.2))
        return of_run(*run)

    monkeypatch.setattr(what_if, "of_run", slowly)
    late = send(panel, context, trio, "on_tau", dict(state), value=0.3)
    assert late.requests == []
    assert answers[0].state["change"]["tau"] == 0.2


def test_one_rater_alone_is_refused(panel, context, compute, trio, change):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    shown, state = change(state, on_left_out=["ben", "cho"])
    assert "Two raters at least" in shown.properties["refused"]["view"]["label"]
    shown, _ = change(state, on_left_out=["cho"])
    assert "refused" not in shown.properties


def test_nothing_is_written(panel, context, compute, trio, change, snapshot):
    compute(trio, "gt")
    before = snapshot(trio)
    state = opened(panel, context, trio).state
    _, state = change(state, on_left_out=["cho"], on_tau=0.3, on_classes=["cat"])
    send(panel, context, trio, "on_show_worst", state)
    assert snapshot(trio) == before


@pytest.mark.parametrize("layout", ["one field", "a field each"])
def test_it_is_kept_as_a_run_of_the_same_samples(
    panel, context, compute, trio, per_rater, layout
):
    made, field = (trio, "gt") if layout == "one field" else (per_rater, ["ana", "ben"])
    compute(made.limit(2), field, d_loc="box_giou")
    state = opened(panel, context, made).state
    changes = {"on_tau": 0.37, "on_solver": "ahc", "on_psi": "neg"}
    if layout == "one field":
        changes["on_left_out"] = ["cho"]
    for handler, value in changes.items():
        state |= send(panel, context, made, handler, state, value=value).state
    (asked,) = send(panel, context, made, "on_keep", state)["prompt_user_for_operation"]
    assert asked["operator_uri"] == "@kalos/audit/compute_agreement"
    ctx = context(made, asked["params"], view=made.skip(1))
    form = operator("compute_agreement").resolve_input(ctx).type.properties
    assert not any(getattr(prop, "invalid", False) for prop in form.values())
    assert form["view_target"].type.values == ["CUSTOM_VIEW_TARGET"]
    list(operator("compute_agreement").execute(ctx))
    made.reload()
    new = made.get_run_info("kalos_2").config
    assert new.notation == "KαLOS(box_giou, τ=0.37, S=AHC, ψ_neg)"
    results = made.load_run_results("kalos_2")
    assert results.sample_ids == made.limit(2).values("id")
    assert results.raters["name"] == ["ana", "ben"]


def test_a_run_deleted_meanwhile_is_said(panel, context, compute, trio):
    compute(trio, "gt")
    state = opened(panel, context, trio).state
    operator("delete_run")(trio, "kalos")
    for handler, params in {
        "on_tau": {"value": 0.2},
        "on_click_bar": {"idx": 19},
        "on_show_worst": {},
        "on_keep": {},
        "on_reset": {},
    }.items():
        shown = send(panel, context, trio, handler, dict(state), **params)
        assert shown["notify"][0]["message"] == "Run 'kalos' was deleted."
        assert shown["set_view"] == shown["prompt_user_for_operation"] == []
        assert "compute" in shown.properties


def test_a_run_that_was_replaced_is_not_the_one_remembered(compute, trio):
    compute(trio, "gt")
    first = what_if.of_run(trio, "kalos")
    assert what_if.of_run(trio, "kalos") is first
    compute(trio, "gt", tau=0.2, overwrite=True)
    second = what_if.of_run(trio, "kalos")
    assert second.configuration.tau == 0.2
    for key in ("a", "b", "c"):
        compute(trio, "gt", run_key=key)
        what_if.of_run(trio, key)
    assert len(what_if._KNOWN) == what_if.RUNS


def test_a_run_without_distances_says_why(panel, context, compute, trio, monkeypatch):
    monkeypatch.setattr(what_if, "MOST", 3)
    compute(trio, "gt")
    shown = opened(panel, context, trio)
    assert "more than 3 pairs" in shown.properties["why_not"]["view"]["label"]
    assert "compute" in shown.properties
    compute(trio, "gt", tau=1.0, run_key="wide")
    assert trio.load_run_results("wide").distances is None
    run = trio.load_run_results("kalos")
    del run.distances
    trio.save_run_results("kalos", run, overwrite=True)
    state = opened(panel, context, trio).state
    shown = send(panel, context, trio, "on_select_run", state, value="kalos")
    assert "lack distances" in shown.properties["problem"]["view"]["label"]
    assert "compute" in shown.properties


def test_names_of_the_data_are_never_markdown(panel, context, compute, change):
    hostile = ["<b>x</b>", "[x](http://y)", "$\\alpha$"]
    boxes = [detection(name, 10, 10, 20, 20, rater=name) for name in hostile]
    made = make_dataset(sample("<b>f", gt=detections(*boxes), raters=hostile))
    compute(made, "gt")
    shown = opened(panel, context, made)
    (bars,) = shown["patch_panel_data"]
    told = str([shown.state["summary"], shown.state["threshold"], bars])
    assert not any(name in told for name in hostile)
    markdown = [
        prop["default"]
        for prop in shown.properties.values()
        if prop["view"] and prop["view"]["name"] == "MarkdownView"
    ]
    assert markdown and not any(name in text for name in hostile for text in markdown)
    made.delete()
