"""Synthetic raters in a data set: what they drew, from what, and what is refused."""

import json
import os
import random
import signal
import time
from collections import Counter
from itertools import chain

import fiftyone as fo
import numpy as np
import pytest
import snapshots
from plugin_builders import (
    detection,
    detections,
    in_one_field,
    keypoint,
    make_dataset,
    masked,
    operator,
    plugin_module,
    polygon,
    sample,
    square,
    start,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError
default_parameters = plugin_module("kalos_core.noise").default_parameters
journal = plugin_module("operators.journal")
runs = plugin_module("operators.runs")

DRAW = {
    "boxes": (fo.Detections, lambda x, y: detection("cat", x, y, 12, 12)),
    "masks": (
        fo.Detections,
        lambda x, y: masked("cat", x, y, 12, 12, mask=[[1, 1], [1, 0]]),
    ),
    "polygons": (fo.Polylines, lambda x, y: polygon("cat", square(x, y, 12))),
    "keypoints": (
        fo.Keypoints,
        lambda x, y: keypoint("cat", (x, y), (x + 12, y + 9), None),
    ),
}


@pytest.fixture
def simulate():
    return operator("simulate_raters")


def truth(kind="boxes", n_images=6):
    """Return images with twelve objects each, and an empty one."""
    container, draw = DRAW[kind]
    name = container._LABEL_LIST_FIELD
    objects = [
        [draw(5 + 22 * (n % 4), 5 + 30 * (n // 4)) for n in range(12)]
        for _ in range(n_images)
    ]
    for labels in objects:
        for n, label in enumerate(labels):
            label.label = ("cat", "dog", "owl")[n % 3]
    made = make_dataset(
        *(
            sample(f"{n}", truth=container(**{name: labels}))
            for n, labels in enumerate([*objects, []])
        )
    )
    return made


@pytest.fixture
def boxes():
    made = truth()
    yield made
    made.delete()


def labels_of(dataset, field="simulated"):
    container = dataset.first()[field]
    path = f"{field}.{container._LABEL_LIST_FIELD}"
    names = ("rater", "label", "error", "reference_ids")
    columns = dataset.values([f"{path}.{name}" for name in names])
    flat = [[one for some in column for one in some or []] for column in columns]
    return list(zip(*flat, strict=True))


@pytest.mark.parametrize("kind", DRAW)
def test_labels_name_their_error_and_where_they_come_from(simulate, kind):
    dataset = truth(kind)
    before = snapshots.take(dataset, clocks=False)
    report = simulate(dataset, "truth", n_raters=3, magnitude=2.0, seed=3)
    made = labels_of(dataset)
    assert len(made) == report["n_labels"]
    assert {rater for rater, *_ in made} == {"rater_1", "rater_2", "rater_3"}
    listed = DRAW[kind][0]._LABEL_LIST_FIELD
    known = {id for some in dataset.values(f"truth.{listed}.id") for id in some}
    n_references = {"added": 0, "combined": 2}
    for _, _, error, references in made:
        assert set(references) <= known
        assert len(references) == n_references.get(error, 1)
    fates = Counter(report["fates"])
    assert fates.total() == 3 * len(known)
    drawn = {(rater, id) for rater, _, _, refs in made for id in refs}
    assert len(drawn) + fates["deleted"] == 3 * len(known)
    assert fates["deleted"] > 0
    assert dataset.values("simulated_raters") == [["rater_1", "rater_2", "rater_3"]] * 7
    dataset.delete_sample_fields(["simulated", "simulated_raters"])
    assert snapshots.take(dataset, clocks=False) == before
    dataset.delete()


def test_magnitude_0_copies(simulate, boxes):
    report = simulate(boxes, "truth", n_raters=2, magnitude=0)
    assert report["fates"] == {"none": 144} and report["signal_loss"] == 0
    theirs = boxes.values("simulated.detections.bounding_box")
    own = boxes.values("truth.detections.bounding_box")
    for drawn, copies in zip(own, theirs, strict=True):
        assert sorted(copies) == sorted(drawn * 2)


SHAPES = {
    "polygons": "polylines.points",
    "keypoints": "keypoints.points",
}


@pytest.mark.parametrize("kind", SHAPES)
def test_it_copies_the_points_of_other_shapes(simulate, kind):
    dataset = truth(kind, n_images=2)
    simulate(dataset, "truth", n_raters=2, magnitude=0)
    own, theirs = (
        dataset.values(f"{f}.{SHAPES[kind]}") for f in ("truth", "simulated")
    )
    for drawn, copies in zip(own, theirs, strict=True):
        assert sorted(map(repr, copies)) == sorted(map(repr, drawn * 2))
    dataset.delete()


def test_it_copies_polygons_as_they_were_drawn(simulate):
    """A bow tie, an outline with a loose part, and one that is closed but not filled,
    all of them in whatever order they were drawn.
    """
    tie = [(0.1, 0.1), (0.4, 0.4), (0.4, 0.1), (0.1, 0.4)]
    parts = [[(0.6, 0.2), (0.5, 0.1), (0.5, 0.2)], [(0.9, 0.9), (0.8, 0.9), (0.9, 0.8)]]
    drawn = [
        fo.Polyline(label="cat", points=[tie], filled=True, rater="ana"),
        fo.Polyline(label="dog", points=parts, filled=True, closed=True, rater="ana"),
        fo.Polyline(label="dog", points=[tie[::-1]], closed=True, rater="ana"),
        fo.Polyline(label="owl", points=[tie], filled=True, rater="ben"),
    ]
    dataset = make_dataset(sample("a", truth=fo.Polylines(polylines=drawn)))
    simulate(dataset, "truth", rater="ana", n_raters=2, magnitude=[0, 3])
    made = dataset.first().simulated.polylines
    names = ("label", "points", "closed", "filled")

    def shown(labels):
        return sorted(repr([getattr(one, name) for name in names]) for one in labels)

    assert shown(one for one in made if one.rater == "rater_1") == shown(drawn[:3])
    assert shown(one for one in made if one.rater == "rater_2") != shown(drawn[:3])
    dataset.delete()


def test_the_same_seed_gives_the_same_labels(simulate, boxes):
    for field, seed in (("a", 1), ("b", 1), ("c", 2)):
        simulate(boxes, "truth", field=field, seed=seed)
    found = {f: boxes.values(f"{f}.detections.bounding_box") for f in "abc"}
    assert found["a"] == found["b"] != found["c"]
    simulate(boxes.shuffle(seed=7), "truth", field="d", seed=1)
    assert boxes.values("d.detections.bounding_box") == found["a"]


def test_so_does_a_data_set_whose_files_were_added_in_another_order(simulate, boxes):
    other = fo.Dataset()
    other.add_samples(sample.copy() for sample in [*boxes][::-1])
    found = []
    for dataset in (boxes, other):
        simulate(dataset, "truth", seed=3)
        by_file = dataset.sort_by("filepath")
        found.append(by_file.values("simulated.detections.bounding_box"))
    assert found[0] == found[1]
    other.delete()


def test_more_noise_is_less_agreement_and_groups_are_schools(simulate, boxes, compute):
    alphas = []
    for n, magnitude in enumerate((0.25, 1, 4)):
        field = f"noise_{n}"
        simulate(boxes, "truth", magnitude=magnitude, field=field)
        found = compute(boxes, field, assigned=f"{field}_raters", run_key=field)
        alphas.append(found["mean_alpha"])
    assert alphas == sorted(alphas, reverse=True) and alphas[0] - alphas[-1] > 0.2
    simulate(boxes, "truth", groups=[3, 2], magnitude=0.1, convention=2, field="two")
    found = compute(boxes, "two", assigned="two_raters", run_key="two")
    results = boxes.load_run_results("two")
    alpha = np.array(results.diagnosis["collaboration"]["mean"]["value"], dtype=float)
    one, other = (np.array(results.diagnosis["collaboration"][n]) for n in "ab")
    same = (one < 3) == (other < 3)
    assert alpha[same].min() > alpha[~same].max()


def test_one_magnitude_for_each_rater(simulate, boxes):
    simulate(boxes, "truth", n_raters=2, magnitude=[0, 5])
    errors = {"rater_1": set(), "rater_2": set()}
    for rater, _, error, _ in labels_of(boxes):
        errors[rater].add(error)
    assert errors["rater_1"] == {"none"} and "none" not in errors["rater_2"]


def test_a_field_per_rater(simulate, boxes, compute):
    report = simulate(boxes, "truth", n_raters=2, layout="field_per_rater", field="s")
    assert report["fields"] == ["s_rater_1", "s_rater_2"]
    assert compute(boxes, report["fields"])["mean_alpha"] < 1
    first = boxes.first()["s_rater_1"].detections[0]
    assert first.error and first.reference_ids is not None


def test_one_of_several_raters_is_the_reference(simulate, cells):
    report = simulate(cells, "gt", rater="ben", n_raters=2)
    assert report["n_references"] == 60
    by_ben = {
        id
        for ids, raters in zip(
            *cells.values(["gt.detections.id", "gt.detections.rater"]), strict=True
        )
        for id, rater in zip(ids, raters, strict=True)
        if rater == "ben"
    }
    named = {id for _, _, _, refs in labels_of(cells) for id in refs}
    assert named <= by_ben
    with pytest.raises(KalosError, match="is by rater 'bob'; raters are ana, ben, cho"):
        simulate(cells, "gt", rater="bob", field="other")


def test_who_was_not_assigned_stays_so(simulate):
    drawn = {
        "both": {"ana": [detection("cat", 5, 5, 20, 20)], "ben": []},
        "ben": {"ben": [detection("cat", 5, 5, 20, 20)]},
    }
    made = in_one_field(fo.Detections, drawn)
    simulate(made, "gt", rater="ana", n_raters=2)
    assert made.values("simulated_raters") == [["rater_1", "rater_2"], []]
    made.delete()


def test_each_field_has_its_own_list_of_raters(simulate, cells):
    simulate(cells, "gt", rater="ben", n_raters=2, field="s1")
    report = simulate(cells, "s1", rater="rater_1", n_raters=2, field="s2")
    assert report["n_references"] > 0
    cells.clone_sample_field("s1", "s3")
    with pytest.raises(KalosError) as raised:  # whose list is that of gt
        simulate(cells, "s3", rater="rater_1", field="s4")
    told = str(raised.value)
    assert "to the list field 'raters', or list who was assigned in" in told
    assert "a field of its own, 's3_raters'" in told
    assert "assigned=" not in told
    cells.clone_sample_field("raters", "s3_raters")
    with pytest.raises(KalosError, match="'s3_raters', or delete that field"):
        simulate(cells, "s3", rater="rater_1", field="s4")


def test_what_is_wrong_is_refused_and_nothing_written(simulate, boxes, snapshot):
    before = snapshot(boxes)
    for wrong, message in (
        ({"label_field": "trut"}, "no field 'trut'.*Did you mean 'truth'"),
        ({"n_raters": 0}, "n_raters must be a whole number from 1 on, got 0"),
        ({"magnitude": -1}, "magnitude must be a number from 0 on, got -1"),
        ({"magnitude": "loud"}, "magnitude must be a number from 0 on, got 'loud'"),
        ({"magnitude": float("inf")}, "from 0 on, and finite, got inf"),
        ({"magnitude": [0, np.inf], "n_raters": 2}, "from 0 on, and finite, got inf"),
        ({"convention": np.inf, "delegate": True}, "convention must be .* finite"),
        ({"magnitude": np.inf, "delegate": True}, "magnitude must be .* finite"),
        ({"magnitude": [1, 1]}, "one for each of 5 raters, got 2"),
        ({"groups": [3, 1]}, r"add up to 5 raters; 3 \+ 1 is 4"),
        ({"groups": []}, "sizes of one group at least, got none. Write groups=.3, 2"),
        ({"similarity": ""}, "'@clip' or the path .* Write similarity='@clip', say"),
        ({"proposals": ""}, "a field of labels or .* Write proposals='@owl', say"),
        ({"parameters": None}, "key of a noise .* Write parameters='@defaults', say"),
        ({"clip_weights": ""}, "a name of weights .* Write clip_weights='openai', say"),
        ({"owl_weights": ""}, "a name of weights .* Write owl_weights='google/"),
        ({"groups": [0, 5]}, "groups must be a whole number from 1 on, got 0"),
        ({"field": "truth"}, "has a field 'truth' already"),
        ({"field": "a.b"}, "The new field must have a name like"),
        ({"parameters": "nois"}, "has no noise fit 'nois'. Fit noise first."),
        ({"parameters": "/nowhere/noise.json"}, "cannot be read: No such file"),
        ({"parameters": "/nowhere/noise"}, "cannot be read: No such file"),
        ({"proposals": "/nowhere/boxes"}, "proposals: there is no file '/nowhere/box"),
        ({"proposals": "see"}, "There is no field 'see'"),
        ({"layout": "rows"}, "unknown layout 'rows'"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
    ):
        with pytest.raises(KalosError, match=message):
            simulate(boxes, **{"label_field": "truth", **wrong})
    with pytest.raises(KalosError, match="hides some labels of field 'truth'"):
        simulate(boxes.filter_labels("truth", fo.ViewField("label") == "cat"), "truth")
    with pytest.raises(KalosError, match="no samples"):
        simulate(boxes.limit(1).skip(1), "truth")
    assert snapshot(boxes) == before


def test_files_need_no_suffix(simulate, boxes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    default_parameters().write("quiet")
    names = [f"{n}.jpg" for n in range(7)]
    images = [
        {"id": n, "file_name": name, "width": 100, "height": 100}
        for n, name in enumerate(names)
    ]
    seen = [{"id": 1, "image_id": 6, "category_id": 1, "bbox": [40, 40, 9, 9]}]
    classes = [{"id": 1, "name": "cat"}]
    coco = {"images": images, "annotations": seen, "categories": classes}
    (tmp_path / "seen").write_text(json.dumps(coco))
    report = simulate(
        boxes, "truth", n_raters=9, magnitude=4, parameters="quiet", proposals="seen"
    )
    assert report["n_added"] > 0
    added = boxes.last().simulated.detections
    assert added and all(
        one.bounding_box == pytest.approx([0.4, 0.4, 0.09, 0.09]) for one in added
    )


def test_labels_outside_of_the_image_are_named(simulate):
    made = make_dataset(sample("x", gt=detections(detection("cat", 120, 0, 10, 10))))
    with pytest.raises(KalosError, match=r"middle in the image.*The file is x\.jpg"):
        simulate(made, "gt")
    made.delete()


def test_killed_it_leaves_nothing_or_is_finished(simulate, boxes):
    def work():
        simulate(boxes, "truth", n_raters=8)

    before, begin = stored(boxes), time.monotonic()
    os.waitpid(start(work), 0)
    length = time.monotonic() - begin
    boxes.reload()
    complete = boxes.values("simulated.detections.bounding_box")
    boxes.delete_sample_fields(["simulated", "simulated_raters"])
    rng = random.Random(5)
    for place in range(8):
        child = start(work)
        time.sleep((place + rng.random()) * length / 8)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        boxes.reload()
        runs.tidy(boxes)
        assert not journal.abandoned(boxes)
        if boxes.get_field("simulated") is not None:
            assert boxes.values("simulated.detections.bounding_box") == complete
            boxes.delete_sample_fields(["simulated", "simulated_raters"])
        assert stored(boxes) == before
    work()


def test_the_form_says_what_is_wrong_and_offers_fields(simulate, boxes, context):
    def form(**params):
        shown = simulate.resolve_input(context(boxes, params)).to_json()
        return shown["type"]["properties"]

    assert "problem" not in form()
    assert form()["label_field"]["default"] == "truth"
    assert "rater" not in form() and "convention" not in form()
    assert "convention" in form(groups="3, 2")
    assert "problem" in form(groups="3, 1")
    assert "problem" in form(field="truth")
    simulate(boxes, "truth", n_raters=1, layout="field_per_rater")
    assert form()["field"]["default"] == "simulated_2"  # it works as it opens
    assert "problem" not in form()


def test_the_app_is_told_what_was_made(simulate, boxes, context):
    ctx = context(boxes, {"groups": "2, 1", "n_raters": 3})
    told = [one.body.params for one in simulate.execute(ctx)]
    assert told[-2]["progress"] == 1
    assert told[-2]["label"].startswith("3 raters drew ")
    assert boxes.get_field("simulated.detections.error") is not None


def test_classes_are_mistaken_for_those_that_are_alike(simulate, boxes, tmp_path):
    path = tmp_path / "similarity.json"
    near = [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]
    path.write_text(json.dumps({"classes": ["cat", "dog", "owl"], "similarity": near}))
    simulate(boxes, "truth", n_raters=20, magnitude=10, similarity=path)
    ids, names = boxes.values(["truth.detections.id", "truth.detections.label"])
    was = dict(zip(chain(*ids), chain(*names), strict=True))
    mistaken = Counter(
        (was[refs[0]], label)
        for _, label, error, refs in labels_of(boxes)
        if error == "category"
    )
    assert mistaken["cat", "dog"] > 20 > 20 * mistaken["cat", "owl"]
    for wrong, message in (
        ({"similarity": "/nowhere.json"}, "similarity: there is no file"),
        ({"proposals": "/nowhere.json"}, "proposals: there is no file"),
        ({"proposals": "boxes"}, "There is no field 'boxes'"),
        ({"proposals": "truth"}, "every box of 'truth' is a label already"),
    ):
        with pytest.raises(KalosError, match=message):
            simulate(boxes, "truth", field="other", **wrong)


def test_labels_are_added_where_a_detector_saw_something(simulate, boxes):
    seen = [detections(detection("x", 40, 90, 8, 8)) for _ in range(7)]
    boxes.set_values("seen", seen)
    simulate(boxes, "truth", n_raters=9, magnitude=4, proposals="seen")
    view = boxes.filter_labels("simulated", fo.ViewField("error") == "added")
    added = [*chain(*view.values("simulated.detections.bounding_box"))]
    assert len(added) > 10
    np.testing.assert_allclose(added, [[0.4, 0.9, 0.08, 0.08]] * len(added))


def test_where_nothing_could_be_added_it_is_told(simulate, boxes, context):
    boxes.clone_sample_field("truth", "copied")
    ctx = context(boxes, {"proposals": "copied", "magnitude": 4.0})
    told = [one.body.params for one in simulate.execute(ctx)]
    assert "No label was added: no box of 'copied' is clear" in told[-2]["label"]


def test_single_joints_cannot_be_added_and_it_is_told(simulate, context):
    joints = [keypoint("cat", (9 * n, 50)) for n in range(1, 9)]
    made = make_dataset(sample("x", truth=fo.Keypoints(keypoints=joints)))
    told = [one.body.params for one in simulate.execute(context(made, {}))]
    assert "No label could be added: none has a width" in told[-2]["label"]
    made.delete()
    made = truth("keypoints")
    told = [one.body.params for one in simulate.execute(context(made, {}))]
    assert "could be added" not in told[-2]["label"]
    made.delete()
