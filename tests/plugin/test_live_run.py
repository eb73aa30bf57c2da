"""Labels of a run read again: the same whatever view it was, or what changed."""

import fiftyone as fo
import numpy as np
import pytest
from plugin_builders import (
    detection,
    in_a_field_each,
    in_one_field,
    keypoint,
    masked,
    names,
    operator,
    plugin_module,
    polygon,
    square,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError
fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")
fingerprints = plugin_module("operators.fingerprints").fingerprints


def at(label, n):
    return detection(label, 10 + 25 * n, 10, 20, 20)


def drawn(n_images=6):
    """Return images of two objects; ben calls the second a dog where n is odd."""
    return {
        f"{n}": {
            "ana": [at("cat", 0), at("cat", 1)],
            "ben": [at("cat", 0), at("dog" if n % 2 else "cat", 1)],
        }
        for n in range(n_images)
    }


@pytest.fixture
def made():
    made = in_one_field(fo.Detections, drawn())
    yield made
    made.delete()


@pytest.fixture
def use():
    """Return a function that runs every operator that needs a run's samples."""

    def call(dataset, folder, **options):
        build, create = operator("build_relabel_queue"), operator("create_consensus")
        queue = build(dataset, csv=False, **options)
        filled = create(dataset, **options)
        report = operator("export_results")(dataset, folder=folder)
        shown = operator("show_disagreement")(dataset, kind="class")
        tiles = operator("show_disagreement")(dataset, kind="class", as_units=True)
        return {
            "queue": sorted(names(dataset.load_saved_view(queue["view"]))),
            "consensus": filled["n_images"],
            "left out": report["left_out"],
            "shown": sorted(names(shown)),
            "tiles": len(tiles),
        }

    return call


VIEWS = {
    "a view of a view": lambda made: (
        made.match({"filepath": {"$gt": "/nowhere/1"}}).skip(1).limit(3)
    ),
    "sorted": lambda made: made.sort_by("filepath", reverse=True).skip(1).limit(3),
    "shuffled": lambda made: made.shuffle(seed=3).match(
        {"filepath": {"$in": [f"/nowhere/{n}.jpg" for n in (2, 3, 4)]}}
    ),
    "a saved view": lambda made: _saved(made, made[2:5]),
    "of some fields": lambda made: made[2:5].select_fields(["gt", "raters"]),
}


def _saved(made, view):
    made.save_view("part", view)
    return made.load_saved_view("part")


@pytest.mark.parametrize("name", VIEWS)
def test_a_run_on_any_view(compute, use, made, tmp_path, name):
    view = VIEWS[name](made)
    wanted = sorted(names(view))
    compute(view, "gt")
    odd = [name for name in wanted if int(name) % 2]
    assert len(wanted) == 3 and odd
    assert use(made, tmp_path) == {
        "queue": odd,
        "consensus": 3,
        "left out": {},
        "shown": odd,
        "tiles": len(odd),
    }


def test_samples_that_came_since_do_not_matter(compute, use, made, tmp_path):
    compute(made, "gt")
    more = in_one_field(fo.Detections, {"new": drawn()["1"]})
    made.add_samples(list(more))
    more.delete()
    assert use(made, tmp_path) == {
        "queue": ["1", "3", "5"],
        "consensus": 6,
        "left out": {},
        "shown": ["1", "3", "5"],
        "tiles": 3,
    }
    compute(made, "gt", run_key="second")
    found = operator("compare_runs")(made)
    assert (found["n_common"], found["n_only_b"]) == (6, 1)


def test_samples_that_are_gone(compute, use, made, tmp_path):
    compute(made, "gt", run_key="first")
    compute(made, "gt", run_key="second")
    made.delete_samples(made.match({"filepath": "/nowhere/1.jpg"}))
    before = stored(made)
    for name in ("build_relabel_queue", "create_consensus"):
        with pytest.raises(KalosError, match="1 of 6 samples of the run 'second'"):
            operator(name)(made)
    assert stored(made) == before
    report = operator("export_results")(made, folder=tmp_path / "whole")
    assert "1 of 6 samples" in report["left_out"]["kalos_checkpoint.json"]
    show = operator("show_disagreement")
    assert names(show(made, kind="class", limit=1)) == ["3"]
    assert len(show(made, kind="class", as_units=True, limit=1)) == 1
    assert operator("compare_runs")(made)["n_common"] == 6  # both still have it
    found = use(made, tmp_path / "anew", on_changed="recompute")
    assert (found["queue"], found["consensus"]) == (["3", "5"], 5)
    assert found["left out"] == {}
    for key in ("first", "second"):
        operator("delete_run")(made, key, consensus=True)
    assert stored(made) == stored(made, less=["first", "second"])


def test_no_sample_is_left(compute, made):
    compute(made, "gt")
    made.delete_samples(made)
    with pytest.raises(KalosError, match="6 of 6 samples of the run 'kalos' are gone"):
        operator("create_consensus")(made)
    with pytest.raises(KalosError, match="There are no samples to audit"):
        operator("create_consensus")(made, on_changed="recompute")
    assert names(operator("show_disagreement")(made)) == []
    operator("delete_run")(made, "kalos")


def test_results_that_cannot_be_had_again(compute, made):
    compute(made, "gt")
    results = made.load_run_results("kalos", cache=False)
    results.alpha = [0.25, *results.alpha[1:]]
    made.save_run_results("kalos", results, overwrite=True, cache=False)
    with pytest.raises(KalosError, match=r"are those of the run 'kalos', but KαLOS"):
        operator("create_consensus")(made)
    operator("create_consensus")(made, on_changed="recompute")
    assert made.load_run_results("kalos", cache=False).alpha[0] == 1


def move(box):
    box.bounding_box = [box.bounding_box[0] + 1e-6, *box.bounding_box[1:]]


CHANGES = {
    "a class": lambda one: setattr(one.gt.detections[0], "label", "dog"),
    "a shape": lambda one: move(one.gt.detections[0]),
    "a rater": lambda one: setattr(one.gt.detections[0], "rater", "ben"),
    "one less": lambda one: one.gt.detections.pop(),
    "another id": lambda one: one.gt.detections.append(one.gt.detections.pop().copy()),
    "assigned": lambda one: one.raters.append("cho"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_every_change_is_seen_in_its_image(made, what):
    def read():
        layout = layouts.OneField("gt")
        return np.array(fingerprints(fields.read_annotations(made, layout)))

    before = read()
    assert np.array_equal(read(), before)
    changed = made.skip(2).first()
    CHANGES[what](changed)
    changed.save()
    assert np.flatnonzero(read() != before).tolist() == [2]


SHAPES = {
    "masks": (
        fo.Detections,
        lambda n: masked("cat", 0, 0, 20, 20, mask=[[1, 1, 0], [1, 1, n]]),
    ),
    "polygons": (fo.Polylines, lambda n: polygon("cat", square(0, 0, 20 + n))),
    "keypoints": (
        fo.Keypoints,
        lambda n: keypoint("cat", (0, 0), (10, 10), (5, 5) if n else None),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_every_kind(shape):
    kind, draw = SHAPES[shape]
    images = {"x": {"ana": [draw(0)]}, "y": {"ana": [draw(0)]}, "z": {"ana": []}}
    made = in_a_field_each(kind, {n: {**by, "ben": []} for n, by in images.items()})
    layout = layouts.FieldPerRater(("ana", "ben"))
    first, second, third = fingerprints(fields.read_annotations(made, layout))
    assert len({first, second, third}) == 3  # ids differ
    one, listed = made.first(), kind._LABEL_LIST_FIELD
    other = draw(1)
    other.id = one.ana[listed][0].id
    one.ana[listed] = [other]
    one.save()
    now = fingerprints(fields.read_annotations(made, layout))
    assert now[0] != first
    assert now[1:] == [second, third]
    made.delete()
