import fiftyone as fo
import fiftyone.operators as foo
import pytest
from plugin_builders import operator, plugin_module

from scripts.demo import audit

KalosError = plugin_module("kalos_core").KalosError
RATERS = ["ana", "ben", "cho", "dee", "eli", "fay"]


def test_the_demo_is_complete(demo):
    assert len(demo) >= 150
    assert demo.persistent
    assert (
        demo.distinct("raters") == demo.distinct("ratings.detections.rater") == RATERS
    )
    assert demo.list_workspaces() == ["KαLOS audit"]
    schema = demo.get_field_schema(flat=True)
    assert (
        "ratings.detections.rater" in schema
    )  # declared, so the sidebar filters by it


def test_it_has_synthetic_raters_whom_nobody_takes_for_people(demo):
    layouts = plugin_module("operators.layouts")
    assert layouts.detect_layout(demo).label_field == "ratings"
    raters = [f"rater_{number}" for number in range(1, 6)]
    assert demo.distinct("simulated.detections.rater") == raters
    errors = demo.count_values("simulated.detections.error")
    assert set(errors) >= {"added", "category", "localization", "split"}
    by_ana = demo.filter_labels("ratings", fo.ViewField("rater") == "ana")
    drawn = set(by_ana.values("ratings.detections.id", unwind=True))
    assert set(demo.distinct("simulated.detections.reference_ids")) <= drawn


def test_the_audit_finds_their_two_conventions(demo, compute):
    compute(demo, "simulated", assigned="simulated_raters", run_key="synthetic")
    schools = demo.load_run_results("synthetic").diagnosis["schools"]
    assert schools["school"] == [0, 0, 0, 1, 1] and schools["p_value"] < 0.05
    operator("delete_run")(demo, "synthetic")


def shares(run):
    """Return each rater's shares of missed, extra and otherwise named objects."""
    columns = run.raters
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
    return {
        row["name"]: {
            "missed": row["missed"] / row["expected"],
            "extra": row["extra"] / row["drawn"],
            "other": row["other_class"] / row["drawn"],
        }
        for row in rows
    }


def test_the_audit_finds_the_habits(demo):
    found = shares(demo.load_run_results("kalos"))
    for careful in ("ana", "ben"):
        assert max(found[careful].values()) < 0.03
    assert found["cho"]["missed"] > 0.1  # misses small objects
    assert found["cho"]["extra"] < 0.01  # and draws nothing that is not there
    for other_guideline in ("eli", "fay"):
        assert found[other_guideline]["missed"] > 0.1  # one box for touching cells
        assert found[other_guideline]["other"] > 0.05  # two classes swapped
    assert max(found[name]["other"] for name in ("ana", "ben", "cho", "dee")) < 0.01
    seen = demo.count_values("raters")
    assert seen["fay"] < 0.6 * seen["eli"]  # assigned to a part only


def test_an_audit_that_is_there_is_not_computed_again(demo):
    before = demo.get_run_info("kalos").timestamp
    audit(demo)
    assert demo.get_run_info("kalos").timestamp == before


def test_loose_boxes_are_lost_at_a_strict_threshold(demo, compute):
    compute(demo, "ratings", tau=0.25, run_key="strict")
    strict = shares(demo.load_run_results("strict"))
    assert strict["dee"]["missed"] > 0.9
    assert strict["ben"]["missed"] < 0.03
    operator("delete_run")(demo, "strict")


def test_some_images_are_trivial_and_some_undefined(demo):
    counts = demo.count_values("kalos_status")
    assert counts["empty_agreed"] >= 5
    assert counts["undefined"] >= 5
    alone = demo.match(fo.ViewField("kalos_status") == "undefined")
    assert all(len(raters) == 1 for raters in alone.values("raters"))


def test_both_layouts_give_the_same_agreement(demo, compute, context):
    name, told = "kalos-demo-per-rater", []
    if fo.dataset_exists(name):
        fo.delete_dataset(name)
    ctx = context(demo, {"name": name, "field_per_rater": True})
    report = operator("load_demo").run(ctx, lambda *what: told.append(what))
    assert report == {"name": name, "n_images": len(demo)}
    progress = [done for done, _ in told]
    assert progress == sorted(progress)
    assert len(progress) > 100
    made = fo.load_dataset(name)
    guess = plugin_module("operators.layouts").detect_layout(made)
    assert guess.label_fields == tuple(RATERS)
    assert compute(made, RATERS) == compute(demo, "ratings", overwrite=True)
    assert made.values("kalos_alpha") == demo.values("kalos_alpha")
    made.delete()


def test_a_data_set_that_exists_is_never_touched(demo, context):
    with pytest.raises(KalosError, match="'kalos-demo' exists already"):
        operator("load_demo")("kalos-demo")
    form = operator("load_demo").resolve_input(context(demo)).type.properties
    assert form["name"].invalid
    assert len(demo) >= 150


def test_from_the_app_it_reports_progress_and_opens_the_data_set(demo):
    name = "kalos-demo-from-app"
    if fo.dataset_exists(name):
        fo.delete_dataset(name)
    result = foo.execute_operator(
        "@kalos/audit/load_demo", {"dataset": demo, "params": {"name": name}}
    )
    requests = result.executor._requests
    progress = [r.params["progress"] for r in requests if "progress" in r.params]
    assert progress == sorted(progress)
    assert progress[-1] == 1
    assert requests[-1].params["dataset"] == name
    fo.delete_dataset(name)


def test_it_can_be_stopped(demo, context):
    stoppable = []

    def tell(done, label):
        stoppable[0].stop()

    ctx = context(demo, {"name": "kalos-demo-stopped"})
    with pytest.raises(KalosError, match="The demo was stopped"):
        operator("load_demo").run(ctx, tell, stoppable.append)
    assert not fo.dataset_exists("kalos-demo-stopped")
