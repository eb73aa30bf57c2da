"""Forms of all operators: they open without a scan, whatever the names in the data."""

import json

import fiftyone as fo
import pytest
from plugin_builders import detection, in_one_field, operator, plugin_module

OPERATORS = [made().config.name for made in plugin_module("operators").OPERATORS]
LOOK_AT = plugin_module("operators.measures").LOOK_AT
N_SAMPLES = 300


@pytest.fixture(scope="module")
def large():
    """Return many images with two runs, a calibration, a queue and a consensus."""
    drawn = {
        f"{n:03}": {
            who: [
                detection("cat", 10 + shift, 10, 20, 20),
                detection(label, 60, 60, 9, 9),
            ]
            for who, shift, label in (("ana", 0, "cat"), ("ben", n % 3, "dog"))
        }
        for n in range(N_SAMPLES)
    }
    made = in_one_field(fo.Detections, drawn)
    operator("calibrate")(made, "gt")
    for key in ("before", "after"):
        operator("compute_agreement")(made, "gt", run_key=key)
    operator("build_relabel_queue")(made, "after", csv=False)
    operator("create_consensus")(made, "after")
    yield made
    made.delete()


FILLED_IN = {
    "build_relabel_queue": {"budget": "minutes", "by": "unit", "run_key": "before"},
    "calibrate": {"run_key": "calibration", "overwrite": True},
    "compare_runs": {"run_a": "after", "run_b": "before"},
    "compute_agreement": {"run_key": "after", "overwrite": True, "advanced": True},
    "create_consensus": {"run_key": "before", "shape": "mean"},
    "delete_run": {"run_key": "after"},
    "export_results": {"run_key": "before"},
    "fit_noise": {"reference": "ana", "run_key": "mine"},
    "import_annotations": {"layout": "field_per_rater"},
    "load_demo": {"name": "kalos-demo-not-there"},
    "open_audit": {},
    "show_disagreement": {"raters": ["ana", "ben"], "kind": "class"},
    "simulate_raters": {"groups": "3, 2", "layout": "field_per_rater"},
    "stop_run": {},
}


def form(context, dataset, name, params, view=None):
    shown = operator(name).resolve_input(context(dataset, params, view=view))
    return json.dumps(shown.to_json())


@pytest.mark.parametrize("name", OPERATORS)
def test_a_form_opens_without_a_scan(large, context, examined, name):
    view = large.match(fo.ViewField("filepath") != "x").limit(N_SAMPLES // 2)
    for params, seen in (({}, None), (FILLED_IN[name], None), ({}, view)):
        read = examined(large, lambda: form(context, large, name, params, seen))  # noqa: B023 called at once
        assert read <= LOOK_AT + 1, params


@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_filled_in_is_no_problem(large, context, name):
    if name == "stop_run":
        assert "Nothing is at work" in form(context, large, name, {})
    elif name != "import_annotations":  # which asks for a file first
        assert '"problem"' not in form(context, large, name, FILLED_IN[name])
