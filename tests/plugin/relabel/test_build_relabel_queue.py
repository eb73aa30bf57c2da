"""What to label again, worked by hand, from labels that are those of the run."""

import fiftyone.operators as foo
import pytest
from plugin_builders import names, operator, plugin_module, stored
from queue_builders import form, picked, rows, tagged

KalosError = plugin_module("kalos_core").KalosError


def test_the_images_by_hand(build, audited):
    before = stored(audited)
    made = build(audited)
    csv_path = made.pop("csv")
    # Settled, one gains 1 and two 5 / 9, of three images.
    assert made == {
        "run_key": "kalos",
        "tag": "kalos_relabel",
        "view": "kalos_relabel",
        "n": 2,
        "n_candidates": 2,
        "minutes": 2,
        "mean_alpha": pytest.approx(13 / 27),
        "expected_mean_alpha": pytest.approx(1),
        "annotation": None,
    }
    assert tagged(audited) == ["one", "two"]
    assert names(audited.load_saved_view("kalos_relabel")) == ["one", "two"]
    first, second = rows(csv_path)
    assert first == {
        "order": "1",
        "filepath": "/nowhere/one.jpg",
        "sample_id": audited.load_saved_view("kalos_relabel").first().id,
        "units": "2",
        "gain": "0.333333",
        "minutes": "1.0",
        "expected_mean_alpha": "0.814815",
        "reason": "'cat' against 'dog'",
    }
    assert (second["filepath"], second["units"]) == ("/nowhere/two.jpg", "3")
    assert second["gain"] == "0.185185"
    for now, then in zip(stored(audited), before, strict=True):
        assert {**now, "tags": []} == then


def test_budgets(build, audited):
    assert names(_view(audited, build(audited, n=1))) == ["one"]
    assert names(_view(audited, build(audited, minutes=1.5))) == ["one"]
    longer = {"minutes": 7, "minutes_per_image": 3, "minutes_per_unit": 0.5}
    made = build(audited, **longer)
    assert (made["n"], made["minutes"]) == (2, 7)
    made = build(audited, minutes=0.5)
    assert (made["n"], made["tag"], made["view"], made["csv"]) == (0, None, None, None)
    assert tagged(audited) == [] and audited.list_saved_views() == []
    for bad in ({"n": 0}, {"minutes": -1}, {"n": 1, "minutes": 1}, {"by": "pixel"}):
        with pytest.raises(KalosError):
            build(audited, **bad)


def _view(dataset, made):
    return dataset.load_saved_view(made["view"])


def test_single_objects(build, audited):
    made = build(audited, by="unit", tag="again", save_as="My objects")
    view = audited.load_saved_view("My objects")
    assert (made["n"], made["view"]) == (2, "My objects")
    assert names(view) == ["one", "two"]
    assert view.values("kalos_units.unit") == [2, 3]
    assert audited.count_label_tags(label_fields="kalos_units") == {"again": 2}
    assert audited.count_sample_tags() == {}
    assert [row["units"] for row in rows(made["csv"])] == ["2", "3"]


def test_labels_that_changed_are_refused(build, queued, snapshot):
    one = picked(queued, "one").first()
    one.gt.detections[3].label = "cat"
    one.save()
    before = snapshot(queued)
    with pytest.raises(
        KalosError, match=r"in 1 of 3 samples, .* one\.jpg\. Compute the run"
    ):
        build(queued)
    assert snapshot(queued) == before
    made = build(queued, on_changed="recompute")
    # one is now agreed: (1 + 1 + 4 / 9) / 3.
    assert made["mean_alpha"] == pytest.approx(22 / 27)
    assert tagged(queued) == ["two"]
    assert (
        queued.load_run_results("kalos", cache=False).mean_alpha == made["mean_alpha"]
    )


@pytest.mark.parametrize("change", ["swap", "delete a sample", "delete the field"])
def test_changes_that_alpha_does_not_show(build, queued, change):
    if change == "swap":  # the two cats of one.jpg change places: other units
        one = picked(queued, "one").first()
        boxes = one.gt.detections
        boxes[0].bounding_box, boxes[1].bounding_box = (
            boxes[1].bounding_box,
            boxes[0].bounding_box,
        )
        one.save()
    elif change == "delete a sample":
        queued.delete_samples(picked(queued, "three"))
    else:
        queued.delete_sample_field("gt")
    with pytest.raises(KalosError, match=r"changed since|are gone|There is no field"):
        build(queued)


def test_a_run_on_a_sorted_view_is_read_in_its_order(build, compute, queued):
    view = queued.sort_by("filepath", reverse=True).limit(2)  # two, three
    compute(view, "gt", run_key="part")
    made = build(queued, run_key="part")
    assert names(queued.load_saved_view(made["view"])) == ["two"]


def test_the_form_runs_with_its_defaults(queued):
    foo.execute_operator(
        "@kalos/audit/build_relabel_queue",
        {"dataset": queued, "params": {"csv": False}},
    )
    queued.reload()
    assert tagged(queued) == ["one", "two"]
    assert queued.list_saved_views() == ["kalos_relabel"]


def test_the_form_offers_what_there_is(context, queued, fake):
    shown = form(context, queued)
    assert "problem" not in shown
    assert (shown["run_key"].default, shown["n"].default) == ("kalos", 20)
    assert shown["backend"].type.values == ["fake"]
    shown = form(context, queued, budget="minutes", backend="fake")
    assert "minutes" in shown and "n" not in shown
    assert shown["label_field"].default == "gt"
    queued.save_view("mine", queued.limit(1))
    problem = form(context, queued, tag="mine")["problem"]
    assert problem.invalid and "A saved view 'mine' exists" in problem.view.label
    assert "problem" in form(context, queued, run_key="none", backend="fake")


def test_the_form_of_a_data_set_without_runs(context, dataset):
    assert form(context, dataset)["nothing"].invalid
    with pytest.raises(KalosError, match="has no KαLOS run yet"):
        operator("build_relabel_queue")(dataset)


def test_the_app_shows_what_is_wrong(context, queued):
    one = queued.first()
    one.gt.detections[0].label = "dog"
    one.save()
    ctx = context(queued, {"csv": False})
    shown = [
        (message.body.operator_uri.split("/")[-1], message.body.params)
        for message in operator("build_relabel_queue").execute(ctx)
    ]
    notices = [params for name, params in shown if name == "notify"]
    assert notices[0]["message"].startswith("Labels, or who is assigned, changed")
    assert notices[0]["message"].endswith(" Nothing was written.")
    assert "Compute the run anew" in shown[-1][1]["label"]


def test_delegation_builds_the_same_queue(build, queued):
    from fiftyone.operators.delegated import DelegatedOperationService

    service = DelegatedOperationService()
    queued.persistent = True
    assert build(queued, n=1, tag="later", delegate=True).delegated
    assert tagged(queued, "later") == []
    service.execute_queued_operations(
        operator="@kalos/audit/build_relabel_queue", dataset_name=queued.name
    )
    queued.reload()
    assert tagged(queued, "later") == ["one"]
    (done,) = service.list_operations(dataset_name=queued.name)
    assert (done.status.progress, done.status.label) == (1, "Done")
