"""The form offers what fits the chosen field, and opens without a scan."""

import fiftyone as fo
import fiftyone.operators as foo
import pytest
from plugin_builders import (
    detection,
    in_a_field_each,
    in_one_field,
    keypoint,
    masked,
    operator,
    plugin_module,
    polygon,
    square,
)

FIRST = plugin_module("operators.agreement_form").FIRST
LOOK_AT = plugin_module("operators.measures").LOOK_AT

FIELDS = {
    "boxes": (fo.Detections, lambda: detection("cat", 0, 0, 20, 20)),
    "masks": (fo.Detections, lambda: masked("cat", 0, 0, 20, 20, mask=[[1]])),
    "polygons": (fo.Polylines, lambda: polygon("cat", square(0, 0, 20))),
    "keypoints": (fo.Keypoints, lambda: keypoint("cat", (0, 0), (9, 9))),
}


@pytest.fixture
def stored():
    """Return a function that stores labels of one kind by two raters."""
    made = []

    def store(kind, build=in_one_field, n_samples=1):
        document, label = FIELDS[kind]
        drawn = {f"{n}": {"ana": [label()], "ben": [label()]} for n in range(n_samples)}
        made.append(build(document, drawn))
        return made[-1]

    yield store
    for dataset in made:
        dataset.delete()


@pytest.fixture
def form(context):
    """Return a function that opens the form and returns its inputs by name."""

    def open_form(dataset, view=None, **params):
        ctx = context(dataset, params, view=view)
        return operator("compute_agreement").resolve_input(ctx).type.properties

    return open_form


def choices(inputs, name):
    return [choice.value for choice in inputs[name].view.choices]


@pytest.mark.parametrize("build", [in_one_field, in_a_field_each])
@pytest.mark.parametrize(
    ("kind", "distances"),
    [
        ("boxes", ["box_iou", "box_giou", "box_centroid_l2"]),
        ("masks", ["mask_iou"]),
        ("polygons", ["polygon_iou", "polygon_giou", "polygon_centroid_l2"]),
        ("keypoints", ["keypoint_mpjpe", "keypoint_oks"]),
    ],
)
def test_only_distances_that_fit_are_offered(form, stored, build, kind, distances):
    inputs = form(stored(kind, build))
    assert "problem" not in inputs
    assert choices(inputs, f"d_loc_{kind}") == distances
    assert inputs[f"d_loc_{kind}"].default == distances[0]
    assert [name for name in inputs if name.startswith("d_loc")] == [f"d_loc_{kind}"]


def test_masks_or_boxes(form, stored):
    dataset = stored("masks")
    assert choices(form(dataset), "detections_as") == ["masks", "boxes"]
    assert "d_loc_boxes" in form(dataset, detections_as="boxes")
    # The choice for another field does not bind this one.
    assert "d_loc_polygons" in form(stored("polygons"), detections_as="masks")
    boxes = form(stored("boxes"), detections_as="masks")
    assert "detections_as" not in boxes
    assert "d_loc_boxes" in boxes


@pytest.mark.parametrize(
    ("kind", "d_loc", "slider", "default", "words"),
    [
        ("boxes", "box_iou", "tau_s", 0.5, "Least overlap (IoU), τs"),
        ("boxes", "box_giou", "tau_s", 0.5, "Least overlap (GIoU, from 0 to 1), τs"),
        ("boxes", "box_centroid_l2", "farthest", 0.08, "Largest distance, τ, "),
        ("polygons", "polygon_iou", "tau_s", 0.5, "Least overlap (IoU), τs"),
        ("masks", "mask_iou", "tau_s", 0.5, "Least overlap (IoU), τs"),
        ("keypoints", "keypoint_mpjpe", "farthest", 0.08, "Largest distance, τ, "),
        ("keypoints", "keypoint_oks", "tau_s", 0.5, "Least overlap (OKS), τs"),
    ],
)
def test_the_threshold_speaks_of_the_distance(
    form, stored, kind, d_loc, slider, default, words
):
    inputs = form(stored(kind), **{f"d_loc_{kind}": d_loc})
    assert inputs["threshold"].default.startswith(words)
    assert not inputs[slider].view.label  # the value would cover it
    assert inputs[slider].default == default
    assert ("tau_s" in inputs) != ("farthest" in inputs)


def test_solver_and_cost_are_behind_a_switch(form, stored):
    dataset = stored("boxes")
    assert "solver" not in form(dataset)
    inputs = form(dataset, advanced=True)
    assert choices(inputs, "solver")[:3] == ["greedy", "shm", "ahc"]
    assert choices(inputs, "psi") == ["soft", "neg"]


@pytest.mark.parametrize(
    ("params", "notation"),
    [
        ({}, "KαLOS(keypoint_mpjpe, τ=0.08, S=Greedy, ψ_soft)"),
        (
            {"farthest": 0.2, "tau_s": 0.9},  # the slider of another distance
            "KαLOS(keypoint_mpjpe, τ=0.2, S=Greedy, ψ_soft)",
        ),
        (
            {"d_loc_keypoints": "keypoint_oks", "farthest": 0.2, "tau_s": 0.9},
            "KαLOS(keypoint_oks, τ=0.1, S=Greedy, ψ_soft)",
        ),
        (
            {"advanced": True, "solver": "ahc", "psi": "neg"},
            "KαLOS(keypoint_mpjpe, τ=0.08, S=AHC, ψ_neg)",
        ),
        (
            {"advanced": False, "solver": "ahc", "psi": "neg"},  # switched off again
            "KαLOS(keypoint_mpjpe, τ=0.08, S=Greedy, ψ_soft)",
        ),
    ],
)
def test_what_the_form_runs(compute, stored, params, notation):
    dataset = stored("keypoints")
    foo.execute_operator(compute.uri, {"dataset": dataset, "params": params})
    dataset.reload()
    assert dataset.get_run_info("kalos").config.notation == notation


def test_a_distance_from_python_that_does_not_fit(form, stored):
    inputs = form(stored("boxes"), d_loc="polygon_iou")
    assert inputs["problem"].invalid
    assert "'polygon_iou' does not measure boxes" in inputs["problem"].view.label


def test_fields_of_two_kinds_disable_the_form(form, stored):
    dataset = stored("boxes", in_a_field_each)
    dataset.clone_sample_field("ana", "eve")
    first = dataset.first()
    first["cho"] = fo.Polylines(polylines=[FIELDS["polygons"][1]()])
    first.save()
    inputs = form(dataset, layout="field_per_rater", label_fields=["ana", "cho"])
    assert "must be of one kind" in inputs["problem"].view.label


@pytest.mark.parametrize("build", [in_one_field, in_a_field_each])
@pytest.mark.parametrize("kind", FIELDS)
def test_the_form_opens_without_a_scan(form, stored, examined, build, kind):
    dataset = stored(kind, build, n_samples=3 * FIRST)
    opened = examined(dataset, lambda: form(dataset))
    assert opened <= LOOK_AT + 1
    view = dataset.match(fo.ViewField("filepath") != "x").limit(2 * FIRST)
    assert examined(dataset, lambda: form(dataset, view=view)) <= LOOK_AT + 1
    typed = {"layout": "one_field", "label_field": "ana", "rater_attribute": "who"}
    if build is in_one_field:
        typed = {"rater_attribute": "who"}  # not declared: is it in the data?
    assert examined(dataset, lambda: form(dataset, **typed)) <= FIRST + LOOK_AT + 1
    assert (
        "Only 100 samples were looked at"
        in form(dataset, **typed)["problem"].view.label
    )


def test_the_count_of_documents_sees_a_scan(stored, examined):
    dataset = stored("boxes", n_samples=30)
    assert examined(dataset, lambda: dataset.count("gt.detections.rater")) == 30


def test_samples_and_raters_that_were_chosen_before_are_kept(stored, form):
    dataset = stored("boxes", n_samples=3)
    asked = {
        "raters": ["ana", "ben"],
        "view_target": "CUSTOM_VIEW_TARGET",
        "custom_view_target": dataset.limit(2)._serialize(),
    }
    inputs = form(dataset, view=dataset.skip(1), **asked)
    assert inputs["view_target"].type.values == ["CUSTOM_VIEW_TARGET"]
    assert choices(inputs, "raters") == ["ana", "ben"]
    plain = form(dataset, view=dataset.skip(1))
    assert "CURRENT_VIEW" in plain["view_target"].type.values
    assert "raters" not in plain
