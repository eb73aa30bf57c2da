"""What to label again, worked by hand, and how it is marked, listed and undone."""

import csv
from pathlib import Path

import fake_backend
import fiftyone as fo
import fiftyone.operators as foo
import pytest
from plugin_builders import (
    detection,
    in_a_field_each,
    in_one_field,
    operator,
    plugin_module,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError
harmless = plugin_module("operators.csv_files").harmless
FIELDS = {in_one_field: "gt", in_a_field_each: ["ana", "ben"]}
NAMES = [
    "=1+1",
    "+1",
    "-1",
    "@a",
    'it\'s "quoted"',
    "<b>bold</b>",
    "a.b.c",
    "$set",
    "smile 😀",
    "r" * 200,
    "None",
]


def drawn():
    """Return two disputed images and one that is agreed.

    one: units (cat cat) (cat dog): n = 4, chance 6, o = 2: alpha 0.
    two: (cat cat) (dog dog) (cat dog): n = 6, chance 6 + 6, o = 4:
    (5 * 4 - 12) / (30 - 12) = 4 / 9.
    three: (cat cat): alpha 1. The mean is 13 / 27.
    """

    def at(label, n):
        return detection(label, 10 + 25 * n, 10, 20, 20)

    return {
        "three": {"ana": [at("cat", 0)], "ben": [at("cat", 0)]},
        "two": {
            "ana": [at("cat", 0), at("dog", 1), at("cat", 2)],
            "ben": [at("cat", 0), at("dog", 1), at("dog", 2)],
        },
        "one": {
            "ana": [at("cat", 0), at("cat", 1)],
            "ben": [at("cat", 0), at("dog", 1)],
        },
    }


@pytest.fixture(params=FIELDS, ids=["one field", "a field each"])
def audited(request, compute):
    made = request.param(fo.Detections, drawn())
    compute(made, FIELDS[request.param])
    yield made
    made.delete()


@pytest.fixture
def queued(compute):
    made = in_one_field(fo.Detections, drawn())
    compute(made, "gt")
    yield made
    made.delete()


@pytest.fixture
def build(tmp_path):
    """Return the operator with a CSV file of its own."""

    def call(dataset, **options):
        given = {"csv": tmp_path / "queue.csv", **options}
        return operator("build_relabel_queue")(dataset, **given)

    return call


@pytest.fixture
def fake(monkeypatch):
    backends = fo.annotation_config.backends
    given = {"config_cls": "fake_backend.FakeBackendConfig"}
    monkeypatch.setitem(backends, "fake", given)
    fake_backend.UPLOADED.clear()
    return given


def rows(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def names(view):
    return [Path(path).stem for path in view.values("filepath")]


def picked(dataset, name):
    return dataset.match({"filepath": f"/nowhere/{name}.jpg"})


def tagged(dataset, tag="kalos_relabel"):
    return sorted(names(dataset.match_tags(tag)))


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


def test_again_replaces_its_own_tags_only(build, queued):
    picked(queued, "three").tag_samples("mine")
    build(queued)
    build(queued, tag="other", csv=False)
    build(queued, n=1)
    assert tagged(queued) == ["one"]
    assert tagged(queued, "other") == ["one", "two"]
    assert tagged(queued, "mine") == ["three"]
    build(queued, by="unit")
    assert tagged(queued) == []
    assert queued.count_label_tags(label_fields="kalos_units") == {"kalos_relabel": 2}
    assert sorted(queued.list_saved_views()) == ["kalos_relabel", "other"]


def test_what_is_the_users_is_refused(build, compute, queued, snapshot, tmp_path):
    queued.limit(1).tag_samples("mine")
    queued.save_view("My view", queued.limit(1))
    (tmp_path / "mine.csv").write_text("mine")
    before = snapshot(queued)
    refused = {
        "1 samples .* have a tag 'mine' that this queue did not": {"tag": "mine"},
        "A saved view 'My view' exists": {"save_as": "my-view"},
        "No view can be saved as '😀'": {"save_as": "😀"},
        r"mine\.csv' exists already": {"csv": tmp_path / "mine.csv"},
        "There is no folder": {"csv": tmp_path / "no" / "x.csv"},
        r"does not begin with '\$', got '\$set'": {"tag": "$set"},
        "no finished KαLOS run 'none'": {"run_key": "none"},
        "unknown on_changed 'ignore'": {"on_changed": "ignore"},
    }
    for message, options in refused.items():
        with pytest.raises(KalosError, match=message):
            build(queued, **options)
    assert snapshot(queued) == before
    assert (tmp_path / "mine.csv").read_text() == "mine"
    compute(queued, "gt", run_key="second")
    build(queued, run_key="kalos", tag="x")
    with pytest.raises(KalosError, match="is that of a queue of run 'kalos'"):
        build(queued, run_key="second", tag="x")


def test_a_tag_that_the_user_also_gave_is_left(build, queued):
    build(queued, n=1)
    picked(queued, "three").tag_samples("kalos_relabel")
    with pytest.raises(KalosError, match="1 samples"):
        build(queued)
    operator("delete_run")(queued, "kalos")
    assert tagged(queued) == ["three"]


def test_a_view_that_the_user_made_under_the_name_is_left(build, queued):
    build(queued)
    queued.delete_saved_view("kalos_relabel")
    queued.save_view("kalos_relabel", queued.limit(1))
    with pytest.raises(KalosError, match="A saved view 'kalos_relabel' exists"):
        build(queued)
    operator("delete_run")(queued, "kalos")
    assert queued.list_saved_views() == ["kalos_relabel"]


def test_undo_leaves_no_trace(build, compute, snapshot):
    made = in_one_field(fo.Detections, drawn())
    before = snapshot(made, clocks=False)
    compute(made, "gt")
    build(made)
    build(made, by="unit", tag="objects", csv=False)
    operator("delete_run")(made, "kalos")
    assert snapshot(made, clocks=False) == before
    made.delete()


def test_a_replaced_run_takes_its_queues_along(build, compute, queued):
    build(queued)
    compute(queued, "gt", overwrite=True)
    assert tagged(queued) == [] and queued.list_saved_views() == []
    build(queued)
    assert tagged(queued) == ["one", "two"]


def test_what_was_interrupted_is_replaced(build, queued, monkeypatch):
    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(fo.Dataset, "save_view", die)
        build(queued)
    assert tagged(queued) == ["one", "two"]
    build(queued, n=1)
    assert tagged(queued) == ["one"]
    operator("delete_run")(queued, "kalos")
    assert tagged(queued) == [] and queued.list_saved_views() == []


def test_labels_that_changed_are_refused(build, queued, snapshot):
    one = picked(queued, "one").first()
    one.gt.detections[3].label = "cat"
    one.save()
    before = snapshot(queued)
    with pytest.raises(KalosError, match=r"changed since the run .* Compute the run"):
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
    with pytest.raises(KalosError, match=r"changed since|There is no field"):
        build(queued)


def test_a_run_on_a_sorted_view_is_read_in_its_order(build, compute, queued):
    view = queued.sort_by("filepath", reverse=True).limit(2)  # two, three
    compute(view, "gt", run_key="part")
    made = build(queued, run_key="part")
    assert names(queued.load_saved_view(made["view"])) == ["two"]


def test_any_name(build, compute):
    cats = [detection("cat", 10, 10, 20, 20), detection("dog", 60, 60, 20, 20)]
    others = {f"{n:02}": {"ana": cats, name: cats[:1]} for n, name in enumerate(NAMES)}
    made = in_one_field(fo.Detections, others)
    compute(made, "gt")
    for n, name in enumerate(NAMES):
        if name.startswith("$"):
            continue
        done = build(made, tag=name, save_as=f"{n} {name}")
        assert done["n"] == len(NAMES)
        found = {row["filepath"][-6:-4]: row["reason"] for row in rows(done["csv"])}
        expected = {f"{n:02}": f"missed by {who}" for n, who in enumerate(NAMES)}
        assert found == expected
        assert len(made.match_tags(name)) == len(NAMES)
        Path(done["csv"]).unlink()
    operator("delete_run")(made, "kalos")
    assert made.count_sample_tags() == {} and made.list_saved_views() == []
    made.delete()


def test_cells_are_harmless_to_spreadsheets(tmp_path):
    for cell in ("=1+1", "+1", "-1", "@a", "\t=1", "\r=1", " =1"):
        assert harmless(cell) == f"'{cell}"
    for cell in ("a=1", "", "'cat'", -0.5, 7):
        assert harmless(cell) == cell


def test_the_csv_lies_beside_the_images(compute, tmp_path):
    made = in_one_field(fo.Detections, drawn())
    made.set_values(
        "filepath", [str(tmp_path / Path(p).name) for p in made.values("filepath")]
    )
    compute(made, "gt")
    build = operator("build_relabel_queue")
    assert build(made)["csv"] == str(tmp_path / "kalos_relabel.csv")
    assert build(made, n=1)["csv"] == str(tmp_path / "kalos_relabel.csv")
    assert len(rows(tmp_path / "kalos_relabel.csv")) == 1
    assert build(made, tag="kalos/relabel")["csv"] == str(
        tmp_path / "kalos_relabel_2.csv"
    )
    assert build(made, csv=False)["csv"] is None
    made.delete()


def test_without_a_place_beside_the_images_it_is_fiftyones_folder(queued):
    path = Path(operator("build_relabel_queue")(queued, tag="elsewhere")["csv"])
    assert path.parent == Path(fo.config.default_dataset_dir)
    path.unlink()


def test_a_backend_gets_the_samples(build, queued, fake):
    made = build(queued, backend="fake")
    assert "handed to 'fake'" in made["annotation"]
    [(key, files, schema)] = fake_backend.UPLOADED
    assert (key, files) == ("kalos_relabel", ["one.jpg", "two.jpg"])
    assert list(schema) == ["gt"]
    assert schema["gt"]["classes"] == ["cat", "dog"]
    assert list(schema["gt"]["attributes"]) == ["rater"]
    with pytest.raises(KalosError, match="annotation run 'kalos_relabel' exists"):
        build(queued, backend="fake")
    build(queued, by="unit", backend="fake", anno_key="second", label_field="fresh")
    assert fake_backend.UPLOADED[-1][2]["fresh"]["type"] == "detections"


def test_a_field_per_rater_has_to_be_named(build, compute, fake):
    made = in_a_field_each(fo.Detections, drawn())
    compute(made, ["ana", "ben"])
    with pytest.raises(KalosError, match="Name the field to label again"):
        build(made, backend="fake")
    build(made, backend="fake", label_field="ben")
    assert list(fake_backend.UPLOADED[0][2]) == ["ben"]
    made.delete()


def test_a_backend_that_is_not_configured_or_fails_does_no_harm(build, queued, fake):
    made = build(queued, backend="cvat")
    assert made["annotation"].startswith(
        "The annotation backend 'cvat' is not configured: no username and no password."
    )
    assert "knows no annotation backend" in build(queued, backend="none")["annotation"]
    fake["fail"] = True
    made = build(queued, backend="fake")
    assert made["annotation"].endswith("'fake' said: the server is away")
    assert queued.list_annotation_runs() == []
    assert tagged(queued) == ["one", "two"]


def test_the_form_runs_with_its_defaults(queued):
    foo.execute_operator(
        "@kalos/audit/build_relabel_queue",
        {"dataset": queued, "params": {"csv": False}},
    )
    queued.reload()
    assert tagged(queued) == ["one", "two"]
    assert queued.list_saved_views() == ["kalos_relabel"]


def form(context, dataset, **params):
    ctx = context(dataset, params)
    return operator("build_relabel_queue").resolve_input(ctx).type.properties


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
    assert notices[0]["message"] == "Nothing was written."
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
