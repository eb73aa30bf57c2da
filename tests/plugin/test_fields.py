import fiftyone as fo
import numpy as np
from plugin_builders import detection, detections, make_dataset, plugin_module, sample

fields = plugin_module("operators.fields")
layouts = plugin_module("operators.layouts")
OneField, FieldPerRater = layouts.OneField, layouts.FieldPerRater


def rows(annotations):
    """Return the annotations as readable tuples, in canonical order."""
    return [
        (
            int(annotations.image[n]),
            annotations.raters[annotations.rater[n]],
            annotations.classes[annotations.label[n]],
            annotations.geometry.xywh[n].tolist(),
        )
        for n in range(len(annotations))
    ]


def test_both_layouts_read_the_same(dataset, per_rater):
    one = fields.read_annotations(dataset, OneField("gt"))
    each = fields.read_annotations(per_rater, FieldPerRater(("ana", "ben")))
    assert rows(one) == rows(each)
    assert rows(one)[0] == (0, "ana", "cat", [0.1, 0.1, 0.2, 0.2])
    assert len(one) == 5
    assert one.assigned.tolist() == [[True, True], [True, True], [True, False]]
    assert np.array_equal(one.assigned, each.assigned)
    assert one.classes == each.classes == ("cat", "dog")
    assert one.images == tuple(dataset.values("id"))
    assert set(one.annotation_id.tolist()) == {
        box.id for s in dataset for box in s.gt.detections
    }


def test_who_was_assigned(dataset):
    read = fields.read_annotations
    everyone = read(dataset, OneField("gt", assigned=layouts.EVERY_RATER))
    assert everyone.assigned.all()
    drew = read(dataset, OneField("gt", assigned=layouts.WHO_DREW))
    assert drew.assigned.tolist() == [[True, True], [False, False], [True, False]]


def test_a_rater_who_never_drew_still_counts(dataset):
    first = dataset.first()
    first["raters"] = ["ana", "ben", "cho"]
    first.save()
    found = fields.read_annotations(dataset, OneField("gt"))
    assert found.raters == ("ana", "ben", "cho")
    assert found.assigned[:, 2].tolist() == [True, False, False]


def test_views_give_their_samples_and_labels_only(dataset):
    view = dataset.limit(1).filter_labels("gt", fo.ViewField("label") == "cat")
    found = fields.read_annotations(view, OneField("gt"))
    assert found.n_images == 1
    assert rows(found) == [
        (0, "ana", "cat", [0.1, 0.1, 0.2, 0.2]),
        (0, "ana", "cat", [0.6, 0.6, 0.2, 0.2]),
        (0, "ben", "cat", [0.11, 0.1, 0.2, 0.2]),
    ]


def test_samples_without_the_field_are_without_labels(dataset):
    dataset.add_sample(sample("unlabelled", raters=["ana", "ben"]))
    found = fields.read_annotations(dataset, OneField("gt"))
    assert found.n_images == 4
    assert 3 not in found.image


def test_raters_may_be_numbers_and_the_attribute_undeclared():
    made = make_dataset(sample("x"))
    made.add_sample_field(
        "gt", fo.EmbeddedDocumentField, embedded_doc_type=fo.Detections
    )
    boxes = [detection("cat", 0, 0, 9, 9), detection("cat", 0, 0, 9, 9)]
    for number, box in enumerate(boxes):
        box["who"] = number
    first = made.first()
    first["gt"] = detections(*boxes)
    first.save()
    assert "who" not in layouts.rater_attributes(made, "gt")
    found = fields.read_annotations(made, OneField("gt", "who", layouts.WHO_DREW))
    assert found.raters == ("0", "1")
    made.delete()


def test_a_field_cloned_for_another_rater_keeps_its_ids(per_rater):
    per_rater.clone_sample_field("ana", "cho")
    found = fields.read_annotations(per_rater, FieldPerRater(("ana", "cho")))
    assert len(found) == 6
    assert len(set(found.annotation_id.tolist())) == 3


def test_the_layout_is_detected(dataset, per_rater):
    assert layouts.detect_layout(dataset) == OneField("gt", "rater", "raters")
    assert layouts.detect_layout(per_rater) == FieldPerRater(("ana", "ben"))
    dataset.delete_sample_field("raters")
    assert layouts.detect_layout(dataset) == OneField("gt", assigned="@all")
    dataset.delete_sample_field("gt")
    assert layouts.detect_layout(dataset) == OneField("", assigned="@all")


def test_what_a_run_wrote_is_no_rater(compute, dataset, per_rater):
    compute(dataset, "gt")
    assert layouts.rater_attributes(dataset, "gt") == ["rater"]
    compute(per_rater, ["ana", "ben"])
    assert layouts.rater_attributes(per_rater, "ana") == []
    assert layouts.detect_layout(per_rater) == FieldPerRater(("ana", "ben"))


def test_a_form_switched_to_the_other_layout_is_filled(dataset, per_rater):
    switched = layouts.from_params({"layout": "one_field"}, per_rater)
    assert switched == OneField("ana", "rater", "@all")
    switched = layouts.from_params({"layout": "field_per_rater"}, dataset)
    assert switched == FieldPerRater(("gt",))


def test_raters_can_be_left_out(dataset):
    first = dataset.first()
    first.gt.detections.append(detection("cow", 0, 0, 9, 9, rater="cho"))
    first["raters"] = ["ana", "ben", "cho"]
    first.save()
    found = fields.read_annotations(dataset, OneField("gt", raters=("ana", "ben")))
    assert found.raters == ("ana", "ben")
    assert found.classes == ("cat", "dog")
    assert len(found) == 5
    assert found.assigned.tolist() == [[True, True], [True, True], [True, False]]


def test_numbers_may_be_listed_as_assigned():
    boxes = [detection("cat", 0, 0, 9, 9, rater=number) for number in (7, 8)]
    made = make_dataset(sample("x", gt=detections(*boxes), raters=[7, 8, 9]))
    found = fields.read_annotations(made, layouts.detect_layout(made))
    assert found.raters == ("7", "8", "9")
    assert found.assigned.all()
    made.delete()
