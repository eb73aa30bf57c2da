"""Runs of other versions and of others: said clearly, and left alone."""

import fiftyone as fo
import pytest
from plugin_builders import operator, panel_request, plugin_module, stored

KalosError = plugin_module("kalos_core").KalosError
calibrations = plugin_module("operators.calibrations")
own_runs = plugin_module("operators.own_runs")
packed = plugin_module("operators.packed")
runs = plugin_module("operators.runs")
staging = plugin_module("operators.staging")

USES = {
    "show_disagreement": {},
    "build_relabel_queue": {"csv": False},
    "create_consensus": {},
    "export_results": {},
    "compare_runs": {"run_a": "kalos", "run_b": "newer"},
}


def test_a_run_has_all_that_is_needed(compute, dataset):
    compute(dataset, "gt")
    config, results = runs.load(dataset, "kalos")
    named = set(results.serialize()) - {"cls"}
    assert named == set(own_runs.RESULTS)
    assert set(own_runs.CONFIG) <= set(config.serialize())
    assert tuple(packed.unpack(results.units)) == own_runs.UNITS


def make_older(dataset, key, *lacking):
    """Rewrite a run as an earlier version stored it."""
    config = dataset.get_run_info(key).config
    results = dataset.load_run_results(key, cache=False)
    for name in lacking:
        where = config if hasattr(config, name) else results
        delattr(where, name)
    config.version = "0.0.9"
    dataset.update_run_config(key, config)
    dataset.save_run_results(key, results, overwrite=True, cache=False)


@pytest.fixture
def older(compute, dataset):
    compute(dataset, "gt")
    compute(dataset, "gt", run_key="newer")
    make_older(dataset, "kalos", "status", "assigned")
    return dataset


@pytest.mark.parametrize("name", USES)
def test_an_older_run_is_said_to_be_one(older, name):
    message = (
        r"The results of run 'kalos', computed by KαLOS 0\.0\.9, lack status, assigned,"
        r" which KαLOS [\d.]+ needs\. Compute it anew: compute_agreement with "
        r"run_key='kalos' and overwrite=True"
    )
    before = stored(older)
    options = USES[name]
    if name != "compare_runs":
        options = {"run_key": "kalos", **options}
    with pytest.raises(KalosError, match=message):
        operator(name)(older, **options)
    assert stored(older) == before


@pytest.mark.parametrize("lacking", ["shapes", "units", "all", "gain"])
def test_whatever_is_lacking(older, lacking):
    if lacking == "all":
        older.delete_run("newer")
        config = older.get_run_info("kalos").config
        older.register_run("newer", config)
    elif lacking == "gain":
        results = older.load_run_results("newer", cache=False)
        units = packed.unpack(results.units)
        results.units = packed.pack({k: v for k, v in units.items() if k != "gain"})
        older.save_run_results("newer", results, overwrite=True, cache=False)
    else:
        make_older(older, "newer", lacking)
    with pytest.raises(KalosError, match=r"run 'newer', computed by .* lack "):
        operator("show_disagreement")(older, "newer")


def test_the_app_says_so(older, context):
    show = operator("show_disagreement")
    form = show.resolve_input(context(older, {"run_key": "kalos"})).type.properties
    assert form["problem"].invalid
    assert "Compute it anew" in form["problem"].view.label
    form = show.resolve_input(context(older)).type.properties
    assert "problem" not in form
    panel = operator("kalos_agreement")
    state = panel_request(panel, context, older, "on_load").state
    assert state["run_key"] == "newer"
    shown = panel_request(panel, context, older, "on_select_run", state, value="kalos")
    assert "Compute it anew" in shown.properties["problem"]["view"]["label"]
    assert "compute" in shown.properties and "histogram" not in shown.properties
    again = {**state, **shown.state}
    shown = panel_request(panel, context, older, "on_select_run", again, value="newer")
    assert "histogram" in shown.properties and "problem" not in shown.properties


def test_an_older_run_is_replaced_or_deleted(older, compute):
    assert runs.keys(older) == ["kalos", "newer"]
    compute(older, "gt", overwrite=True)
    assert operator("compare_runs")(older)["n_common"] == 3
    make_older(older, "kalos", "status", "shapes")
    operator("delete_run")(older, "kalos")
    assert older.list_runs() == ["newer"]
    assert older.get_field("kalos_alpha") is None


FOREIGN = {
    "nothing": {},
    "version": {"version": "1.0"},
    "queues": {"version": "1.0", "queues": 3, "views": ["mine"], "colours": ["x"]},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_run_of_others_is_left_alone(compute, context, dataset, name):
    other = dataset.init_run(method="kalos", **FOREIGN[name])
    dataset.register_run("theirs", other)
    dataset.register_run("kalos", dataset.init_run(method="kalos", **FOREIGN[name]))
    for key, method in (("nameless", None), ("tuning", "kalos_calibration")):
        dataset.register_run(key, dataset.init_run(method=method))
    dataset.reload()  # timestamps as exact as the database keeps them
    before = {key: dataset.get_run_info(key).serialize() for key in dataset.list_runs()}
    assert runs.keys(dataset) == calibrations.keys(dataset) == []
    panel = operator("kalos_agreement")
    assert panel_request(panel, context, dataset, "on_load").state["run_key"] is None
    with pytest.raises(KalosError, match="'kalos' is not a KαLOS run"):
        compute(dataset, "gt")
    with pytest.raises(KalosError, match="'kalos' is not a KαLOS run"):
        compute(dataset, "gt", overwrite=True)
    with pytest.raises(KalosError, match="'tuning' is not a calibration"):
        operator("calibrate")(dataset, "gt", run_key="tuning", overwrite=True)
    compute(dataset, "gt", run_key="mine")
    assert operator("build_relabel_queue")(dataset, csv=False)["n"] == 1
    for key in before:
        with pytest.raises(KalosError, match=f"has no KαLOS run '{key}'"):
            operator("delete_run")(dataset, key)
    operator("delete_run")(dataset, "mine")
    after = {key: dataset.get_run_info(key).serialize() for key in dataset.list_runs()}
    assert after == before


def test_a_run_that_others_register_meanwhile_is_left(compute, dataset, monkeypatch):
    real, before = staging.stage, stored(dataset)

    def first_somebody_else(*given):
        other = fo.load_dataset(dataset.name)
        other.register_run("kalos", other.init_run(method="theirs", kept=1))
        real(*given)

    with monkeypatch.context() as changed:
        changed.setattr(staging, "stage", first_somebody_else)
        with pytest.raises(KalosError, match="'kalos' is not a KαLOS run"):
            compute(dataset, "gt")
    assert dataset.get_run_info("kalos").config.kept == 1
    assert stored(dataset) == before
    assert runs.keys(dataset) == []
