"""Consensus labels by hand, for each kind of label."""

import fiftyone as fo
import fiftyone.operators as foo
import numpy as np
import pytest
from consensus_builders import values, without
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
    stored,
)

KalosError = plugin_module("kalos_core").KalosError
NAMES = ["=1", 'it\'s "q"', "<b>", "a.b", "$set", "😀", "r" * 200, "None"]


def test_boxes_by_hand(create, audited):
    before = stored(audited)
    assert create(audited) == {
        "field": "kalos_consensus",
        "run_key": "kalos",
        "n_images": 3,
        "n_labels": 3,
        "n_left_out": 0,
    }
    # The cats overlap by 19 of 21. cat and dog are a tie, and cat the more frequent.
    assert values(audited, "label") == [["cat", "cat"], [], ["cat"]]
    assert values(audited, "existence") == [[1, 1], [], [1]]
    assert values(audited, "class_confidence") == [[1, 0.5], [], [1]]
    assert values(audited, "geometry_confidence") == [
        [pytest.approx(19 / 21), pytest.approx(1)],
        [],
        [None],
    ]
    assert values(audited, "raters") == [[["ana", "ben"]] * 2, [], [["ana"]]]
    assert values(audited, "bounding_box")[0][1] == [0.6, 0.6, 0.2, 0.2]
    for now, then in zip(stored(audited), before, strict=True):
        now.pop("kalos_consensus")
        assert now == then
    schema = audited.get_field_schema(flat=True)  # else the sidebar has no filter
    for name in ("existence", "class_confidence", "geometry_confidence", "raters"):
        assert f"kalos_consensus.detections.{name}" in schema


def test_a_field_per_rater_gives_the_same(create, compute, audited, per_rater):
    compute(per_rater, ["ana", "ben"])
    create(per_rater)
    create(audited)
    for name in ("label", "bounding_box", "existence", "raters"):
        assert values(per_rater, name) == values(audited, name)


def test_means_and_limits(create, audited):
    # The mean of the cats overlaps with either by 19.5 of 20.5.
    made = create(audited, field="mean", shape="mean", min_votes=2)
    assert (made["n_labels"], made["n_left_out"]) == (2, 1)
    assert values(audited, "bounding_box", "mean")[0][0] == pytest.approx(
        [0.105, 0.1, 0.2, 0.2]
    )
    assert values(audited, "geometry_confidence", "mean")[0][0] == pytest.approx(
        19.5 / 20.5
    )
    assert values(audited, "label", "mean")[1:] == [[], []]


def test_misses_lower_existence(create, compute, dataset):
    first = dataset.first()
    first.gt.detections.append(detection("dog", 80, 10, 10, 10, rater="ben"))
    first.save()
    compute(dataset, "gt")
    create(dataset)
    assert values(dataset, "existence")[0] == [1, 1, 0.5]
    made = create(dataset, field="sure", min_existence=0.6)
    assert made["n_left_out"] == 1
    assert values(dataset, "raters")[0][2] == ["ben"]


def test_weights_by_hand(create, compute):
    """Cho says the opposite of ana and ben.

    5 cats and 4 dogs: two values are the same by chance in 32 of 72 pairs. Ana is at
    one with half of the others: 1 - 0.5 / (40 / 72) = 0.1; cho with none: 0.
    """

    def at(n, label):
        return detection(label, 10 + 25 * n, 10, 20, 20)

    said = ["cat", "dog", "cat"]
    other = ["dog", "cat", "dog"]
    two = [[at(n, label) for n, label in enumerate(said)] for _ in range(2)]
    third = [at(n, label) for n, label in enumerate(other)]
    drawn = {"x": {"ana": two[0], "ben": two[1], "cho": third}}
    made = in_one_field(fo.Detections, drawn)
    compute(made, "gt")
    create(made)
    create(made, field="weighted", weighted=True)
    assert values(made, "class_confidence") == [[pytest.approx(2 / 3)] * 3]
    assert values(made, "class_confidence", "weighted") == [[1, 1, 1]]
    assert values(made, "label", "weighted") == [said]
    info = made.get_field("weighted").info["kalos_consensus"]
    assert info["raters"] == ["ana", "ben", "cho"]
    assert info["weights"] == [pytest.approx(0.1), pytest.approx(0.1), 0]
    assert (info["run_key"], info["weighted"], info["shape"]) == (
        "kalos",
        True,
        "medoid",
    )
    assert info["notation"] == "KαLOS(box_iou, τ=0.5, S=Greedy, ψ_soft)"
    made.delete()


MASK = [[1, 1, 0, 0]] * 4
KINDS = {
    "masks": (fo.Detections, lambda: masked("cat", 0, 0, 20, 20, mask=MASK), "mask"),
    "polygons": (
        fo.Polylines,
        lambda: polygon("cat", square(0, 0, 20), square(40, 0, 20)),
        "points",
    ),
    "keypoints": (
        fo.Keypoints,
        lambda: keypoint("cat", (0, 0), (10, 10), None),
        "points",
    ),
}


@pytest.mark.parametrize("build", [in_one_field, in_a_field_each])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_label(create, compute, kind, build):
    document, draw, attribute = KINDS[kind]
    made = build(document, {"x": {"ana": [draw()], "ben": [draw()]}, "y": {"ana": []}})
    field = "gt" if build is in_one_field else ["ana", "ben"]
    compute(made, field)
    before = repr(stored(made))
    assert create(made)["n_labels"] == 1
    with_all = repr([without(record) for record in stored(made)])
    assert with_all == before  # as text, since nan is not itself
    container = made.first().kalos_consensus
    assert isinstance(container, document)
    [label] = container[document._LABEL_LIST_FIELD]
    assert (label.label, label.existence, label.raters) == ("cat", 1, ["ana", "ben"])
    assert label.geometry_confidence == pytest.approx(1)
    if kind == "masks":
        assert (label.mask > 0).sum() == 8
        # The half that is empty may be left out.
        assert label.bounding_box[:2] == [0, 0]
    elif kind == "polygons":
        assert (label.closed, label.filled, len(label.points)) == (True, True, 2)
    else:
        drawn = np.array(draw()[attribute])
        assert np.array_equal(np.array(label.points), drawn, equal_nan=True)
    if kind in ("masks", "polygons"):
        with pytest.raises(KalosError, match=r"the mean shape of .* is not defined"):
            create(made, field="mean", shape="mean")
        assert made.get_field("mean") is None
    made.delete()


def test_any_name(create, compute):
    def box(label):
        return detection(label, 10, 10, 20, 20)

    drawn = {f"{n}": {"ana": [box(x)], x: [box(x)]} for n, x in enumerate(NAMES)}
    made = in_one_field(fo.Detections, drawn)
    compute(made, "gt")
    create(made, weighted=True)
    found = {label for labels in values(made, "label") for label in labels}
    assert found == set(NAMES)
    assert {name for [[a, b]] in values(made, "raters") for name in (a, b)} == {
        "ana",
        *NAMES,
    }
    made.delete()


def test_labels_that_changed_are_refused(create, audited):
    first = audited.first()
    first.gt.detections[3].label = "cat"
    first.save()
    with pytest.raises(KalosError, match="changed since the run"):
        create(audited)
    assert audited.get_field("kalos_consensus") is None
    create(audited, on_changed="recompute")
    assert values(audited, "class_confidence")[0] == [1, 1]
    assert audited.values("kalos_alpha")[0] == 1


def test_the_form_runs_with_its_defaults(audited):
    foo.execute_operator(
        "@kalos/audit/create_consensus",
        {"dataset": audited, "params": {"min_votes": 2}},
    )
    audited.reload()
    assert values(audited, "label") == [["cat", "cat"], [], []]


def form(context, dataset, **params):
    ctx = context(dataset, params)
    return operator("create_consensus").resolve_input(ctx).type.properties


def test_the_form(context, create, audited):
    shown = form(context, audited)
    assert "problem" not in shown
    assert shown["field"].default == "kalos_consensus"
    assert shown["shape"].type.values == ["medoid", "mean"]
    problem = form(context, audited, field="gt")["problem"]
    assert problem.invalid and "has a field 'gt' already" in problem.view.label
    assert "problem" in form(context, audited, run_key="none")
    create(audited)
    assert "problem" in form(context, audited)
    ctx = context(audited)
    deletion = operator("delete_run").resolve_input(ctx).type.properties
    assert "kalos_consensus" in deletion["consensus"].view.label
    operator("delete_run")(audited, "kalos")
    assert form(context, audited)["nothing"].invalid


def test_the_app_shows_what_is_wrong(context, create, audited):
    create(audited)
    messages = list(operator("create_consensus").execute(context(audited)))
    shown = [message.body for message in messages]
    assert "has a field 'kalos_consensus' already" in shown[-1].params["label"]


def test_delegation_makes_the_same_field(create, audited):
    from fiftyone.operators.delegated import DelegatedOperationService

    service = DelegatedOperationService()
    audited.persistent = True
    assert create(audited, field="later", shape="mean", delegate=True).delegated
    assert audited.get_field("later") is None
    service.execute_queued_operations(
        operator="@kalos/audit/create_consensus", dataset_name=audited.name
    )
    audited.reload()
    assert values(audited, "bounding_box", "later")[0][0][0] == pytest.approx(0.105)
    (done,) = service.list_operations(dataset_name=audited.name)
    assert (done.status.progress, done.status.label) == (1, "Done")
