from pathlib import Path

import fiftyone as fo
import fiftyone.operators as foo
import pytest
import yaml
from plugin_builders import operator, plugin_module

ROOT = Path(__file__).parents[2]
WORKSPACE = plugin_module("operators.workspace").WORKSPACE


@pytest.fixture
def open_audit():
    return operator("open_audit")


def panes(space):
    return [[panel.type for panel in pane.children] for pane in space.children]


def test_it_returns_the_images_beside_all_panels_of_the_grid(open_audit, dataset):
    space = open_audit(dataset)
    panels, grid = panes(space)
    listed = yaml.safe_load((ROOT / "fiftyone.yml").read_text())["panels"]
    assert grid == ["Samples"]
    assert panels[0] == "kalos_agreement"
    assert set(panels) == set(listed) - {"kalos_inspector"}
    for pane in space.children:
        assert pane.active_child == pane.children[0].component_id
    assert dataset.list_workspaces() == [WORKSPACE]


def test_one_that_was_rearranged_stays_so(open_audit, dataset):
    own = fo.Space(children=[fo.Panel(type="Samples", pinned=True)])
    dataset.save_workspace(WORKSPACE, own)
    assert [panel.type for panel in open_audit(dataset).children] == ["Samples"]


def test_it_stays_when_a_run_is_deleted_and_goes_by_its_name(
    open_audit, compute, dataset
):
    compute(dataset, "gt")
    open_audit(dataset)
    operator("delete_run")(dataset, "kalos")
    assert dataset.list_workspaces() == [WORKSPACE]
    dataset.delete_workspace(WORKSPACE)
    assert dataset.list_workspaces() == []


def test_the_app_is_told(open_audit, dataset):
    result = foo.execute_operator(open_audit.uri, {"dataset": dataset, "params": {}})
    [request] = result.executor._requests
    assert request.operator_uri == "set_spaces"
    assert "kalos_agreement" in str(request.params["spaces"])


def test_it_has_a_button_with_an_icon(open_audit, context, dataset):
    placed = open_audit.resolve_placement(context(dataset)).to_json()
    assert placed["place"] == "samples-grid-secondary-actions"
    icon = placed["view"]["icon"]
    assert (ROOT / icon.lstrip("/")).is_file()
