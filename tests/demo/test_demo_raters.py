"""The habits of the six raters of the demo, measured on what they draw."""

from functools import cache

import numpy as np
import pytest

from demo.raters import RATERS, SMALL, SWAPPED, annotate, assigned_raters, is_empty
from demo.scenes import is_hard, lay_out, truth

N_SCENES = 160
BY_NAME = {rater.name: rater for rater in RATERS}
PAIR = np.array([(0.1, 0.1, 0.1, 0.1), (0.19, 0.12, 0.1, 0.1), (0.6, 0.6, 0.2, 0.2)])


@cache
def scenes():
    indices = (i for i in range(110) if not is_empty(i))
    return [(i, truth(lay_out(i))) for i in indices]


def draw(name, index, scene, salt=0):
    number = list(BY_NAME).index(name)
    rng = np.random.default_rng([salt, index, number])
    return annotate(*scene, BY_NAME[name], rng)


def overlaps(a, b):
    """Intersection over union of boxes (n, 4) and (m, 4), (n, m)."""
    a = np.asarray(a, float).reshape(-1, 1, 4)
    b = np.asarray(b, float).reshape(1, -1, 4)
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    shared = np.clip(high - low, 0, None).prod(axis=-1)
    return shared / (a[..., 2:].prod(axis=-1) + b[..., 2:].prod(axis=-1) - shared)


@cache
def matches(name):
    """Truth label, area, group, best overlap and drawn label of every object."""
    rows = []
    for index, (boxes, labels, group) in scenes():
        drawn = draw(name, index, (boxes, labels, group))
        table = overlaps(boxes, [box for _, box in drawn])
        best = table.argmax(axis=1)
        for i, label in enumerate(labels):
            area = boxes[i, 2] * boxes[i, 3]
            rows.append((label, area, group[i], table[i, best[i]], drawn[best[i]][0]))
    return rows


def missed(name, wanted):
    """Share of the wanted true objects that a rater did not draw."""
    # Loose boxes still overlap by 0.4, neighbours in a group by much less.
    found = [
        iou > 0.4 for label, area, _, iou, _ in matches(name) if wanted(label, area)
    ]
    return 1 - np.mean(found)


def is_platelet(label, area):
    return label == "platelet"


def is_small_cell(label, area):
    return label != "platelet" and area < SMALL


def is_large(label, area):
    return area >= SMALL


def test_six_raters_with_a_documented_habit():
    assert list(BY_NAME) == ["ana", "ben", "cho", "dee", "eli", "fay"]
    assert all(rater.habit.endswith(".") for rater in RATERS)


@pytest.mark.parametrize("name", BY_NAME)
def test_boxes_lie_in_the_image(name):
    for index, scene in scenes()[:60]:
        boxes = np.array([box for _, box in draw(name, index, scene)])
        assert boxes[:, :2].min() >= 0
        assert boxes[:, 2:].min() > 0
        assert (boxes[:, :2] + boxes[:, 2:]).max() <= 1 + 1e-12


@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_is_drawn_on_an_empty_scene(name):
    empty = truth(lay_out(6, empty=True))
    assert draw(name, 6, empty) == []


def test_the_generator_alone_decides():
    index, scene = scenes()[0]
    assert draw("ana", index, scene) == draw("ana", index, scene)
    assert draw("ana", index, scene) != draw("ana", index, scene, salt=1)


@pytest.mark.parametrize("name", ["ana", "ben"])
def test_the_careful_pair_finds_and_fits_nearly_everything(name):
    assert 0.003 < missed(name, lambda label, area: True) < 0.02
    found = [iou for *_, iou, _ in matches(name) if iou > 0.4]
    assert 0.92 < np.mean(found) < 0.96
    assert all(drawn == true for true, *_, iou, drawn in matches(name) if iou > 0.7)


def test_no_two_raters_draw_the_same_box():
    index, scene = scenes()[0]
    drawn = [box for name in BY_NAME for _, box in draw(name, index, scene)]
    assert len(set(drawn)) == len(drawn)


def test_cho_misses_small_objects():
    assert 0.63 < missed("cho", is_platelet) < 0.77
    assert 0.19 < missed("cho", is_small_cell) < 0.31
    assert missed("cho", is_large) < 0.025
    assert missed("ana", is_platelet) < 0.03


def test_dee_draws_loose_boxes():
    alone = [iou for _, _, group, iou, _ in matches("dee") if group < 0 and iou > 0.4]
    assert 0.55 < np.mean(alone) < 0.62
    assert 0.85 < np.mean(np.array(alone) >= 0.5) < 0.97
    assert np.mean(np.array(alone) >= 0.75) < 0.03


@pytest.mark.parametrize("name", ["eli", "fay"])
def test_eli_and_fay_swap_two_classes_only(name):
    swapped, others = [], []
    for true, _, _, iou, drawn in matches(name):
        if iou > 0.7:
            (swapped if true in SWAPPED else others).append((true, drawn))
    assert 0.9 < np.mean([drawn == SWAPPED[true] for true, drawn in swapped]) < 1
    assert all(true == drawn for true, drawn in others)


@pytest.mark.parametrize("name", ["eli", "fay"])
def test_eli_and_fay_draw_one_box_around_a_group(name):
    labels, group = ("red cell", "red cell", "neutrophil"), np.array((0, 0, -1))
    drawn = draw(name, 0, (PAIR, labels, group))
    assert sorted(label for label, _ in drawn) == ["neutrophil", "red cell"]
    box = next(box for label, box in drawn if label == "red cell")
    assert overlaps(box, (0.1, 0.1, 0.19, 0.12))[0, 0] > 0.85
    assert len(draw("ana", 0, (PAIR, labels, group))) == 3


def test_groups_that_touch_nothing_else_stay_apart():
    group = np.array((0, 0, 1, 1))
    boxes = np.vstack((PAIR[:2], PAIR[:2] + np.array((0.5, 0.5, 0, 0))))
    drawn = draw("eli", 0, (boxes, ("red cell",) * 4, group))
    assert len(drawn) == 2
    assert max(box[2] for _, box in drawn) < 0.25


def test_half_of_the_scenes_for_fay_and_one_rater_for_some():
    seen = [assigned_raters(i, N_SCENES) for i in range(N_SCENES)]
    assert 72 <= sum("fay" in names for names in seen) <= 88
    alone = [i for i, names in enumerate(seen) if len(names) == 1]
    assert len(alone) == 6
    assert all(seen[i] == ("ana",) and not is_empty(i) for i in alone)
    assert max(np.diff(alone)) < 40
    everyone = {"ana", "ben", "cho", "dee", "eli"}
    assert all(everyone <= set(names) for names in seen if len(names) > 1)
    assert 5 <= sum("fay" in seen[i] for i in range(N_SCENES) if is_hard(i)) <= 10


def test_empty_scenes_are_spread_out_and_seen_by_all():
    empty = [i for i in range(N_SCENES) if is_empty(i)]
    assert len(empty) == 10
    assert max(np.diff(empty)) < 30
    assert all(len(assigned_raters(i, N_SCENES)) == 6 for i in empty)
    assert not any(is_hard(i) for i in empty)


def test_a_small_data_set_has_every_kind_of_scene():
    seen = [len(assigned_raters(i, 20)) for i in range(20)]
    assert set(seen) == {1, 5, 6}
    assert any(is_empty(i) for i in range(20))


@pytest.mark.parametrize("index", [-1, 20])
def test_scenes_out_of_range_are_refused(index):
    with pytest.raises(ValueError, match="20 scenes"):
        assigned_raters(index, 20)
