"""Two runs on the same images: by hand, in any order, and against chance."""

import numpy as np
import pytest
from diagnosing import find_difficulty
from random_data import crowd

from kalos_core import (
    Configuration,
    KalosError,
    PerImage,
    classes_per_image,
    compare,
    compare_columns,
    compute_agreement,
    kinds_per_image,
    raters_per_image,
    unit_kinds,
)

NAN = np.nan


def rng(seed=0):
    return np.random.default_rng(seed)


def test_by_hand():
    # x: 0.2 to 0.5, y: 0.9 to 0.4, w: as it was; undefined are v before, u after and t.
    found = compare(
        ["x", "y", "w", "v", "u", "t", "gone"],
        [0.2, 0.9, 0.7, NAN, 0.5, NAN, 1],
        ["new", "newer", "t", "u", "v", "w", "x", "y"],
        [0, 0, NAN, NAN, 1, 0.7 + 1e-12, 0.5, 0.4],
        rng=rng(),
    )
    assert found.images == ("t", "u", "v", "w", "x", "y")
    assert found.a.tolist() == [5, 4, 3, 2, 0, 1]
    assert found.b.tolist() == [2, 3, 4, 5, 6, 7]
    assert found.mean_a.value[0] == pytest.approx((0.2 + 0.9 + 0.7) / 3)
    assert found.mean_b.value[0] == pytest.approx((0.5 + 0.4 + 0.7) / 3)
    assert found.difference.value[0] == pytest.approx(-0.2 / 3)
    assert found.difference.n_images.tolist() == [3]
    counts = found.n_better, found.n_worse, found.n_equal
    assert counts == (1, 1, 1)
    undefined = found.n_undefined_a, found.n_undefined_b, found.n_undefined_both
    assert undefined == (1, 1, 1)
    assert (found.n_only_a, found.n_only_b) == (1, 2)
    assert [found.images[n] for n in found.better] == ["x"]
    assert [found.images[n] for n in found.worse] == ["y"]
    assert found.change[4:] == pytest.approx([0.3, -0.5])
    assert np.isnan(found.change[:3]).all()
    assert not found.difference.told_from_zero[0]


def test_what_changed_most_comes_first_and_ties_by_name():
    names = ["d", "c", "b", "a", "e", "f"]
    before, after = [0, 0, 0, 0, 0.5, 0.5], [0.3, 0.1 + 0.2, 0.9, 0.3, 0, 0.4]
    found = compare(names, before, names, after, rng=rng())
    assert [found.images[n] for n in found.better] == ["b", "a", "c", "d"]
    assert [found.images[n] for n in found.worse] == ["e", "f"]
    short = compare(names, before, names, after, rng=rng(), most=2)
    assert [found.images[n] for n in short.better] == ["b", "a"]
    assert short.n_better == 4


def random_runs(seed, n=60, shift=0.0):
    made = rng(seed)
    names = [f"i{n:03}" for n in range(n)]
    image = made.normal(0.5, 0.3, n)  # images vary far more than runs do
    before, after = image, image + shift + made.normal(0, 0.02, n)
    before = np.where(made.random(n) < 0.1, NAN, before)
    return names, before, after


def test_the_same_images_are_drawn_for_both():
    names, before, after = random_runs(0, shift=0.05)
    found = compare(names, before, names, after, rng=rng(), n_boot=500)
    width = found.difference.high - found.difference.low
    for mean in (found.mean_a, found.mean_b):
        assert mean.low[0] < found.mean_b.value[0] < mean.high[0]  # not told apart
        assert width[0] < (mean.high - mean.low)[0] / 5
    assert found.difference.told_from_zero[0]
    assert found.difference.low[0] < 0.05 < found.difference.high[0]


def test_undefined_images_are_not_drawn():
    names, before, after = random_runs(4, shift=0.01)
    known = np.flatnonzero(~np.isnan(before))
    assert len(known) < len(names)
    found = compare(names, before, names, after, rng=rng(7))
    some = [names[n] for n in known]
    alone = compare(some, before[known], some, after[known], rng=rng(7))
    assert alone.difference.low == pytest.approx(found.difference.low, rel=1e-6)
    assert alone.mean_a.high == pytest.approx(found.mean_a.high, rel=1e-6)


def test_no_order_matters_and_the_runs_change_places():
    names, before, after = random_runs(3, shift=0.01)
    found = compare(names, before, names, after, rng=rng(7))
    one, other = rng(1).permutation(60), rng(2).permutation(60)
    again = compare(
        [names[n] for n in one],
        before[one],
        [names[n] for n in other],
        after[other],
        rng=rng(7),
    )
    back = compare(names, after, names, before, rng=rng(7))
    for name in ("value", "low", "high"):
        for mean in ("mean_a", "mean_b", "difference"):
            ours, theirs = (getattr(c, mean) for c in (found, again))
            assert getattr(ours, name)[0] == getattr(theirs, name)[0]
    assert again.better.tolist() == found.better.tolist() == back.worse.tolist()
    assert back.difference.value[0] == -found.difference.value[0]
    assert back.difference.low[0] == pytest.approx(-found.difference.high[0])


def test_intervals_of_nothing_hold_zero_about_as_often_as_they_say():
    # 200 comparisons of runs that differ by noise: about 10 should be told apart.
    told = 0
    for seed in range(200):
        names, before, after = random_runs(seed, n=40)
        found = compare(names, before, names, after, rng=rng(seed), n_boot=300)
        told += found.difference.told_from_zero[0]
    assert 2 <= told <= 22


ONE, OTHER, UNKNOWN = (["x"], [1]), (["y"], [1]), (["x"], [NAN])


@pytest.mark.parametrize(
    ("a", "b"), [(([], []), ([], [])), (ONE, OTHER), (UNKNOWN, UNKNOWN)]
)
def test_nothing_in_common(a, b):
    found = compare(*a, *b, rng=rng())
    assert np.isnan([found.difference.value[0], found.mean_a.value[0]]).all()
    assert not found.difference.told_from_zero[0]
    assert found.n_better == found.n_worse == found.n_equal == 0
    assert len(found.better) == len(found.worse) == 0


def test_one_image_says_nothing_about_others():
    found = compare(["x"], [0.1], ["x"], [0.9], rng=rng())
    assert found.difference.value[0] == pytest.approx(0.8)
    assert np.isnan(found.difference.low[0])


def test_bad_input():
    with pytest.raises(KalosError, match="images_b must be unique, got 'x' twice"):
        compare(["x"], [1], ["x", "x"], [1, 1], rng=rng())
    with pytest.raises(KalosError, match="alpha_a must be a number for each of 1"):
        compare(["x"], [1, 2], ["x"], [1], rng=rng())
    with pytest.raises(KalosError, match="n_boot must be at least 1"):
        compare(["x"], [1], ["x"], [1], rng=rng(), n_boot=0)
    with pytest.raises(KalosError, match="one sum, got several"):
        PerImage(["ana"], [0, 0], [0, 0], [1, 1], [1, 1])
    with pytest.raises(KalosError, match="numbers of 1 names"):
        PerImage(["ana"], [0], [1], [1], [1])
    with pytest.raises(KalosError, match="finite"):
        PerImage(["ana"], [0], [0], [NAN], [1])


def test_columns_by_hand():
    # ana: 3 of 4 and 1 of 2 in x and y, then 4 of 4 and 1 of 1: 4/6 to 5/5. ben has x
    # only in the first run and y only in the second; cho is new.
    a = PerImage(["ben", "ana"], [0, 1, 0, 2], [1, 1, 0, 1], [3, 1, 1, 9], [4, 2, 2, 9])
    b = PerImage(["ana", "ben", "cho"], [0, 1, 0, 0], [0, 0, 1, 2], [1, 4, 1, 1],
                 [1, 4, 1, 1])  # fmt: skip
    images = (["x", "y", "only a"], ["y", "x"])
    found = compare_columns(images[0], a, images[1], b, rng=rng())
    assert found.names == ("ana", "ben")
    assert found.a.value[0] == pytest.approx(4 / 6)
    assert found.b.value[0] == pytest.approx(1)
    assert found.difference.value[0] == pytest.approx(1 / 3)
    assert found.difference.n_images.tolist() == [2, 0]
    assert np.isnan(found.difference.value[1])
    loose = compare_columns(images[0], a, images[1], b, rng=rng(), paired=False)
    assert loose.a.value[1] == 0.5
    assert loose.b.value[1] == 1
    assert loose.difference.n_images.tolist() == [2, 2]


def test_columns_are_drawn_together():
    made = rng(5)
    n = 80
    images = [f"i{k:02}" for k in range(n)]
    level = made.random((n, 2))
    column, image = np.indices((2, n)).reshape(2, -1)
    value = level[image, column]
    a = PerImage(["ana", "ben"], image, column, value, np.ones(2 * n))
    noisy = value + made.normal(0, 0.01, 2 * n) + 0.02 * (column == 0)
    b = PerImage(["ana", "ben"], image, column, noisy, np.ones(2 * n))
    found = compare_columns(images, a, images, b, rng=rng(), n_boot=400)
    assert found.difference.told_from_zero.tolist() == [True, False]
    assert found.a.low[0] < found.b.value[0] < found.a.high[0]
    order = made.permutation(2 * n)
    mixed = PerImage(
        ["ben", "ana"], n - 1 - image[order], 1 - column[order], noisy[order],
        np.ones(2 * n),
    )  # fmt: skip
    again = compare_columns(images, a, images[::-1], mixed, rng=rng(), n_boot=400)
    assert again.difference.low.tolist() == found.difference.low.tolist()


def test_raters_by_hand(strange_dogs):
    # x: cat cat dog: ana and ben agree with one of two others, cho with none.
    # y: cat cat cat, and a dog that ana alone sees: she has 1 and 0, ben and cho 1 and
    # 1/2, since of the two others one said nothing too.
    agreement = compute_agreement(strange_dogs, Configuration())
    found = raters_per_image(strange_dogs, agreement)
    rows = dict(
        zip(
            zip(found.image.tolist(), found.column.tolist(), strict=True),
            zip(found.total.tolist(), found.count.tolist(), strict=True),
            strict=True,
        )
    )
    assert rows == {
        (0, 0): (0.5, 1), (0, 1): (0.5, 1), (0, 2): (0, 1),
        (1, 0): (1, 2), (1, 1): (1.5, 2), (1, 2): (1.5, 2),
    }  # fmt: skip
    kinds = kinds_per_image(
        strange_dogs, agreement, unit_kinds(strange_dogs, agreement)
    )
    share = {
        (kinds.names[c], i): (t, n)
        for c, i, t, n in zip(
            kinds.column.tolist(), kinds.image.tolist(), kinds.total, kinds.count,
            strict=True,
        )
    }  # fmt: skip
    assert share["class", 0] == (1, 1)
    assert share["missed", 1] == share["agreed", 1] == (1, 2)


@pytest.mark.parametrize("seed", range(5))
def test_columns_mean_what_the_diagnosis_means(seed):
    # The same numbers as in class difficulty and kinds, and global alpha's parts.
    made, configuration = crowd(seed), Configuration(tau=0.7)
    agreement = compute_agreement(made, configuration)
    classes = classes_per_image(made, agreement)
    found = compare_columns(made.images, classes, made.images, classes, rng=rng())
    assert found.a.value == pytest.approx(
        find_difficulty(made, configuration).mean.value, nan_ok=True
    )
    assert (found.difference.value[~np.isnan(found.a.value)] == 0).all()
    assert not found.difference.told_from_zero.any()
    kinds = unit_kinds(made, agreement)
    shares = kinds_per_image(made, agreement, kinds)
    total = compare_columns(made.images, shares, made.images, shares, rng=rng())
    known = kinds.kind != "undefined"
    for name, value in zip(total.names, total.a.value, strict=True):
        assert value == pytest.approx((kinds.kind[known] == name).mean())


def test_relabelled_images_got_better(annotations):
    # ben swaps classes in the first half of 20 images, and is relabelled afterwards.
    def run(n_swapped):
        lines = []
        for n in range(20):
            for x, label in ((0, "cat"), (50, "dog")):
                said = {"cat": "dog", "dog": "cat"}[label] if n < n_swapped else label
                lines.append(f"i{n:02} ana: {label} {x} 0 9 9")
                lines.append(f"i{n:02} ben: {said} {x} 0 9 9")
        made = annotations(*lines)
        return made, compute_agreement(made, Configuration())

    (before, a), (after, b) = run(10), run(4)
    found = compare(before.images, a.alpha, after.images, b.alpha, rng=rng())
    assert (found.n_better, found.n_worse, found.n_equal) == (6, 0, 14)
    assert [found.images[n] for n in found.better] == [f"i{n:02}" for n in range(4, 10)]
    assert found.difference.told_from_zero[0]
    raters = compare_columns(
        before.images,
        raters_per_image(before, a),
        after.images,
        raters_per_image(after, b),
        rng=rng(),
    )
    # With one other rater each is as often at one as the other: 20 of 40 to 32 of 40.
    assert raters.a.value == pytest.approx([0.5, 0.5])
    assert raters.difference.value == pytest.approx([0.3, 0.3])
