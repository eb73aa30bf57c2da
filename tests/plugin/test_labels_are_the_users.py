"""No operator changes what was there, each adds what it says, and all can be undone.

All that the database keeps is compared, document by document.
"""

import bson
import fiftyone as fo
import pytest
import snapshots
from fiftyone.core.odm import ActiveFields, SidebarGroupDocument
from import_builders import boxes_only, coco, write
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

KalosError = plugin_module("kalos_core").KalosError
WORKSPACE = plugin_module("operators.workspace").WORKSPACE
FULL = [[1, 1], [1, 1]]
DRAW = {
    "boxes": lambda label, x, **own: detection(label, x, 9, 20, 20, **own),
    "masks": lambda label, x, **own: masked(label, x, 9, 20, 20, mask=FULL, **own),
    "polygons": lambda label, x, **own: polygon(label, square(x, 9, 20), **own),
    "keypoints": lambda label, x, **own: keypoint(
        label, (x, 9), (x + 20, 30), None, **own
    ),
}
CONTAINERS = {
    "boxes": fo.Detections,
    "masks": fo.Detections,
    "polygons": fo.Polylines,
    "keypoints": fo.Keypoints,
}
LAYOUTS = {"one field": in_one_field, "a field each": in_a_field_each}
RATERS = ("ana", "ben", "cho")
LIKE_OURS = {"unit": 7, "kind": "mine", "kalos": "x", "kalos_kinds": "a", "anew_": 0.5}
"""Attributes of the user whose names are nearly those of what runs add."""

OF_SAMPLES = ("alpha", "status", "n_units", "n_no_object", "units")
OF_LABELS = ("unit", "kind")
KEYS = ("kalos", "anew")


def drawn(draw):
    """Return what three raters drew, with attributes and tags of the user's own."""

    def label(name, x, n):
        return draw(
            name,
            x,
            tags=["checked", f"by {n}"],
            comment=f"<{name}>",
            parts=[1.0, 2.5, n / 3],
            index=n,
            **LIKE_OURS,
        )

    def image(place):
        yield "ana", [label("cat", 5, 0), label("cat", 40, 0)]
        yield "ben", [label("cat", 6, 1), label("dog", 40 + place, 1)]
        yield "cho", [label("cat", 5, 2), label("dog", 40, 2), label("cat", 70, 2)]

    made = {f"{n}": dict(image(n)) for n in range(3)}
    return {**made, "empty": {rater: [] for rater in RATERS}}


@pytest.fixture(params=[(k, l) for k in DRAW for l in LAYOUTS], ids=" in ".join)
def theirs(request):
    """Return a data set with much that is the user's, and its label fields."""
    kind, layout = request.param
    made = LAYOUTS[layout](
        CONTAINERS[kind], drawn(DRAW[kind]), weather="rain", kalos_alphas=0.5
    )
    fields = ["gt"] if layout == "one field" else list(RATERS)
    made.info, made.tags = {"scanner": {"number": 3}}, ["mine"]
    made.description = "cells"
    made.create_index("weather")
    made.limit(2).tag_samples("first")
    made.save_view("two", made.limit(2), description="of mine", color="#EE0000")
    made.app_config.sidebar_groups = [
        SidebarGroupDocument(name="labels", paths=list(fields))
    ]
    made.app_config.active_fields = ActiveFields(paths=list(fields))
    made.save()
    yield made, fields
    made.delete()


def labels(fields):
    return fields[0] if len(fields) == 1 else fields


def listed_in(dataset, fields):
    """Return the name of the list of labels."""
    return dataset.get_field(fields[0]).document_type._LABEL_LIST_FIELD


def audit(dataset, fields, _):
    operator("compute_agreement")(dataset, labels(fields), colours=True)


def audit_anew(dataset, fields, _):
    operator("compute_agreement")(dataset, labels(fields), run_key="anew", tau=0.01)


def calibrate(dataset, fields, _):
    operator("calibrate")(dataset, labels(fields))


def fit(dataset, fields, _):
    operator("fit_noise")(dataset, labels(fields))


def simulate(dataset, fields, _):
    operator("simulate_raters")(dataset, fields[0], n_raters=2)


def show(dataset, *_):
    assert len(operator("show_disagreement")(dataset, kind="class", save_as="split"))


def queue_images(dataset, _, folder):
    operator("build_relabel_queue")(dataset, "kalos", n=1, csv=folder / "queue.csv")


def queue_objects(dataset, *_):
    build = operator("build_relabel_queue")
    assert build(dataset, "kalos", by="unit", n=2, tag="objects", csv=False)["n"] == 2


def vote(dataset, *_):
    operator("create_consensus")(dataset, "kalos")


def bring_in(dataset, _, folder):
    names = [f"{name}.jpg" for name in ("0", "1", "2", "empty")]
    path = write(folder / "more.json", boxes_only(coco(["dee", "eli"], names)))
    operator("import_annotations")(dataset, path, assigned_field="asked")


def compare(dataset, *_):
    operator("compare_runs")(dataset, "kalos", "anew")


def export(dataset, _, folder):
    operator("export_results")(dataset, "kalos", folder=folder / "out")


def arrange(dataset, *_):
    operator("open_audit")(dataset)


def stop(dataset, fields, _):
    """Stop an audit that has read the labels."""
    audits = plugin_module("operators.audit")

    def stopping(*given):
        operator("stop_run")(dataset, "later")
        given[-1].work.stop()  # as its next sign of life would
        return real(*given)

    real, audits._computed = audits._computed, stopping
    try:
        with pytest.raises(KalosError, match="was stopped"):
            operator("compute_agreement")(dataset, labels(fields), run_key="later")
    finally:
        audits._computed = real


def audit_over(dataset, fields, _):
    audit = operator("compute_agreement")
    audit(dataset, labels(fields), tau=0.3, overwrite=True)


def vote_anew(dataset, fields, _):
    """Edit a class, have the run computed anew for it, and undo the edit."""
    samples, listed = dataset._sample_collection, listed_in(dataset, fields)
    (first,) = samples.find().sort("_id").limit(1)
    place = f"{fields[0]}.{listed}.0.label"
    known = first[fields[0]][listed][0]["label"]
    samples.update_one({"_id": first["_id"]}, {"$set": {place: "cow"}})
    dataset.reload()
    with pytest.raises(KalosError, match="changed since"):
        operator("create_consensus")(dataset, "kalos", field="kalos_again")
    operator("create_consensus")(
        dataset, "kalos", field="kalos_again", on_changed="recompute"
    )
    samples.update_one({"_id": first["_id"]}, {"$set": {place: known}})


def of_run(key, fields, listed):
    """Return what an audit adds; attributes of labels are fields of fields."""
    return {
        "samples": {f"{key}_{name}" for name in OF_SAMPLES}
        | {f"{f}.{listed}.{key}_{name}" for f in fields for name in OF_LABELS},
        "data set": {"sample_fields", "sample_fields.fields.fields", f"runs.{key}"},
        "runs": {""},
        "indexes": {f"{key}_alpha_1"},
    }


def steps(fields, listed):
    """Yield each operator and where it adds something, in a person's order."""
    view = {"data set": {"saved_views"}, "views": {""}}
    field = {"data set": {"sample_fields"}}
    yield bring_in, {**field, "samples": {"ratings", "asked"}}
    yield calibrate, {"data set": {"runs.calibration"}, "runs": {""}}
    yield fit, {"data set": {"runs.noise"}, "runs": {""}}
    yield simulate, {**field, "samples": {"simulated", "simulated_raters"}}
    first = of_run("kalos", fields, listed)
    first["data set"].add("app_config.color_scheme")
    yield audit, first
    yield show, {**view, "runs": {"config.views"}}
    yield queue_images, {**view, "runs": {"config.queues"}, "samples": {"tags"}}
    tags = f"kalos_units.{listed}.tags"
    yield queue_objects, {**view, "runs": {"config.queues"}, "samples": {tags}}
    yield vote, {**field, "samples": {"kalos_consensus"}}
    yield audit_anew, of_run("anew", fields, listed)
    yield compare, {}
    yield export, {}
    yield arrange, {"data set": {"workspaces"}, "workspaces": {""}}
    yield stop, {}
    yield audit_over, None
    yield vote_anew, None


def user_part(dataset, fields):
    """Return what of the samples is the user's, and nothing that operators add."""
    added = {f"{key}_{name}" for key in KEYS for name in (*OF_SAMPLES, *OF_LABELS)}

    def less(value):
        if isinstance(value, dict):
            return {n: less(inner) for n, inner in value.items() if n not in added}
        return [less(inner) for inner in value] if isinstance(value, list) else value

    found = [less(bson.decode(one)) for one in snapshots.documents(dataset, False)]
    return [
        {name: one[name] for name in (*fields, "kalos_alphas", "weather")}
        for one in found
    ]


def test_every_operator_only_adds_and_all_is_undone(theirs, tmp_path):
    dataset, fields = theirs
    untouched = before = snapshots.take(dataset, clocks=False)
    mine = repr(user_part(dataset, fields))  # as text, since nan is not itself
    for step, expected in steps(fields, listed_in(dataset, fields)):
        step(dataset, fields, tmp_path)
        after = snapshots.take(dataset, clocks=False)
        if expected is not None:  # else something is replaced
            assert snapshots.additions(before, after) == expected, step.__name__
        assert repr(user_part(dataset, fields)) == mine, step.__name__
        before = after
    for key in (*KEYS, "calibration", "noise"):
        operator("delete_run")(dataset, key, consensus=True)
        assert repr(user_part(dataset, fields)) == mine
    dataset.delete_workspace(WORKSPACE)
    made = ["ratings", "asked", "simulated", "simulated_raters"]
    dataset.delete_sample_fields(made)  # they are the user's now
    assert snapshots.take(dataset, clocks=False) == untouched
