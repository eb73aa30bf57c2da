"""What is extracted of pairs of raters, by hand and whatever their order."""

from dataclasses import replace

import numpy as np
import pytest
from random_data import crowd

from kalos_core import Annotations, Boxes, KalosError, Keypoints, Polygons
from kalos_core.noise import extract_differences
from kalos_core.noise.error_types import Children

# Ana's cat is moved by (3, 4) and made wider; her dog is ben's cat; the bird is hers
# alone; and her train is two of ben's.
LINES = (
    "ana: cat 10 10 20 20",
    "ben: cat 11 14 24 20",
    "ana: dog 50 50 30 30",
    "ben: cat 50 50 30 30",
    "ana: bird 5 80 10 10",
    "ana: train 40 5 40 20",
    "ben: train 40 5 20 20",
    "ben: train 60 5 20 20",
)


def names(made, index):
    return [made.annotation_id[n] for n in index]


def test_one_of_each_error_from_a_reference(annotations):
    made = annotations(*LINES)
    found = extract_differences(made, reference="ana")
    shifts, classes = found.shifts, made.classes
    assert names(made, shifts.source) == ["a0000", "a0002"]
    assert names(made, shifts.target) == ["a0001", "a0003"]
    assert shifts.weight.tolist() == [1, 1]
    np.testing.assert_allclose(shifts.translation, [0.05, 0], atol=1e-12)
    np.testing.assert_allclose(shifts.angle, [np.arctan2(4, 3), np.nan])
    np.testing.assert_allclose(shifts.width, [np.log(1.2), 0], atol=1e-12)
    np.testing.assert_allclose(shifts.height, [0, 0], atol=1e-12)
    np.testing.assert_allclose(shifts.area, [(0.04 + 0.048) / 2, 0.09])
    assert [classes[n] for n in shifts.label_from] == ["cat", "dog"]
    assert [classes[n] for n in shifts.label_to] == ["cat", "cat"]
    counts = found.counts
    assert (counts.n_source.tolist(), counts.n_target.tolist()) == ([4], [4])
    assert counts.n_unmatched.tolist() == [1]
    assert names(made, found.labels.annotation[found.labels.unmatched]) == ["a0004"]
    assert found.labels.of_source[found.labels.unmatched].all()
    children = found.children
    assert names(made, children.parent) == ["a0005", "a0005"]
    assert names(made, children.child) == ["a0006", "a0007"]
    assert children.fragmented.tolist() == [1, 1]
    np.testing.assert_allclose(children.width, np.log([2, 2]))
    np.testing.assert_allclose(children.translation, [0.1, 0.1])
    np.testing.assert_allclose(children.angle, [np.pi, 0], atol=1e-9)
    (part,), (weight,) = children.apart()
    assert (part, weight) == (pytest.approx(1), 1)
    # Ana's train is a parent; the labels of neither rater are unmatched for it.
    assert names(made, found.labels.annotation[found.labels.parent]) == ["a0005"]


def test_from_the_other_side_all_is_reversed(annotations):
    found = extract_differences(annotations(*LINES), reference="ben")
    np.testing.assert_allclose(found.shifts.angle[0], np.arctan2(4, 3) + np.pi)
    np.testing.assert_allclose(found.shifts.width[0], -np.log(1.2))
    assert found.children.fragmented.tolist() == [0, 0]
    assert not found.labels.of_source[found.labels.unmatched].any()


def test_without_reference_every_pair_counts_both_ways(annotations):
    found = extract_differences(annotations(*LINES))
    assert found.shifts.weight.tolist() == [0.5] * 4
    assert sorted(zip(found.shifts.label_from, found.shifts.label_to, strict=True)) == [
        (1, 1),
        (1, 1),
        (1, 2),
        (2, 1),
    ]
    assert found.shifts.width.sum() == pytest.approx(0, abs=1e-12)
    assert len(found.once) == 2
    assert found.counts.weight.tolist() == [0.5, 0.5]
    assert found.children.fragmented.tolist() == [0.5, 0.5]
    assert found.labels.weight[found.labels.unmatched].sum() == 1


def test_a_train_of_another_class_is_no_part(annotations):
    lines = [line.replace("ben: train 60", "ben: boat 60") for line in LINES]
    found = extract_differences(annotations(*lines), reference="ana")
    assert not len(found.children)
    # Half of the train has an IoU of 0.5 and is the train; the boat is ben's alone.
    assert found.counts.n_unmatched.tolist() == [2]


def test_angles_between_three_parts_are_at_most_half_a_turn():
    zeros = np.zeros(4)
    angle = np.array([0.1, 2 * np.pi - 0.1, np.pi, np.nan])  # the last is at the centre
    children = Children(
        *np.zeros((3, 4), int),
        *(zeros, zeros, zeros, angle, zeros, zeros, zeros),
        zeros.astype(bool),
    )
    part, weight = children.apart()
    away = np.pi - 0.1
    np.testing.assert_allclose(np.sort(part), np.array([0.2, away, away]) / np.pi)
    np.testing.assert_allclose(weight, 1 / 3)


def test_images_that_both_left_empty_count(annotations):
    found = extract_differences(
        annotations("x ana: cat 1 1 9 9", "x ben:", "y ana:", "y ben:")
    )
    assert found.counts.n_unmatched.tolist() == [1, 0, 1, 0]
    assert found.counts.n_source.tolist() == [1, 0, 0, 0]


def test_nobody_misses_what_they_were_not_asked_for(annotations):
    made = annotations(
        "ana: cat 10 10 20 20", "ana: dog 60 60 20 20", "ben: cat 10 10 20 20"
    )
    asked = replace(made, asked=np.array([[True, True], [True, False]]))
    assert extract_differences(made).counts.n_unmatched.tolist() == [1, 1]
    assert extract_differences(asked).counts.n_unmatched.tolist() == [0, 0]


def renamed(made, order):
    """Return the same annotations with raters in another order and renamed."""
    place = np.argsort(order)
    return Annotations(
        made.image,
        place[made.rater],
        made.label,
        made.geometry,
        made.annotation_id,
        made.assigned[:, order],
        made.images,
        [f"z{n}" for n in range(made.n_raters)],
        made.classes,
    )


def summary(found):
    """Return all that was found, in an order of its own."""
    tables = (
        (
            found.shifts,
            ("area", "translation", "angle", "width", "height", "label_from"),
        ),
        (found.counts, ("image", "n_source", "n_target", "n_unmatched")),
        (found.labels, ("area", "unmatched", "parent", "of_source", "weight")),
        (found.children, ("area", "translation", "width", "height", "fragmented")),
    )
    for table, columns in tables:
        rows = np.stack([getattr(table, name) for name in columns], axis=1).round(12)
        yield rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("kind", ["Boxes", "Polygons", "Keypoints"])
def test_neither_order_nor_names_of_raters_matter(kind):
    made = crowd(3, n=1500, n_images=12, kind=kind)
    found = extract_differences(made)
    assert len(found.shifts) > 20
    order = np.array([3, 0, 4, 2, 1])
    other = extract_differences(renamed(made, order))
    for one, again in zip(summary(found), summary(other), strict=True):
        np.testing.assert_array_equal(one, again)
    assert found.children.n_events


def test_large_data_are_matched_in_pieces(monkeypatch):
    made = crowd(3, n=400, n_images=12)
    whole = extract_differences(made)
    monkeypatch.setattr("kalos_core.noise.pairing.CHUNK", 50)
    for one, again in zip(
        summary(whole), summary(extract_differences(made)), strict=True
    ):
        np.testing.assert_array_equal(one, again)


def test_shapes_count_by_their_bounds(annotations):
    made = annotations(*LINES)
    low, high = np.split(made.geometry.bounds(), 2, axis=1)
    rings = [[l, (h[0], l[1]), h, (l[0], h[1])] for l, h in zip(low, high, strict=True)]
    drawn = Polygons.from_rings(rings, np.arange(len(rings)), len(rings))
    joints = Keypoints(np.stack([low, high], axis=1), np.ones((len(low), 2)))
    for shapes in (drawn, joints):
        found = extract_differences(replace(made, geometry=shapes), reference="ana")
        np.testing.assert_allclose(found.shifts.translation, [0.05, 0], atol=1e-12)
        assert found.children.n_events == 1


def test_labels_without_an_area_are_left_out_and_counted():
    points = np.array([[[0.1, 0.1], [0.3, 0.3]], [[0.1, 0.1], [0.3, 0.3]]])
    made = Annotations(
        [0, 0],
        [0, 1],
        [0, 0],
        Keypoints(points, [[True, True], [True, False]]),
        ["a", "b"],
        np.ones((1, 2), bool),
        ["x"],
        ["ana", "ben"],
        ["cat"],
    )
    found = extract_differences(made)
    assert found.n_left_out == 1
    assert found.counts.n_unmatched.tolist() == [1, 1]


def test_what_cannot_be_compared_is_refused(annotations):
    made = annotations(*LINES)
    with pytest.raises(KalosError, match=r"unknown reference 'kim'.*'ana', 'ben'"):
        extract_differences(made, reference="kim")
    with pytest.raises(KalosError, match="got Volumes"):
        extract_differences(crowd(0, n=10, kind="Volumes"))
    pixels = replace(made, geometry=Boxes(made.geometry.xywh * 100))
    with pytest.raises(KalosError, match="relative to its image for noise"):
        extract_differences(pixels)
