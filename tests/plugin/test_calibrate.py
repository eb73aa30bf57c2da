"""Calibrations of a data set: stored, offered to the audit, and removed."""

import fiftyone.operators as foo
import numpy as np
import pytest
from fiftyone.operators.delegated import DelegatedOperationService
from plugin_builders import (
    operator,
    plugin_module,
    stored,
)

core = plugin_module("kalos_core")
calibrations = plugin_module("operators.calibrations")
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")
runs = plugin_module("operators.runs")
RATERS = ("ana", "ben", "cho")


@pytest.fixture
def calibrate():
    return operator("calibrate")


def test_what_is_found_is_what_the_core_finds(calibrate, cells):
    before = stored(cells)
    found = calibrate(cells, "gt", seed=3)
    assert stored(cells) == before
    annotations = fields.read_annotations(cells, layouts.OneField("gt"))
    names = ["box_iou", "box_giou", "box_centroid_l2"]
    rng = np.random.default_rng(3)
    best, *others = core.rank_distances(annotations, names, rng=rng)
    assert found["d_loc"] == best.d_loc
    assert found["tau_star"] == pytest.approx(best.tau_star)
    assert [one["d_loc"] for one in found["ranking"]] == [
        best.d_loc,
        *(one.d_loc for one in others),
    ]
    assert found["bootstrap"]["n_boot"] == calibrations.N_BOOT
    assert [stratum["size"] for stratum in found["strata"]] == [
        "small",
        "medium",
        "large",
    ]
    assert found["advice"]
    results = cells.load_run_results("calibration")
    assert len(results.density_o) == len(results.density_e) == len(results.grid)
    config = cells.get_run_info("calibration").config
    assert (config.seed, config.shapes, config.n_draws) == (3, "boxes", 1)
    assert runs.keys(cells) == []  # it is no audit


def test_the_audit_takes_it_as_its_default(calibrate, cells, compute, context):
    found = calibrate(cells, "gt", d_locs=["box_giou"])
    compute(cells, "gt")
    chosen = cells.get_run_info("kalos").config.configuration
    assert chosen["d_loc"] == "box_giou"
    assert chosen["tau"] == found["tau_star"]
    compute(cells, "gt", tau=0.25, run_key="mine")
    chosen = cells.get_run_info("mine").config.configuration
    assert (chosen["d_loc"], chosen["tau"]) == ("box_iou", 0.25)
    compute(cells, "gt", assigned="@all", run_key="other")  # labels read another way
    chosen = cells.get_run_info("other").config.configuration
    assert (chosen["d_loc"], chosen["tau"]) == ("box_iou", 0.5)
    form = operator("compute_agreement").resolve_input(context(cells)).type.properties
    assert form["d_loc_boxes"].default == "box_giou"
    assert form["tau_s"].default == pytest.approx(1 - found["tau_star"], abs=1e-3)
    assert "From the calibration 'calibration'" in form["threshold"].default


def test_it_is_replaced_only_on_request_and_can_be_deleted(calibrate, cells, snapshot):
    before = snapshot(cells)
    calibrate(cells, "gt")
    with pytest.raises(core.KalosError, match="Calibration 'calibration' exists"):
        calibrate(cells, "gt")
    calibrate(cells, "gt", seed=9, overwrite=True)
    assert cells.get_run_info("calibration").config.seed == 9
    assert cells.list_runs() == ["calibration"]
    operator("delete_run")(cells, "calibration")
    assert snapshot(cells) == before


def test_a_kill_before_the_end_leaves_the_old_one(calibrate, cells, monkeypatch):
    calibrate(cells, "gt", seed=1)

    def die(*_, **__):
        raise KeyboardInterrupt

    for step in ("register_run", "save_run_results", "save"):
        with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
            broken.setattr(type(cells), step, die)
            calibrate(cells, "gt", seed=2, overwrite=True)
        cells.reload()
        assert calibrations.keys(cells) == ["calibration"]
        assert cells.get_run_info("calibration").config.seed == 1
    assert runs.keys(cells) == []
    assert cells.list_runs() == ["calibration"]
    calibrate(cells, "gt", seed=2, overwrite=True)
    assert cells.get_run_info("calibration").config.seed == 2
    assert cells.list_runs() == ["calibration"]


def test_a_kill_after_the_end_leaves_the_new_one(calibrate, cells, monkeypatch):
    calibrate(cells, "gt", seed=1)

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(type(cells), "clear_cache", die)
        calibrate(cells, "gt", seed=2, overwrite=True)
    cells.reload()
    assert calibrations.keys(cells) == ["calibration"]
    assert cells.get_run_info("calibration").config.seed == 2


def test_the_form_and_delegation_do_the_same(calibrate, cells):
    for _ in range(2):  # the second time it proposes another name
        foo.execute_operator(calibrate.uri, {"dataset": cells, "params": {}})
        cells.reload()
    assert calibrations.keys(cells) == ["calibration", "calibration_2"]
    expected = cells.load_run_results("calibration", cache=False)
    cells.persistent = True
    queued = calibrate(cells, "gt", run_key="later", delegate=True)
    assert queued.delegated
    service = DelegatedOperationService()
    service.execute_queued_operations(operator=calibrate.uri, dataset_name=cells.name)
    cells.reload()
    found = cells.load_run_results("later", cache=False)
    assert found.tau_star == expected.tau_star
    (done,) = service.list_operations(dataset_name=cells.name)
    assert (done.status.progress, done.status.label) == (1, "Done")


def test_what_cannot_be_calibrated_is_said(calibrate, cells, snapshot):
    one = cells.limit(1)
    before = snapshot(cells)
    with pytest.raises(core.KalosError, match="needs two images with assigned raters"):
        calibrate(one, "gt")
    with pytest.raises(core.KalosError, match="does not measure boxes"):
        calibrate(cells, "gt", d_locs=["polygon_iou"])
    in_app = foo.execute_operator(
        calibrate.uri, {"view": one, "params": {"view_target": "CURRENT_VIEW"}}
    )
    asked = {r.operator_uri: r.params for r in in_app.executor._requests}
    assert "needs two images" in asked["set_progress"]["label"]
    assert snapshot(cells) == before
