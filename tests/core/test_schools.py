from dataclasses import replace

import numpy as np
import pytest
from diagnosing import collaborate
from diagnosing import find_schools as judged
from random_data import crowd

from kalos_core import Annotations, Boxes
from kalos_core.diagnostics.relabelling import residuals
from kalos_core.diagnostics.splits import best_splits
from kalos_core.plain import plain

RATERS = ("ana", "ben", "cho", "dan", "eva", "fay")


def spoken(label, drawn=None):
    """Return annotations of one object per place: ``label`` is (I, R, places)."""
    drawn = np.ones(label.shape, bool) if drawn is None else drawn
    image, rater, place = np.nonzero(drawn)
    box = np.full((len(image), 4), 0.1)
    box[:, 0] = place / label.shape[2]
    return Annotations(
        image=image,
        rater=rater,
        label=label[drawn],
        geometry=Boxes(box),
        annotation_id=[f"{n:05}" for n in range(len(image))],
        assigned=np.ones(label.shape[:2], bool),
        images=[f"i{n:03}" for n in range(len(label))],
        raters=RATERS[: label.shape[1]],
        classes=("a", "b", "c"),
    )


def cohort(seed, swap, n_images=30, second=()):
    """Raters swap classes at the rates given; the ``second`` school calls a b."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (n_images, 1, 4))
    label = np.repeat(truth, len(swap), axis=1)
    label[:, list(second)] = np.where(label == 0, 1, label)[:, list(second)]
    wrong = rng.random(label.shape) < np.array(swap)[None, :, None]
    return spoken(np.where(wrong, rng.integers(0, 3, label.shape), label))


def test_two_conventions_are_two_schools():
    result = judged(cohort(1, [0.1] * 6, second=(1, 4)))
    assert result.school.tolist() == [0, 1, 0, 0, 1, 0]
    assert result.reason == ""
    assert result.p_value == 0.001  # none of 999 relabellings is as strong
    assert result.gain > 0.1
    beside = np.flatnonzero(np.isin(result.order, [1, 4]))
    assert np.diff(beside).tolist() == [1]
    assert result.tree.shape == (5, 4)


def test_raters_may_be_listed_in_any_order():
    made = replace(cohort(1, [0.1] * 6, second=(1, 4)), raters=("f", *"abcde"))
    assert judged(made).school.tolist() == [0, 1, 0, 0, 1, 0]


@pytest.mark.parametrize("swap", [[0.2] * 6, [0.7, 0.1, 0.1, 0.1, 0.1, 0.1]])
def test_equal_raters_and_a_careless_one_are_one_school(swap):
    # Rates of false alarms are measured in tests/simulation.
    result = judged(cohort(7, swap))
    assert result.school.tolist() == []
    assert result.p_value > 0.05
    assert "no stronger than chance" in result.reason
    assert sorted(result.order) == [0, 1, 2, 3, 4, 5]


def test_two_careless_raters_are_no_school():
    result = judged(cohort(3, [0.8, 0.8, 0.05, 0.05, 0.05, 0.05], n_images=60))
    assert result.p_value < 0.05  # faults do not add up, and the two stand out together
    assert result.school.tolist() == []
    assert "does not surely agree more within" in result.reason


def test_the_same_seed_gives_the_same_answer():
    made = cohort(2, [0.2] * 6)
    assert plain(judged(made)) == plain(judged(made))
    assert judged(made).p_value != judged(made, seed=1).p_value


def test_what_cannot_be_told_has_a_reason(annotations):
    three = judged(cohort(0, [0.1] * 3))
    assert "fewer than four raters" in three.reason
    assert sorted(three.order) == [0, 1, 2]
    lines = [f"{image} {rater}: cat 1 1 9 9" for image in "xy" for rater in "abcd"]
    apart = judged(annotations(*lines, "x e: cat 1 1 9 9", "z f: cat 1 1 9 9"))
    assert apart.reason == "'a' and 'f' (and 4 more pairs) share no image to agree on"
    assert sorted(apart.order) == [0, 1, 2, 3, 4, 5]
    assert judged(annotations("x a: cat 1 1 9 9", "y b: cat 1 1 9 9")).order.size == 0
    pairs = [f"{a}{b} {r}: cat 1 1 9 9" for a in "abcd" for b in "abcd" for r in {a, b}]
    assert "no image with a third" in judged(annotations(*pairs)).reason
    made = cohort(0, [0.1] * 4)
    same = judged(replace(made, identity=["ana", "ana", "cho", "dan"]))
    assert "sessions of one person" in same.reason
    for result in (three, apart, same):
        assert np.isnan(result.p_value)
        assert result.school.tolist() == []


def test_one_image_or_perfect_agreement_claim_nothing(annotations):
    one = judged(annotations(*(f"x {rater}: cat 1 1 9 9" for rater in "abcd")))
    assert one.p_value == 1
    assert one.school.tolist() == []
    split = [f"x {r}: {'cat' if r in 'ab' else 'dog'} 1 1 9 9" for r in "abcd"]
    assert judged(annotations(*split)).p_value > 0.2  # a third of relabellings


@pytest.mark.parametrize(
    ("n_images", "chance", "reason"),
    [
        (3, 1 / 9, "no stronger than chance"),
        (4, 1 / 27, "not surely agree more within"),
    ],
)
def test_chance_by_hand(annotations, n_images, chance, reason):
    # a and b against c and d in each image; relabelled, four raters part in one of
    # three ways in each, and all images must do so alike.
    lines = [
        f"i{n} {rater}: {'cat' if rater in 'ab' else 'dog'} 1 1 9 9"
        for n in range(n_images)
        for rater in "abcd"
    ]
    result = judged(annotations(*lines))
    assert result.p_value == pytest.approx(chance, abs=0.03)
    assert reason in result.reason  # claimed from 5 % on


def test_residuals_leave_out_what_raters_and_images_add():
    made = cohort(5, [0.5, 0.4, 0.2, 0.1, 0.1], n_images=12)
    chosen, sums, _ = collaborate(made)
    rest = residuals(made, chosen, sums)
    assert rest.total().sum(axis=2) == pytest.approx(np.zeros((1, 5)), abs=1e-9)
    assert np.bincount(rest.block, rest.rest) == pytest.approx(np.zeros(12), abs=1e-9)
    assert np.array_equal(rest.count, 12 * (1 - np.eye(5)))
    [relabelled] = rest.relabelled(7, np.random.default_rng(0))
    assert relabelled.shape == (7, 5, 5)
    assert relabelled.sum() == pytest.approx(0, abs=1e-9)
    assert not np.allclose(relabelled[0], relabelled[1])


def test_raters_are_relabelled_within_their_images():
    made = crowd(8, n=200, n_images=12, n_raters=6)
    assigned = made.assigned & (np.arange(6) // 3 == np.arange(12)[:, None] % 2)
    kept = assigned[made.image, made.rater]
    made = replace(
        made.between(0, 0),
        **{name: getattr(made, name)[kept] for name in ("image", "rater", "label")},
        geometry=made.geometry.take(np.flatnonzero(kept)),
        annotation_id=made.annotation_id[kept],
        assigned=assigned,
    )
    chosen, sums, _ = collaborate(made)
    rest = residuals(made, chosen, sums)
    # Raters 0 to 2 never meet 3 to 5, under whatever labels.
    [relabelled] = rest.relabelled(9, np.random.default_rng(0))
    met = np.kron(np.eye(2), np.ones((3, 3))) * (1 - np.eye(6))
    assert np.array_equal(rest.count > 0, met > 0)
    assert np.abs(relabelled).max() > 0.1
    assert np.array_equal(relabelled * (1 - met), np.zeros((9, 6, 6)))


def test_best_split_by_hand():
    # 0 and 2 agree by 3, 1 and 3 by 1, across by 0; single raters may add anything.
    base = np.zeros((4, 4))
    base[0, 2] = base[2, 0] = 3
    base[1, 3] = base[3, 1] = 1
    effect = np.array([5.0, -2, 0, 7])
    whole = base + (effect[:, None] + effect) * (1 - np.eye(4))
    found = best_splits(np.stack([base, whole]), 1 - np.eye(4))
    for second in found.second:
        assert second[0] == second[2] != second[1] == second[3]
    # (3 + 1) / 2 - 0, and its error: one pair within each, four between.
    assert found.gain == pytest.approx([2, 2])
    assert found.score == pytest.approx([2 * 2 / np.sqrt(1 + 4 / 4 + 1)] * 2)
