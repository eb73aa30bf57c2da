"""Wrong parameters are refused in words, before a sample is read; right ones work."""

import os
from pathlib import Path

import fiftyone as fo
import fiftyone.operators as foo
import numpy as np
import pytest
from bson import ObjectId
from fiftyone.operators.delegated import DelegatedOperationService
from fiftyone.operators.executor import ExecutionError
from plugin_builders import (
    NAN,
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
    start,
)

KalosError = plugin_module("kalos_core").KalosError

NEEDED = {
    "calibrate": {"label_field": "gt"},
    "compute_agreement": {"label_field": "gt"},
    "fit_noise": {"label_field": "gt"},
    "simulate_raters": {"label_field": "gt"},
    "open_audit": {},
    "show_disagreement": {},
    "build_relabel_queue": {},
    "create_consensus": {},
    "compare_runs": {},
    "export_results": {},
    "delete_run": {"run_key": "after"},
    "stop_run": {"run_key": "after"},
}
"""What each operator that takes a data set needs besides it."""

WHOLE = r"{} must be a whole number from {} on, got {}\. Write {}="

WRONG = [
    ("calibrate", "d_locs", 3, r"must be a name or a list of names, got 3\. Write"),
    ("calibrate", "d_locs", [], "must be a name or a list of names"),
    ("calibrate", "d_locs", "box_iuo", "unknown distance.*Did you mean 'box_iou'"),
    ("calibrate", "d_locs", ["box_iou", "polygon_iou"], "does not measure boxes"),
    ("calibrate", "shapes", "box", "unknown shapes 'box'.*Did you mean 'boxes'"),
    ("calibrate", "seed", "x", WHOLE.format("seed", 0, "'x'", "seed")),
    ("calibrate", "seed", 1.5, WHOLE.format("seed", 0, "1.5", "seed")),
    ("calibrate", "seed", True, WHOLE.format("seed", 0, "True", "seed")),
    ("calibrate", "seed", None, WHOLE.format("seed", 0, "None", "seed")),
    ("calibrate", "n_draws", 0, WHOLE.format("n_draws", 1, "0", "n_draws")),
    ("calibrate", "n_draws", NAN, WHOLE.format("n_draws", 1, "nan", "n_draws")),
    ("calibrate", "overwrite", "no", "overwrite must be True or False, got 'no'"),
    ("calibrate", "delegate", 1, "delegate must be True or False, got 1"),
    ("fit_noise", "reference", 3, "reference must be a text, got 3"),
    ("fit_noise", "bayesian", "yes", "bayesian must be True or False, got 'yes'"),
    ("fit_noise", "run_key", "a b", "A run key must be a name like 'noise'"),
    ("simulate_raters", "n_raters", 0, WHOLE.format("n_raters", 1, 0, "n_raters")),
    ("simulate_raters", "magnitude", -1, r"a number from 0 on, got -1\. Write"),
    ("simulate_raters", "groups", "3, x", WHOLE.format("groups", 1, "'x'", "groups")),
    ("simulate_raters", "layout", "rows", "unknown layout 'rows'"),
    ("compute_agreement", "label_field", 3, "the name of a field, or a list of them"),
    ("compute_agreement", "label_field", [["gt"]], "the name of a field, or a list"),
    ("compute_agreement", "label_field", "gtt", "no field 'gtt'.*Did you mean 'gt'"),
    (
        "compute_agreement",
        "rater_attribute",
        3,
        "rater_attribute must be a text, got 3",
    ),
    ("compute_agreement", "assigned", ["raters"], "assigned must be a text, got"),
    ("compute_agreement", "raters", 3, "raters must be a list of at least 2 names"),
    ("compute_agreement", "raters", "ana", "at least 2 names, got 'ana'"),
    ("compute_agreement", "raters", ["ana", None], "at least 2 names, got"),
    ("compute_agreement", "raters", ["ana", ""], "at least 2 names, got"),
    ("compute_agreement", "raters", {"ana": 1, "ben": 2}, "at least 2 names, got"),
    (
        "compute_agreement",
        "tau",
        NAN,
        "tau must be a distance between 0 and 1, got nan",
    ),
    ("compute_agreement", "tau", -0.1, "tau must be a distance between 0 and 1"),
    ("compute_agreement", "tau", [0.5], "tau must be a distance between 0 and 1"),
    ("compute_agreement", "d_loc", ["box_iou"], "unknown distance .'box_iou'."),
    ("compute_agreement", "solver", "greddy", "unknown solver.*Did you mean 'greedy'"),
    ("compute_agreement", "psi", 1, "unknown cost 1; choose from neg, soft"),
    ("compute_agreement", "colours", "red", "colours must be True or False"),
    ("show_disagreement", "alpha", 0.5, r"two numbers, the lower one first, got 0\.5"),
    ("show_disagreement", "alpha", (0, 1, 2), "two numbers, the lower one first"),
    ("show_disagreement", "alpha", (1, 0), "two numbers, the lower one first"),
    ("show_disagreement", "alpha", (0, NAN), "two numbers, the lower one first"),
    ("show_disagreement", "alpha", "01", "two numbers, the lower one first, got '01'"),
    ("show_disagreement", "limit", "x", WHOLE.format("limit", 1, "'x'", "limit")),
    ("show_disagreement", "limit", -1, WHOLE.format("limit", 1, "-1", "limit")),
    ("show_disagreement", "raters", 2.5, "raters must be at most 2 names, got 2.5"),
    ("show_disagreement", "raters", 3, "There is no rater '3' in this run. Known"),
    ("show_disagreement", "raters", "ann", "no rater 'ann'.*Did you mean 'ana'"),
    ("show_disagreement", "classes", ["cats"], "no class 'cats'.*Did you mean 'cat'"),
    ("show_disagreement", "kind", ["class"], "unknown kind .'class'.; choose from"),
    ("show_disagreement", "as_units", "yes", "as_units must be True or False"),
    ("show_disagreement", "save_as", 3, "save_as must be a text, got 3"),
    ("show_disagreement", "save_as", "!!!", "No view can be saved as '!!!'"),
    ("show_disagreement", "run_key", "befor", "Runs are: before, after. Did you mean"),
    ("show_disagreement", "run_key", 3, "run_key must be a text, got 3"),
    ("build_relabel_queue", "by", "images", "unknown by 'images'.*mean 'image'"),
    ("build_relabel_queue", "n", -1, WHOLE.format("n", 1, "-1", "n")),
    ("build_relabel_queue", "n", "all", WHOLE.format("n", 1, "'all'", "n")),
    ("build_relabel_queue", "minutes", -5, "minutes must be a number above 0, got -5"),
    ("build_relabel_queue", "minutes", 0, "minutes must be a number above 0, got 0"),
    (
        "build_relabel_queue",
        "minutes",
        NAN,
        "minutes must be a number above 0, got nan",
    ),
    ("build_relabel_queue", "minutes_per_unit", -1, "a number from 0 on, got -1"),
    ("build_relabel_queue", "csv", None, "csv must be given as a path, got None"),
    ("build_relabel_queue", "csv", 3, "csv must be given as a path, got 3"),
    ("build_relabel_queue", "tag", ["x"], "tag must be a text, got"),
    ("build_relabel_queue", "on_changed", "ask", "unknown on_changed 'ask'; choose"),
    ("build_relabel_queue", "run_key", "x", "has no finished KαLOS run 'x'. Runs are"),
    ("create_consensus", "shape", "medoit", "unknown shape.*Did you mean 'medoid'"),
    (
        "create_consensus",
        "min_votes",
        0,
        WHOLE.format("min_votes", 1, "0", "min_votes"),
    ),
    ("create_consensus", "min_votes", "2", "min_votes must be a whole number"),
    ("create_consensus", "min_existence", NAN, "must be a number from 0 to 1, got nan"),
    ("create_consensus", "min_existence", -0.1, "must be a number from 0 to 1"),
    ("create_consensus", "weighted", "no", "weighted must be True or False"),
    ("create_consensus", "field", 3, "field must be a text, got 3"),
    ("create_consensus", "field", "gt", "has a field 'gt' already"),
    ("create_consensus", "run_key", "x", "has no finished KαLOS run 'x'. Runs are"),
    ("compare_runs", "run_a", "x", "has no finished KαLOS run 'x'. Runs are: before"),
    ("compare_runs", "run_b", 3, "run_b must be a text, got 3"),
    ("compare_runs", "seed", -1, WHOLE.format("seed", 0, "-1", "seed")),
    ("compare_runs", "n_boot", "many", WHOLE.format("n_boot", 1, "'many'", "n_boot")),
    ("compare_runs", "most", NAN, WHOLE.format("most", 0, "nan", "most")),
    ("export_results", "folder", 3, "folder must be given as a path, got 3"),
    ("export_results", "overwrite", "no", "overwrite must be True or False"),
    ("export_results", "reference", 0, "reference must be True or False, got 0"),
    ("export_results", "run_key", "aftr", "Runs are: before, after. Did you mean 'aft"),
    ("delete_run", "run_key", None, "run_key must be a text, got None"),
    ("delete_run", "run_key", "aftr", "no KαLOS run 'aftr'.*Did you mean 'after'"),
    ("delete_run", "consensus", "kalos", "consensus must be True or False"),
    ("stop_run", "run_key", 3, "run_key must be a text, got 3"),
    ("stop_run", "run_key", "kalos", "No .kalos. is at work"),
]


@pytest.fixture(scope="module")
def audited():
    """Two images with two runs; no test may change anything."""
    disputed = [
        detection("cat", 10, 10, 20, 20, rater="ana"),
        detection("dog", 11, 10, 20, 20, rater="ben"),
    ]
    agreed = [detection("cat", 10, 10, 20, 20, rater=who) for who in ("ana", "ben")]
    made = make_dataset(
        sample("disputed", gt=detections(*disputed), raters=["ana", "ben"]),
        sample("agreed", gt=detections(*agreed), raters=["ana", "ben"]),
    )
    for key in ("before", "after"):
        operator("compute_agreement")(made, "gt", run_key=key)
    yield made
    made.delete()


@pytest.mark.parametrize(("name", "parameter", "value", "message"), WRONG)
def test_python_is_told(audited, examined, name, parameter, value, message):
    def call():
        with pytest.raises(KalosError, match=f"(?s){message}"):
            operator(name)(audited, **{**NEEDED[name], parameter: value})

    # Whether the samples have anything to audit is looked up in the first of them.
    assert examined(audited, call) <= (name in ("calibrate", "compute_agreement"))


IN_A_FORM = [
    case
    for case in WRONG
    if case[2] is not None and case[1] != "delegate" and case[0] != "stop_run"
]
"""What a form can hold; that of stop_run only offers what is at work."""


@pytest.mark.parametrize(("name", "parameter", "value", "message"), IN_A_FORM)
def test_whoever_executes_the_operator_is_told(
    audited, name, parameter, value, message
):
    params = {**NEEDED[name], parameter: value}
    if name == "build_relabel_queue" and parameter.startswith("minutes"):
        params["budget"] = "minutes"
    found = f"{operator(name).uri} {message}"
    try:
        result = foo.execute_operator(
            operator(name).uri, {"dataset": audited, "params": params}
        )
    except ExecutionError as error:
        found = str(error)
    else:  # what a form does not look at is told in a notice
        asked = {r.operator_uri: r.params for r in result.executor._requests}
        shown = "set_progress" if "set_progress" in asked else "notify"
        found = asked[shown].get("label") or asked[shown]["message"]
    with pytest.raises(KalosError, match=f"(?si){message}"):
        raise KalosError(found)


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_no_data_set(name):
    no_names = () if name == "stop_run" else ("kalos-demo",)  # which takes a name too
    for value in (*no_names, None, 3, fo.Dataset):
        with pytest.raises(KalosError, match=r"A data set or a view is expected, got"):
            operator(name)(value, **NEEDED[name])


TAKES_A_VIEW = {
    "calibrate",
    "compute_agreement",
    "fit_noise",
    "simulate_raters",
    "show_disagreement",
}


@pytest.mark.parametrize("name", sorted(NEEDED.keys() - TAKES_A_VIEW))
def test_a_view_is_not_taken_for_its_data_set(audited, name):
    for view in (audited.limit(1), audited.to_patches("gt")):
        with pytest.raises(KalosError) as caught:
            operator(name)(view, **NEEDED[name])
        assert str(caught.value) == (
            f"dataset must be a whole data set, got a view of some of '{audited.name}'."
            " Give the data set itself; a run knows its samples."
        )


def test_a_view_without_stages_is_the_data_set(audited):
    assert operator("compare_runs")(audited.view())["n_common"] == 2


@pytest.mark.parametrize("name", NEEDED)
def test_arguments_that_there_are_none_of(audited, name):
    known = operator(name)
    for options, message in (
        ({"ruun_key": "x"}, "has no parameter 'ruun_key'"),
        ({}, "needs its parameter '(view|dataset)'"),
    ):
        given = (audited,) if options else ()
        with pytest.raises(KalosError, match=f"^{name} {message}") as caught:
            known(*given, **NEEDED[name], **options)
        assert all(needed in str(caught.value) for needed in NEEDED[name])
    with pytest.raises(KalosError, match=f"^{name} takes at most"):
        known(audited, *range(30))


@pytest.fixture
def deleted_elsewhere():
    """Return a data set that another process deleted."""
    made = make_dataset(sample("x"))
    child = start(lambda: fo.load_dataset(made.name).delete())
    os.waitpid(child, 0)
    return made


@pytest.mark.parametrize("name", NEEDED)
def test_a_data_set_that_is_gone(name, deleted_elsewhere):
    made = make_dataset(sample("x"))
    view = made.limit(1)
    made.delete()
    for gone in (made, view, deleted_elsewhere):
        with pytest.raises(KalosError, match="This data set was deleted"):
            operator(name)(gone, **NEEDED[name])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": 3}, "name must be a text, got 3"),
        ({"name": ""}, "name must be a text, got ''"),
        ({"name": "!!!"}, "No data set can be called '!!!'"),
        ({"field_per_rater": "yes"}, "field_per_rater must be True or False"),
    ],
)
def test_the_demo_is_told(audited, arguments, message):
    with pytest.raises(KalosError, match=message):
        operator("load_demo")(**{"name": "kalos-wrong", **arguments})
    if arguments.get("name") != "":  # which in a form is the default
        with pytest.raises(ExecutionError, match=message):
            foo.execute_operator(
                operator("load_demo").uri, {"dataset": audited, "params": arguments}
            )
    assert not fo.dataset_exists("kalos-wrong")


def test_raters_are_not_left_out_of_a_field_each(compute, per_rater):
    with pytest.raises(KalosError, match=r"name the fields to compare: label_field="):
        compute(per_rater, ["ana", "ben"], raters=["ana", "ben"])


def test_long_values_are_cut(compute, audited):
    with pytest.raises(KalosError) as caught:
        compute(audited, "gt", tau=list(range(1000)))
    assert len(str(caught.value)) < 300


def right(folder):
    """Return arguments that numpy and pathlib give."""
    return {
        "calibrate": {
            "label_field": np.str_("gt"),
            "raters": np.array(["ana", "ben"]),
            "d_locs": "box_iou",
            "seed": np.int64(3),
            "n_draws": np.int32(2),
        },
        "compute_agreement": {
            "label_field": np.str_("gt"),
            "raters": {"ana", "ben"},
            "tau": np.float32(0.5),
            "overwrite": np.bool_(False),
        },
        "fit_noise": {"label_field": np.str_("gt"), "seed": np.int64(3)},
        "simulate_raters": {
            "label_field": np.str_("gt"),
            "n_raters": np.int64(3),
            "magnitude": np.array([0, 1, 2.5]),
            "groups": np.array([2, 1]),
        },
        "show_disagreement": {
            "alpha": np.array([-1, 0.5]),
            "classes": "dog",
            "limit": np.int64(1),
        },
        "build_relabel_queue": {
            "n": np.int64(1),
            "minutes_per_image": np.float64(1),
            "csv": folder / "queue.csv",
        },
        "create_consensus": {
            "min_votes": np.int8(1),
            "min_existence": np.float32(0.5),
            "weighted": np.bool_(True),
        },
        "compare_runs": {"seed": np.int64(3), "n_boot": np.uint8(20)},
        "export_results": {"folder": folder / "files", "reference": np.bool_(False)},
    }


DELEGATED = [name for name in right(Path()) if name != "show_disagreement"]


@pytest.mark.parametrize("name", right(Path()))
def test_numbers_of_numpy_and_paths_work(audited, tmp_path, name):
    made = audited.clone()
    found = operator(name)(made, **right(tmp_path)[name])
    if name == "show_disagreement":
        assert len(found) == 1
    elif name == "build_relabel_queue":
        assert found["csv"] == str(tmp_path / "queue.csv")
        assert (tmp_path / "queue.csv").exists()
    elif name == "export_results":
        assert (tmp_path / "files" / "run.json").exists()
    else:
        assert found
    made.delete()


@pytest.mark.parametrize("name", DELEGATED)
def test_they_can_be_queued(audited, tmp_path, name):
    made = audited.clone()
    queued = operator(name)(made, **right(tmp_path)[name], delegate=True)
    assert queued.result["run_state"] == "queued"
    DelegatedOperationService().delete_operation(ObjectId(queued.result["id"]))
    made.delete()
