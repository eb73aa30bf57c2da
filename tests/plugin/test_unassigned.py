"""Labels by raters who were not assigned: refused with advice, or left out and told."""

import fiftyone.operators as foo
import pytest
import snapshots
from plugin_builders import detection, operator, plugin_module

KalosError = plugin_module("kalos_core").KalosError
live_run = plugin_module("operators.live_run")
STORED = ("compute_agreement", "calibrate", "fit_noise")
TOLD = "Left out as their raters were not assigned: 2 labels."


@pytest.fixture
def visited(cells):
    """Return a data set in which kim drew on two images without being assigned."""
    for sample in cells[:2]:
        box = detection("cell", 50, 50, 30, 30, rater="kim")
        sample.gt.detections.append(box)
        sample.save()
    return cells


@pytest.mark.parametrize("name", STORED)
def test_an_error_names_them_and_says_what_to_do(visited, name):
    before = snapshots.take(visited)
    with pytest.raises(KalosError) as caught:
        operator(name)(visited, "gt")
    assert "is by rater 'kim', who is not assigned to that image" in str(caught.value)
    for way in ("'@all'", "'@drew'", "list field 'raters'", "on_unassigned='drop'"):
        assert way in str(caught.value)
    assert snapshots.take(visited) == before


@pytest.mark.parametrize("name", STORED)
def test_they_are_left_out_counted_and_stored(context, visited, name):
    work = operator(name)
    found = work(visited, "gt", on_unassigned="drop")
    assert found["n_dropped"] == 2
    stored = visited.load_run_results(found["run_key"], cache=False)
    assert stored.n_dropped == 2
    layout = visited.get_run_info(found["run_key"]).config.layout
    assert layout["on_unassigned"] == "drop"
    form = work.resolve_input(context(visited, {"label_field": "gt"})).type.properties
    assert form["drop_unassigned"].default is False
    params = {"label_field": "gt", "drop_unassigned": True, "run_key": "again"}
    in_app = foo.execute_operator(work.uri, {"dataset": visited, "params": params})
    shown = [r.params for r in in_app.executor._requests if "label" in (r.params or {})]
    assert TOLD in shown[-1]["label"]
    assert visited.load_run_results("again", cache=False).n_dropped == 2


def test_nobody_is_left_out_where_everyone_is_assigned(cells, compute):
    assert compute(cells, "gt", on_unassigned="drop")["n_dropped"] == 0
    other = compute(cells, "gt", run_key="error")
    assert "on_unassigned" not in cells.get_run_info("error").config.layout
    assert other["mean_alpha"] == cells.load_run_results("kalos").mean_alpha


def test_the_run_is_as_if_they_had_not_been_drawn(compute, visited):
    compute(visited, "gt", on_unassigned="drop")
    results = visited.load_run_results("kalos")
    assert results.raters["name"] == ["ana", "ben", "cho"]
    by_kim = [box for box in visited.first().gt.detections if box.rater == "kim"]
    assert not hasattr(by_kim[0], "kalos_unit")
    # It is read again the same way.
    assert operator("create_consensus")(visited, "kalos")["n_labels"] > 0
    operator("delete_run")(visited, "kalos", consensus=True)


def test_who_is_not_compared_does_not_matter(compute, visited):
    found = compute(visited, "gt", raters=["ana", "ben"])
    assert found["n_dropped"] == 0


def test_delegated_they_are_left_out_too(visited, compute):
    queued = compute(visited, "gt", on_unassigned="drop", delegate=True)
    assert queued.delegated
    assert queued.result["context"]["request_params"]["params"]["on_unassigned"] == (
        "drop"
    )
