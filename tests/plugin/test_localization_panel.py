import json

import fiftyone as fo
import pytest
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    sample,
)
from plugin_builders import panel_request as send


@pytest.fixture
def panel():
    return operator("kalos_localization")


@pytest.fixture
def loose():
    """Boxes of ana and ben at known distances; at 0.6 two more would be one."""
    heights = {"half": 5, "near": 8, "same": 10, "beyond": 4.1}  # of ben's, ana's is 10
    made = make_dataset(
        *(
            sample(
                name,
                gt=detections(
                    detection("cat", 0, 0, 50, 10, rater="ana"),
                    detection("cat", 0, 0, 50, height, rater="ben"),
                ),
                raters=["ana", "ben"],
            )
            for name, height in heights.items()
        )
    )
    yield made
    made.delete()


def at(state, tau):
    """Return the number of the point at a threshold."""
    return [round(point["tau"], 3) for point in state["points"]].index(tau)


def shown_view(dataset, shown):
    (params,) = shown["set_view"]
    return fo.DatasetView._build(dataset, params["view"])


def files(view):
    """Return the images of patches, in their order."""
    return [path.rpartition("/")[2].split(".")[0] for path in view.values("filepath")]


def test_without_a_run_it_offers_to_compute_one(panel, context, dataset):
    shown = send(panel, context, dataset, "on_load")
    assert {"empty", "compute"} <= set(shown.properties)
    assert "curve" not in shown.properties
    send(panel, context, dataset, "on_change_view", shown.state)


def test_with_a_run_it_draws_the_curve_and_offers_to_calibrate(
    panel, context, compute, loose
):
    compute(loose, "gt")
    shown = send(panel, context, loose, "on_load")
    assert {"summary", "curve", "calibrate"} <= set(shown.properties)
    assert not {"chance", "densities", "strata"} & set(shown.properties)
    text = shown.properties["summary"]["default"]
    assert "to the strict one (τ 0.25, IoU 0.75) mean α changes by −0.3" in text
    assert "3 objects were drawn by several raters" in text
    hover = shown.state["points"][at(shown.state, 0.3)]["words"]
    assert hover.startswith("τ 0.30, IoU 0.70<br>mean α ")
    assert hover.endswith("4 images<br>1 object falls apart")


def test_a_click_shows_the_objects_that_change_there(panel, context, compute, loose):
    compute(loose, "gt")
    state = send(panel, context, loose, "on_load").state
    for tau, expected in (
        (0.4, ["half"]),
        (0.25, ["half"]),
        (0.1, ["half", "near"]),  # the farthest apart first
        (0.6, ["beyond", "beyond"]),
    ):
        shown = send(
            panel, context, loose, "on_click_threshold", state, idx=at(state, tau)
        )
        view = shown_view(loose, shown)
        assert files(view) == expected
        assert state["points"][at(state, tau)]["n_changed"] == len(view)
    assert view.values("kalos_units.joins_from") == pytest.approx([0.59, 0.59])


def test_where_nothing_changes_it_says_so(panel, context, compute, loose):
    compute(loose, "gt", tau=0.75)
    state = send(panel, context, loose, "on_load").state
    for tau, words in (
        (0.75, "the run's own threshold"),
        (0.9, "No object is joined with another one at τ 0.90"),
        (0.6, "No object falls apart at τ 0.60"),
    ):
        shown = send(
            panel, context, loose, "on_click_threshold", state, idx=at(state, tau)
        )
        assert words in shown["notify"][0]["message"]
        assert shown["set_view"] == []


def test_a_run_deleted_meanwhile_is_said(panel, context, compute, loose):
    compute(loose, "gt")
    state = send(panel, context, loose, "on_load").state
    operator("delete_run")(loose, "kalos")
    for tau in (0.1, 0.5):
        idx = at(state, tau)
        shown = send(panel, context, loose, "on_click_threshold", dict(state), idx=idx)
        assert shown["notify"][0]["message"] == "Run 'kalos' was deleted."
        assert shown["set_view"] == []
        assert "compute" in shown.properties


def test_it_calibrates_the_labels_of_the_run(panel, context, compute, loose):
    compute(loose, "gt")
    state = send(panel, context, loose, "on_load").state
    shown = send(panel, context, loose, "on_calibrate", state)
    (asked,) = shown["prompt_user_for_operation"]
    assert asked["operator_uri"] == "@kalos/audit/calibrate"
    assert asked["params"]["label_field"] == "gt"
    assert asked["params"]["shapes"] == "boxes"
    form = operator("calibrate").resolve_input(context(loose, asked["params"]))
    assert "problem" not in form.type.properties


def texts(shown, plot):
    """Return the labels of the marks of a plot."""
    layout = shown.properties[plot]["view"]["layout"]
    return [mark["text"] for mark in layout["annotations"]]


def test_calibrations_come_and_go(panel, context, compute, cells):
    compute(cells, "gt")
    state = send(panel, context, cells, "on_load").state
    assert state["calibration"] is None
    found = operator("calibrate")(cells, "gt", d_locs=["box_iou"])
    shown = send(panel, context, cells, "on_change_view", dict(state))
    assert {"chance", "densities", "strata"} <= set(shown.properties)
    assert "calibrate" not in shown.properties
    tau_star = f"{found['tau_star']:.2f}"
    text = shown.properties["chance"]["default"]
    assert f"τ\\* {tau_star} (" in text
    assert "From the calibration `calibration` of 12 images" in text
    table = shown.properties["strata"]["default"].splitlines()
    sizes = [row.split(" (")[0] for row in table[2:]]
    assert sizes == ["| Small", "| Medium", "| Large"]
    marks = {"Strict 0.25", "This run 0.50", f"τ* {tau_star}"}
    assert set(texts(shown, "curve")) == marks
    now = {**state, **shown.state}
    again = send(panel, context, cells, "on_change_view", dict(now))
    assert "calibration" not in again.state  # nothing changed, nothing is loaded
    operator("delete_run")(cells, "calibration")
    gone = send(panel, context, cells, "on_change_view", dict(now))
    assert "calibrate" in gone.properties


def test_a_run_keeps_the_calibration_that_it_took(panel, context, compute, cells):
    found = operator("calibrate")(cells, "gt", d_locs=["box_giou"])
    assert found["tau_star"] is not None
    compute(cells, "gt", run_key="taken")
    compute(cells, "gt", run_key="own", d_loc="box_iou", tau=0.5)
    shown = send(panel, context, cells, "on_load")
    assert shown.state["run_key"] == "own"
    assert "another distance" in shown.properties["chance"]["default"]
    assert not any("τ*" in text for text in texts(shown, "curve"))
    state = shown.state
    shown = send(panel, context, cells, "on_select_run", dict(state), value="taken")
    (text,) = texts(shown, "densities")
    assert text.startswith("This run and τ* ")
    operator("delete_run")(cells, "calibration")
    state = send(panel, context, cells, "on_load").state
    assert state["calibration"] is None
    shown = send(panel, context, cells, "on_select_run", dict(state), value="taken")
    assert shown.state["calibration"]["run_key"] == "calibration"


HOSTILE = ["<b>x</b>", "<a href='http://y'>x</a>", "[x](http://y)", "$\\alpha$"]


def test_no_name_of_the_data_is_rendered(panel, context, compute):
    labels = [
        detection(name, 10, 10, 20 + n, 20, rater=HOSTILE[n % 2])
        for n, name in enumerate(HOSTILE[:2])
    ]
    made = make_dataset(
        sample(HOSTILE[2], gt=detections(*labels), raters=HOSTILE[:2]),
        sample(HOSTILE[3], gt=detections(), raters=HOSTILE[:2]),
    )
    try:
        compute(made, "gt")
        shown = send(panel, context, made, "on_load")
        drawn = json.dumps([shown.properties, shown.state, shown["patch_panel_data"]])
        assert not any(json.dumps(name)[1:-1] in drawn for name in HOSTILE)
    finally:
        made.delete()
