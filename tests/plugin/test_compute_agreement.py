import fiftyone as fo
import fiftyone.operators as foo
import pytest
import shapely
from fiftyone.core.odm import ActiveFields, SidebarGroupDocument
from plugin_builders import (
    detection,
    in_one_field,
    operator,
    plugin_module,
    polygon,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError
runs = plugin_module("operators.runs")
NAMES = ("alpha", "status", "n_units", "n_no_object")


def written(dataset, key="kalos"):
    return list(zip(*dataset.values([f"{key}_{n}" for n in NAMES]), strict=True))


def test_what_a_run_leaves_behind(compute, dataset):
    figures = compute(dataset, "gt")
    # Units (cat cat) (cat dog): n = 4, n_cat = 3, chance 6, o = 2: (6 - 6) / (12 - 6).
    assert written(dataset) == [
        (0.0, "computed", 2, 0),
        (1.0, "empty_agreed", 0, 0),
        (None, "undefined", 1, 0),
    ]
    assert figures == {
        "run_key": "kalos",
        "mean_alpha": 0.5,
        # Plus one unit (none none): n = 6, n_cat = 3, n_dog = 1, n_none = 2,
        # chance 6 + 0 + 2 = 8, o = 4: (5 * 4 - 8) / (30 - 8).
        "global_alpha": pytest.approx(12 / 22),
        "n_images": 3,
        "n_undefined": 1,
        "n_dropped": 0,
    }
    assert "kalos_alpha" in dataset.list_indexes()  # the grid's Sort by needs it
    config = dataset.get_run_info("kalos").config
    assert config.notation == "KαLOS(box_iou, τ=0.5, S=Greedy, ψ_soft)"
    assert config.layout == {
        "layout": "one_field",
        "label_field": "gt",
        "rater_attribute": "rater",
        "assigned": "raters",
        "raters": None,
    }
    results = dataset.load_run_results("kalos")
    assert results.alpha == [0.0, 1.0, None]
    assert results.raters["name"] == ["ana", "ben"]
    assert results.classes["n_annotations"] == [4, 1]


def test_a_miss_is_counted(compute, dataset):
    first = dataset.first()
    first.gt.detections.pop()
    first.save()
    compute(dataset, "gt")
    assert written(dataset)[0][2:] == (2, 1)


def test_both_layouts_agree(compute, dataset, per_rater):
    compute(dataset, "gt")
    compute(per_rater, ["ana", "ben"])
    assert written(dataset) == written(per_rater)


def test_tau_is_a_distance(compute, dataset):
    # The cats are 1 - 19/21 apart.
    compute(dataset, "gt", tau=0.09)
    assert written(dataset)[0][2] == 3
    compute(dataset, "gt", tau=0.1, overwrite=True)
    assert written(dataset)[0][2] == 2


def test_labels_only_get_two_attributes(compute, dataset, per_rater):
    for made, field in ((dataset, "gt"), (per_rater, ["ana", "ben"])):
        before = stored(made)
        compute(made, field)
        assert stored(made, less=["kalos"]) == before
    assert dataset.values("gt.detections.kalos_unit") == [[1, 1, 2, 2], [], [1]]
    kinds = [["agreed", "agreed", "class", "class"], [], ["undefined"]]
    assert dataset.values("gt.detections.kalos_kind") == kinds
    assert per_rater.values("ben.detections.kalos_unit") == [[1, 2], [], None]
    absent = {"ben": {"$exists": False}}  # and does not become an empty object
    assert per_rater._sample_collection.count_documents(absent) == 1
    schema = dataset.get_field_schema(flat=True)  # else the sidebar has no filter
    assert {"gt.detections.kalos_unit", "gt.detections.kalos_kind"} <= set(schema)


def test_every_object_has_a_label_of_its_own(compute, dataset):
    first = dataset.first()
    first.gt.detections.append(detection("cat", 80, 10, 10, 10, rater="ben"))
    first.save()
    compute(dataset, "gt")
    units = dataset.first().kalos_units.detections
    assert [(u.unit, u.kind, u.label) for u in units] == [
        (1, "agreed", "cat"),
        (2, "class", "cat"),
        (3, "missed", "cat"),
    ]
    assert [(u.raters, u.no_object) for u in units] == [
        (["ana", "ben"], []),
        (["ana", "ben"], []),
        (["ben"], ["ana"]),
    ]
    assert [u.agreement for u in units] == [1, 0, 0]
    assert units[2].bounding_box == [0.8, 0.1, 0.1, 0.1]
    assert dataset.values("kalos_units.detections.outlier")[0] == [None] * 3
    assert [len(u.detections) for u in dataset.values("kalos_units")] == [3, 0, 1]
    assert len(dataset.to_patches("kalos_units")) == 4


def test_a_view_is_audited_and_the_rest_left_alone(compute, dataset):
    compute(dataset.limit(1), "gt")
    assert written(dataset) == [
        (0.0, "computed", 2, 0),
        (None, None, None, None),
        (None, None, None, None),
    ]


def test_a_run_is_replaced_only_on_request(compute, dataset):
    compute(dataset, "gt")
    with pytest.raises(KalosError, match="Run 'kalos' exists"):
        compute(dataset, "gt", tau=0.0)
    assert dataset.get_run_info("kalos").config.configuration["tau"] == 0.5
    compute(dataset.limit(1), "gt", tau=0.0, overwrite=True)
    assert written(dataset)[1:] == [(None,) * 4] * 2  # nothing of the old run is left
    assert runs.keys(dataset) == ["kalos"]


def test_two_runs_live_side_by_side(compute, dataset):
    compute(dataset, "gt", run_key="first")
    compute(dataset, "gt", run_key="second", tau=0.0)
    assert runs.keys(dataset) == ["first", "second"]
    operator("delete_run")(dataset, "first")
    assert runs.keys(dataset) == ["second"]
    assert written(dataset, "second")[0][2] == 4 - 1


def test_fields_of_the_users_own_are_left_alone(compute, dataset, snapshot):
    dataset.set_values("kalos_status", ["mine"] * 3)
    before = snapshot(dataset)
    with pytest.raises(KalosError, match="has a field 'kalos_status' of its own"):
        compute(dataset, "gt")
    assert snapshot(dataset) == before
    assert runs.free_key(dataset) == "kalos_2"


def test_copies_of_a_runs_fields_belong_to_the_user(compute, dataset):
    compute(dataset, "gt")
    dataset.clone_sample_field("kalos_alpha", "backup")
    compute(dataset, "gt", overwrite=True)
    operator("delete_run")(dataset, "kalos")
    assert dataset.values("backup") == [0.0, 1.0, None]


def test_a_run_can_be_deleted_through_a_view_of_everything(compute, dataset):
    compute(dataset, "gt")
    operator("delete_run")(dataset.view(), "kalos")
    assert runs.keys(dataset) == []
    assert "kalos_alpha" not in dataset.get_field_schema()


def test_raters_left_out(compute, dataset):
    with_all = compute(dataset, "gt", assigned="@all")
    assert compute(dataset, "gt", assigned="@all", raters=["ana", "ben"], run_key="two")
    assert dataset.load_run_results("two").mean_alpha == with_all["mean_alpha"]
    config = dataset.get_run_info("two").config
    assert list(config.layout["raters"]) == ["ana", "ben"]


def test_runs_of_others_are_left_alone(compute, dataset):
    dataset.register_run("kalos", dataset.init_run(method="other"))
    with pytest.raises(KalosError, match="Run 'kalos' is not a KαLOS run"):
        compute(dataset, "gt", overwrite=True)
    with pytest.raises(KalosError, match=r"has no KαLOS run 'kalos'\. Runs are: none"):
        operator("delete_run")(dataset, "kalos")
    assert runs.keys(dataset) == []


@pytest.mark.parametrize(
    "of_field_that_goes",
    [
        lambda dataset: dataset.sort_by("kalos_alpha"),
        lambda dataset: dataset.to_patches("kalos_units"),
    ],
)
def test_from_the_app_a_run_is_deleted_with_progress(
    compute, dataset, of_field_that_goes
):
    before = stored(dataset)
    compute(dataset, "gt")
    deleting = operator("delete_run")
    view = of_field_that_goes(dataset)
    result = foo.execute_operator(
        deleting.uri, {"view": view, "params": {"run_key": "kalos"}}
    )
    asked = [request.operator_uri for request in result.executor._requests]
    # Before the field goes, since the App asks for its view now and then.
    assert (asked[0], asked[-1]) == ("clear_view", "reload_dataset")
    progress = [
        r.params for r in result.executor._requests if r.operator_uri == "set_progress"
    ]
    assert progress[-1] == {"progress": 1, "label": "The run 'kalos' is deleted."}
    dataset.reload()
    assert (stored(dataset), dataset.list_runs()) == (before, [])
    told = []
    compute(dataset, "gt")
    plugin_module("operators.delete_run").delete(
        dataset, "kalos", tell=lambda *what: told.append(what)
    )
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (1, "Done")
    assert "Removing what the run wrote" in [label for _, label in told]


def test_deleting_a_run_leaves_no_trace(compute, dataset, snapshot):
    before = snapshot(dataset, clocks=False)
    compute(dataset, "gt")
    operator("delete_run")(dataset, "kalos")
    assert snapshot(dataset, clocks=False) == before


def test_a_replaced_run_is_shown_where_it_was(compute, dataset):
    dataset.app_config.active_fields = ActiveFields(paths=["kalos_alpha", "gt"])
    dataset.app_config.sidebar_groups = [
        SidebarGroupDocument(name="mine", paths=["gt", "kalos_units", "kalos_alpha"])
    ]
    dataset.save()
    for options in ({}, {"overwrite": True}):
        compute(dataset, "gt", **options)
        dataset.reload()
        assert dataset.app_config.active_fields.paths == ["kalos_alpha", "gt"]
        (group,) = dataset.app_config.sidebar_groups
        assert group.paths == ["gt", "kalos_units", "kalos_alpha"]
    operator("delete_run")(dataset, "kalos")
    assert dataset.app_config.active_fields.paths == ["gt"]


def test_the_form_runs_with_its_defaults(dataset):
    foo.execute_operator(
        "@kalos/audit/compute_agreement", {"dataset": dataset, "params": {"tau_s": 0.7}}
    )
    dataset.reload()
    assert dataset.load_run_results("kalos").mean_alpha == 0.5
    assert dataset.get_run_info("kalos").config.configuration["tau"] == 0.3


def test_a_second_run_gets_a_name_of_its_own(compute, context, dataset):
    compute(dataset, "gt")
    form = operator("compute_agreement").resolve_input(context(dataset))
    assert form.type.properties["run_key"].default == "kalos_2"
    again = context(dataset, {"run_key": "kalos"})
    form = operator("compute_agreement").resolve_input(again).type.properties
    assert "Run 'kalos' exists" in form["problem"].view.label
    replace = context(dataset, {"run_key": "kalos", "overwrite": True})
    form = operator("compute_agreement").resolve_input(replace).type.properties
    assert "problem" not in form


def test_delegation_queues_the_same_run(compute, dataset):
    from fiftyone.operators.delegated import DelegatedOperationService

    service = DelegatedOperationService()
    dataset.persistent = True
    queued = compute(dataset, "gt", tau=0.2, run_key="later", delegate=True)
    assert queued.delegated
    service.execute_queued_operations(
        operator="@kalos/audit/compute_agreement", dataset_name=dataset.name
    )
    dataset.reload()
    assert runs.keys(dataset) == ["later"]
    assert dataset.get_run_info("later").config.configuration["tau"] == 0.2
    (done,) = service.list_operations(dataset_name=dataset.name)
    assert (done.status.progress, done.status.label) == (1, "Done")


def test_colours_by_rater_come_and_go_with_the_run(compute, dataset, per_rater):
    for made, field in ((dataset, "gt"), (per_rater, ["ana", "ben"])):
        compute(made, field, colours=True)
        scheme = made.app_config.color_scheme
        assert scheme.fields[0]["path"] in ("gt", "ana")
        compute(made, field, colours=True, run_key="second")
        operator("delete_run")(made, "second")
        assert made.app_config.color_scheme is not None  # they are the first one's
        operator("delete_run")(made, "kalos")
        assert made.app_config.color_scheme is None
        made.app_config.color_scheme = fo.ColorScheme(color_pool=["#123456"])
        made.save()
        compute(made, field, colours=True)
        operator("delete_run")(made, "kalos")
        assert made.app_config.color_scheme.color_pool == ["#123456"]


def test_the_hole_of_a_polygon_is_no_part_of_its_unit(compute):
    """Four bars around a hole: 40 * 40 - 20 * 20 hundredths of hundredths."""
    bars = ([10, 10, 50, 10, 50, 20, 10, 20], [10, 40, 50, 40, 50, 50, 10, 50])
    posts = ([10, 10, 20, 10, 20, 50, 10, 50], [40, 10, 50, 10, 50, 50, 40, 50])
    frames = {who: [polygon("frame", *bars, *posts)] for who in ("ana", "ben")}
    made = in_one_field(fo.Polylines, {"x": frames})
    compute(made, "gt")
    [unit] = made.first().kalos_units.polylines
    area = shapely.union_all([shapely.Polygon(part) for part in unit.points]).area
    assert area == pytest.approx(0.12)
    made.delete()
