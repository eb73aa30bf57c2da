"""Names as people give them, and data sets of odd sizes, through an audit and back."""

import json

import pytest
from import_builders import coco, write
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError
OPERATORS = [made().config.name for made in plugin_module("operators").OPERATORS]

ODD = [
    "with \"quotes\" and 'more'",
    "<img src=x onerror=alert(1)>",
    "a.dotted.name",
    "$dollar$ign",
    "🦊 emoji",
    "x" * 200,
    "None",
    "nan",
    "-1",
    " spaces around ",
    "Ünïcödé",
    "back\\slash",
    "line\nbreak",
]


@pytest.fixture
def odd():
    boxes = [
        detection(label, 10, 10, 20, 20, rater=rater)
        for label, rater in zip(ODD[1:] + ODD[:1], ODD, strict=True)
    ]
    made = make_dataset(sample("odd", gt=detections(*boxes), raters=ODD))
    yield made
    made.delete()


def test_odd_names_survive_an_audit_and_its_undoing(compute, odd):
    before = stored(odd)
    compute(odd, "gt")
    assert stored(odd, less=["kalos"]) == before
    results = odd.load_run_results("kalos")
    assert sorted(results.raters["name"]) == sorted(ODD)
    assert sorted(results.classes["name"]) == sorted(ODD)
    [unit] = odd.first().kalos_units.detections
    assert sorted(unit.raters) == sorted(ODD)
    assert unit.label in ODD
    show = operator("show_disagreement")
    for name in ODD:
        assert len(show(odd, classes=[name])) == 1
        assert len(show(odd, raters=[name, ODD[0]], kind="class")) == (name != ODD[0])
    operator("delete_run")(odd, "kalos")
    assert stored(odd) == before


@pytest.mark.parametrize("key", ["a.b", "$x", "_hidden", "with space", "", "🦊", 5])
def test_odd_keys_are_refused(compute, dataset, snapshot, key):
    before = snapshot(dataset)
    with pytest.raises(KalosError, match="A run key must be a name like"):
        compute(dataset, "gt", run_key=key)
    assert snapshot(dataset) == before


def labelled(raters, classes, n_images=4):
    """Return images in which each rater draws two boxes; the second is disputed."""
    made = []
    for n in range(n_images):
        boxes = []
        for k, rater in enumerate(raters):
            label = classes[(k + n) % len(classes)]
            boxes += [
                detection(
                    classes[n % len(classes)], 10 + k % 3, 10, 20, 20, rater=rater
                ),
                detection(label, 60, 60 + (k + n) % 4, 20, 20, rater=rater),
            ]
        made.append(sample(f"{n}", gt=detections(*boxes), raters=list(raters)))
    return make_dataset(*made)


@pytest.mark.parametrize("crowd", ["odd", "64"])
def test_every_operator_takes_them(context, tmp_path, crowd):
    raters = ODD if crowd == "odd" else [f"rater {n:02}" for n in range(64)]
    classes = ODD if crowd == "odd" else ["cat", "dog"]
    made = labelled(raters, classes, n_images=4 if crowd == "odd" else 2)
    before = stored(made)
    assert operator("calibrate")(made, "gt", d_locs="box_iou")["d_loc"] == "box_iou"
    for key, tau in (("first", 0.5), ("second", 0.3)):
        operator("compute_agreement")(made, "gt", tau=tau, run_key=key)
    for pair in ((raters[0], raters[-1]), (raters[1], raters[2])):
        assert len(operator("show_disagreement")(made, raters=pair, as_units=True))
    queue = operator("build_relabel_queue")(made, by="unit", csv=tmp_path / "q.csv")
    assert 0 < queue["n"] == len(made.load_saved_view("second_relabel"))
    assert operator("create_consensus")(made)["n_labels"] >= len(made)
    votes = [label for some in made for label in some.second_consensus.detections]
    assert {label.label for label in votes} <= set(classes)
    assert {name for label in votes for name in label.raters} == set(raters)
    assert operator("compare_runs")(made)["raters"]["name"] == sorted(raters)
    operator("export_results")(made, folder=tmp_path / "files")
    whole = json.loads((tmp_path / "files" / "run.json").read_text())
    assert whole["results"]["raters"]["name"] == sorted(raters)
    assert whole["results"]["classes"]["name"] == sorted(classes)
    for name in OPERATORS:
        form = operator(name).resolve_input(context(made)).to_json()
        assert json.loads(json.dumps(form)) == form
        if name == "show_disagreement":
            offered = form["type"]["properties"]["raters"]["view"]["choices"]
            assert [choice["value"] for choice in offered] == sorted(raters)
    for key in ("first", "second", "calibration"):
        operator("delete_run")(made, key, consensus=True)
    assert stored(made) == before
    made.delete()


def test_sixty_four_raters_and_more(compute):
    raters = [f"rater {n:03}" for n in range(70)]
    boxes = [detection("cat", 10, 10, 20, 20, rater=name) for name in raters[:66]]
    made = make_dataset(sample("crowd", gt=detections(*boxes), raters=raters))
    figures = compute(made, "gt")
    # In one unit agreement is what chance explains: 69 * (66 * 65 + 4 * 3) / 69.
    assert figures["mean_alpha"] == pytest.approx(0)
    [unit] = made.first().kalos_units.detections
    assert (len(unit.raters), len(unit.no_object)) == (66, 4)
    made.delete()


ON_NOTHING = {
    "calibrate": "no samples to audit",
    "compute_agreement": "no samples to audit",
    "show_disagreement": "has no KαLOS run yet",
    "build_relabel_queue": "has no KαLOS run yet",
    "create_consensus": "has no KαLOS run yet",
    "compare_runs": "needs two KαLOS runs",
    "export_results": "has no KαLOS run yet",
    "delete_run": "has no KαLOS run 'kalos'",
    "stop_run": "No 'kalos' is at work",
}
NEEDED = {
    **dict.fromkeys(("calibrate", "compute_agreement"), ("gt",)),
    **dict.fromkeys(("delete_run", "stop_run"), ("kalos",)),
}


@pytest.fixture
def empty():
    made = make_dataset(sample("x", gt=detections(), raters=["ana"]))
    made.clear()
    yield made
    made.delete()


@pytest.mark.parametrize("name", ON_NOTHING)
def test_without_a_sample_it_is_said(empty, context, name):
    with pytest.raises(KalosError, match=ON_NOTHING[name]):
        operator(name)(empty, *NEEDED.get(name, ()))
    form = operator(name).resolve_input(context(empty)).type.properties
    assert form.get("problem", form.get("nothing")).invalid


def test_labels_for_no_sample_are_refused(empty, tmp_path, context):
    write(tmp_path / "labels.json", coco(["ana", "ben"], ["x.jpg"]))
    bring_in = operator("import_annotations")
    assert bring_in.resolve_input(context(empty)).to_json()
    with pytest.raises(KalosError, match="has no samples that labels could be of"):
        bring_in(empty, tmp_path / "labels.json", label_field="new")


def test_runs_outlive_their_samples(compute, dataset, tmp_path):
    for key in ("first", "second"):
        compute(dataset, "gt", run_key=key)
    dataset.delete_samples(dataset.values("id"))
    assert len(operator("show_disagreement")(dataset)) == 0
    for name in ("build_relabel_queue", "create_consensus"):
        with pytest.raises(KalosError, match="3 of 3 samples of the run 'second'"):
            operator(name)(dataset)
    assert operator("compare_runs")(dataset)["n_equal"] == 2
    report = operator("export_results")(dataset, folder=tmp_path)
    assert list(report["left_out"]) == ["kalos_checkpoint.json"]
    for key in ("first", "second"):
        operator("delete_run")(dataset, key)
    assert dataset.list_runs() == []
