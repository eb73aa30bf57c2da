"""Each bad input gives one message that names the culprit and changes nothing."""

import fiftyone as fo
import fiftyone.operators as foo
import pytest
from fiftyone.operators.executor import ExecutionError
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
)

KalosError = plugin_module("kalos_core").KalosError
NAN = float("nan")


def with_box(*xywh, **attributes):
    """Return a data set whose second label has that box."""
    good = detection("cat", 10, 10, 20, 20, rater="ana")
    attributes = {"rater": "ben", **attributes}
    bad = detection(attributes.pop("label", "cat"), *xywh, **attributes)
    return make_dataset(sample("003", gt=detections(good, bad), raters=["ana", "ben"]))


def problem_in_form(context, dataset, params, view=None):
    """Return the message that disables Execute, or None."""
    ctx = context(dataset, {"view_target": "CURRENT_VIEW", **params}, view=view)
    form = operator("compute_agreement").resolve_input(ctx).type.properties
    problem = form.get("problem")
    assert problem is None or problem.invalid
    return problem and problem.view.label


@pytest.mark.parametrize(
    ("box", "attributes", "message"),
    [
        (
            (NAN, 10, 20, 20),
            {},
            "a box of four finite numbers, got [nan, 0.1, 0.2, 0.2]",
        ),
        ((10, 10, -20, 20), {}, "positive width and height, got [0.1, 0.1, -0.2, 0.2]"),
        ((10, 10, 20, 0), {}, "positive width and height, got [0.1, 0.1, 0.2, 0]"),
        ((10, 10, 20), {}, "must have a box [x, y, w, h], got [0.1, 0.1, 0.2]"),
        ((), {}, "must have a box [x, y, w, h], got []"),
        ((1000, 1000, 20, 20), {}, "got [10, 10, 0.2, 0.2], which looks like pixels"),
        ((10, 10, 20, 20), {"rater": " "}, "must have a rater in attribute 'rater'"),
        (
            (10, 10, 20, 20),
            {"rater": None},
            "must have a rater in attribute 'rater'",
        ),
        (
            (10, 10, 20, 20),
            {"rater": ""},
            "must have a rater in attribute 'rater'",
        ),
        ((10, 10, 20, 20), {"label": None}, "must have a class ('label'), got None"),
        (
            (10, 10, 20, 20),
            {"rater": "kim"},
            "by rater 'kim', who is not assigned to that image; assigned are "
            "['ana', 'ben']",
        ),
    ],
)
def test_bad_labels_are_named(compute, snapshot, box, attributes, message):
    made = with_box(*box, **attributes)
    before = snapshot(made)
    with pytest.raises(KalosError) as caught:
        compute(made, "gt")
    in_app = foo.execute_operator(compute.uri, {"dataset": made, "params": {}})
    asked = {r.operator_uri: r.params for r in in_app.executor._requests}
    text = str(caught.value)
    text = text[0].upper() + text[1:]
    assert asked["set_progress"]["label"] == text
    notice = asked["notify"]["message"]
    assert notice[:100] == text[:100] and notice.endswith(" Nothing was written.")
    assert len(notice) < 250
    first = made.first()
    assert message in str(caught.value)
    assert f"annotation '{first.gt.detections[1].id}'" in str(caught.value)
    assert f"image '{first.id}'" in str(caught.value)
    assert "003.jpg" in str(caught.value)
    assert snapshot(made) == before
    made.delete()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"label_field": "missing"},
            "There is no field 'missing'. Fields of labels are: gt.",
        ),
        (
            {"label_field": "raters"},
            "Field 'raters' does not hold Detections, Polylines or Keypoints",
        ),
        ({"rater_attribute": "who"}, "No label in field 'gt' has an attribute 'who'"),
        ({"assigned": "missing"}, "There is no list field 'missing'"),
        (
            {"layout": "field_per_rater", "label_fields": ["gt"]},
            "Choose at least two fields, one for each rater; got gt.",
        ),
        (
            {"layout": "field_per_rater", "label_fields": ["gt", "gt"]},
            "Field 'gt' is chosen twice",
        ),
        ({"run_key": "not a key"}, "A run key must be a name like"),
        ({"run_key": "_hidden"}, "A run key must be a name like"),
        ({"run_key": "raters", "label_field": "gt"}, None),
    ],
)
def test_bad_choices_disable_the_form(context, dataset, snapshot, params, message):
    before = snapshot(dataset)
    problem = problem_in_form(context, dataset, params)
    assert message in problem if message else problem is None
    assert snapshot(dataset) == before


def test_the_same_choices_raise_from_python(compute, dataset, snapshot):
    before = snapshot(dataset)
    for arguments, message in [
        ({"label_field": "missing"}, "There is no field 'missing'"),
        ({"label_field": "gt", "rater_attribute": "who"}, "attribute 'who'"),
        (
            {"label_field": "gt", "assigned": "missing"},
            "There is no list field 'missing'",
        ),
        ({"label_field": ["gt"]}, "at least two fields"),
        ({"label_field": "gt", "run_key": "a-b"}, "A run key must be a name"),
        ({"label_field": "gt", "tau": 1.5}, "tau must be a distance between 0 and 1"),
        ({"label_field": "gt", "tau": "0.5"}, "tau must be a distance between 0 and 1"),
        ({"label_field": "gt", "tau": 1.5, "delegate": True}, "tau must be a distance"),
        ({"label_field": None}, "label_field must be the name of a field"),
        ({"label_field": "gt", "raters": ["ana", "kim"]}, "at least two of ana, ben"),
        ({"label_field": "gt", "raters": ["ana"]}, "at least 2 names, got .'ana'."),
    ]:
        with pytest.raises(KalosError, match=message):
            compute(dataset, **arguments)
    assert snapshot(dataset) == before


def test_a_field_without_raters(compute, context, dataset):
    plain = detections(detection("cat", 0, 0, 9, 9))
    dataset.add_sample(sample("plain", plain=plain))
    with pytest.raises(KalosError, match="No label in field 'plain' has an attribute"):
        compute(dataset, "plain")
    problem = problem_in_form(context, dataset, {"label_field": "plain"})
    assert "No label in field 'plain'" in problem


def test_a_list_of_raters_without_names(compute, dataset):
    first = dataset.first()
    first["raters"] = ["ana", ""]
    first.save()
    with pytest.raises(KalosError, match=f"image '{first.id}' lists '' in 'raters'"):
        compute(dataset, "gt")


STAGES = {
    "set_field of labels": lambda d: d.set_field(
        "gt.detections", fo.ViewField("detections")[:1]
    ),
    "mongo": lambda d: d.mongo([{"$set": {"gt.detections": []}}]),
    "filter_field of labels": lambda d: d.filter_field(
        "gt", fo.ViewField("x").exists(), only_matches=False
    ),
    "set_field of the assigned": lambda d: d.set_field("raters", ["ana", "ben"]),
    "map_values of the assigned": lambda d: d.map_values("raters", {"ana": "ben"}),
    "filter_field of the assigned": lambda d: d.filter_field(
        "raters", fo.ViewField().length() == 1, only_matches=False
    ),
    "concat of others": lambda d: d[:1].concat(
        d[1:].mongo([{"$set": {"gt.detections": []}}])
    ),
}


@pytest.mark.parametrize("change", STAGES.values(), ids=STAGES)
def test_a_view_that_shows_what_is_not_stored(compute, context, dataset, change):
    view = change(dataset)
    with pytest.raises(KalosError, match=r"(hides|other) .*(labels|values)"):
        compute(view, "gt")
    assert problem_in_form(context, dataset, {"label_field": "gt"}, view=view)


def test_stages_that_change_nothing_that_is_read(compute, dataset):
    view = dataset[:1].concat(dataset[1:].set_field("kept", True, _allow_missing=True))
    assert compute(view, "gt")["n_images"] == 3
    view = dataset.set_field("raters", [], _allow_missing=True)
    assert compute(view, "gt", assigned="@all", run_key="all")["n_images"] == 3


def test_a_view_that_hides_labels(compute, context, dataset, per_rater):
    # What is hidden would count as missed.
    hides = dataset.filter_labels("gt", fo.ViewField("rater") == "ana")
    with pytest.raises(KalosError, match="hides some labels of field 'gt'"):
        compute(hides, "gt")
    assert "hides some labels" in problem_in_form(context, dataset, {}, view=hides)
    hides = per_rater.filter_labels("ben", fo.ViewField("label") == "dog")
    with pytest.raises(KalosError, match="hides some labels of field 'ben'"):
        compute(hides, ["ana", "ben"])
    # Other fields may be filtered, and samples left out.
    other = dataset.match_tags("nothing", bool=False).limit(2)
    assert compute(other, "gt")["n_images"] == 2


def test_a_view_with_a_sample_twice(compute, dataset):
    twice = dataset.concat(dataset.limit(1))
    with pytest.raises(KalosError, match="shows a sample more than once"):
        compute(twice, "gt")


def test_something_that_is_no_data_set(compute):
    with pytest.raises(KalosError, match="A data set or a view is expected, got 'x'"):
        compute("x", "gt")


def test_an_empty_data_set(compute):
    made = make_dataset()
    made.add_sample_field(
        "gt", fo.EmbeddedDocumentField, embedded_doc_type=fo.Detections
    )
    with pytest.raises(KalosError, match="no samples to audit"):
        compute(made, "gt")
    made.delete()


def test_no_box_at_all(compute):
    made = make_dataset(
        sample("003", gt=detections(detection("cat", rater="ana")), raters=["ana"])
    )
    with pytest.raises(KalosError, match=r"must have a box \[x, y, w, h\], got \[\]"):
        compute(made, "gt")
    made.delete()


def test_an_empty_view(compute, context, dataset):
    empty = dataset.match(fo.ViewField("raters") == "nobody")
    with pytest.raises(KalosError, match="no samples to audit"):
        compute(empty, "gt")
    assert "no samples" in problem_in_form(context, dataset, {}, view=empty)


def test_a_data_set_without_labels(context):
    made = make_dataset(sample("x", truth=fo.Classification(label="cat")))
    assert "There is no field of labels" in problem_in_form(context, made, {})
    made.delete()


@pytest.mark.parametrize("kind", ["video", "group", "3d"])
def test_other_media(compute, context, snapshot, kind):
    made = fo.Dataset()
    if kind == "group":
        made.add_group_field("group", default="left")
        group = fo.Group()
        made.add_sample(sample("x", group=group.element("left")))
    else:
        suffix = {"video": "mp4", "3d": "fo3d"}[kind]
        made.add_sample(fo.Sample(filepath=f"/nowhere/x.{suffix}"))
    made.add_sample_field(
        "gt", fo.EmbeddedDocumentField, embedded_doc_type=fo.Detections
    )
    before = snapshot(made)
    with pytest.raises(KalosError, match=r"video data set|grouped data set|type '3d'"):
        compute(made, "gt")
    assert "this audit" in problem_in_form(context, made, {"label_field": "gt"})
    assert snapshot(made) == before
    made.delete()


def test_a_view_that_groups_is_said(compute, dataset):
    with pytest.raises(KalosError, match=r"groups its samples \(group_by\)"):
        compute(dataset.group_by("filepath"), "gt")


def test_a_slice_of_a_group_is_fine(compute):
    made = fo.Dataset()
    made.add_group_field("group", default="left")
    boxes = [detection("cat", 0, 0, 9, 9, rater=rater) for rater in ("ana", "ben")]
    made.add_samples(
        [
            sample("x", group=fo.Group().element("left"), gt=detections(*boxes)),
        ],
        dynamic=True,
    )
    view = made.select_group_slices("left")
    assert compute(view, "gt", assigned="@all")["mean_alpha"] == 1
    made.delete()


def test_patches(compute, dataset):
    with pytest.raises(KalosError, match="This view shows patches"):
        compute(dataset.to_patches("gt"), "gt")


def test_running_the_form_anyway_is_refused(dataset):
    with pytest.raises(ExecutionError):
        foo.execute_operator(
            "@kalos/audit/compute_agreement",
            {"dataset": dataset, "params": {"label_field": "missing"}},
        )
    assert dataset.list_runs() == []


def test_labels_that_only_a_view_has_are_refused(dataset):
    for view in (
        dataset.map_labels("gt", {"cat": "dog"}),
        dataset.set_field("gt.detections.label", "cat"),
    ):
        with pytest.raises(KalosError, match="shows other labels of field 'gt' than"):
            operator("compute_agreement")(view, "gt")
