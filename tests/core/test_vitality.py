from dataclasses import replace

import numpy as np
import pytest
from diagnosing import find_vitality as found
from diagnosing import resampling
from random_data import crowd

from kalos_core import Configuration, compute_agreement
from kalos_core.alpha import nominal_alpha
from kalos_core.diagnostics.vitality import problems
from kalos_core.model import UNASSIGNED
from kalos_core.plain import plain
from kalos_core.resampling import interval_of


def test_by_hand(strange_dogs):
    result = found(strange_dogs)
    # x: (c c d), alpha 0; without ana or ben (c d) 0, without cho (c c) 1.
    # y: (c c c) (d - -), alpha (5 * 4 - 8) / (30 - 8) = 6/11; without ana (c c) 1, for
    # the dog is gone; without another (c c) (d -), (3 * 2 - 2) / (12 - 2) = 2/5.
    expected = [
        (0 + 6 / 11 - 1) / 2,
        (0 + 6 / 11 - 2 / 5) / 2,
        (-1 + 6 / 11 - 2 / 5) / 2,
    ]
    assert result.mean.value == pytest.approx(expected)
    assert result.mean.n_images.tolist() == [2, 2, 2]
    assert result.relative.value == pytest.approx(expected - np.mean(expected))
    assert result.relative.n_images.tolist() == [2, 2, 2]
    # All: (c c d) (c c c) (d - -), alpha (8 * 5 - 24) / (72 - 24) = 1/3. Rows dropped:
    # (c d) (c c) (- -) 12/22; (c d) (c c) (d -) 2/22; (c c) (c c) (d -) 8/18.
    expected = [1 / 3 - 12 / 22, 1 / 3 - 2 / 22, 1 / 3 - 8 / 18]
    assert result.overall.value == pytest.approx(expected)
    assert result.overall.n_images.tolist() == [2, 2, 2]


def test_classes_by_hand(strange_dogs):
    by_class = found(strange_dogs).by_class
    assert by_class.rater.tolist() == [0, 0, 1, 1, 2, 2]
    assert by_class.label.tolist() == [0, 1, 0, 1, 0, 1]
    # Cats: in x alpha 0, 1 without cho; in y 1 with and without anyone. Dogs: 0 where
    # they are left; without cho there is none in x, without ana none in y.
    assert by_class.mean.value == pytest.approx([0, 0, 0, 0, -1 / 2, 0])
    assert by_class.mean.n_images.tolist() == [2, 1, 2, 2, 2, 1]
    # Cats: (c c d) (c c c), alpha 0. Without ana or ben (c d) (c c), 0; without cho 1.
    # Dogs: (c c d) (d - -), alpha 1/6. Left are (c d), 0; (c d) (d -), -1/5; (d -), 0.
    expected = [0, 1 / 6, 0, 1 / 6 + 1 / 5, -1, 1 / 6]
    assert by_class.overall.value == pytest.approx(expected)


def test_intervals_are_those_of_repeated_images_without_the_row():
    made = crowd(4, n=120, n_images=9)
    result, rounds = found(made), resampling(made, 60)
    agreement = compute_agreement(made, Configuration())
    values, image_of = agreement.reliability.values, agreement.reliability.image_of
    drawn = np.concatenate(list(rounds.weights()), axis=1).astype(int)
    n_checked = 0
    for label in (-1, 0, 2):
        own = result.by_class.label == label
        estimates = result.overall if label < 0 else result.by_class.overall.take(own)
        raters = np.arange(5) if label < 0 else result.by_class.rater[own]
        for nth, rater in enumerate(raters):
            samples = [
                alpha_of(values, label, repeated)
                - alpha_of(without(values, rater), label, repeated)
                for weight in drawn.T
                for repeated in [np.repeat(np.arange(len(image_of)), weight[image_of])]
            ]
            [interval] = interval_of(
                np.array(samples)[:, None], estimates.n_images[nth : nth + 1]
            )
            assert estimates.low[nth] == pytest.approx(interval[0], abs=1e-9)
            assert estimates.high[nth] == pytest.approx(interval[1], abs=1e-9)
            n_checked += estimates.high[nth] > estimates.low[nth] + 0.01
    assert n_checked == 15


def without(values, rater):
    left = values.copy()
    left[rater] = UNASSIGNED
    return left


def alpha_of(values, label, unit):
    some = values[:, unit]
    if label >= 0:
        some = some[:, (some == label).any(axis=0)]
    return nominal_alpha(some, np.zeros(some.shape[1], int), 1)[0][0]


def test_two_raters_have_no_vitality(annotations):
    made = annotations("x ana: cat 1 1 9 9", "x ben: dog 1 1 9 9")
    assert len(problems(made, Configuration())) == 0
    result = found(made)
    for estimates in (result.mean, result.relative, result.overall):
        assert np.isnan(estimates.value).all()
        assert estimates.n_images.tolist() == [0, 0]
    assert len(result.by_class.rater) == 0
    assert plain(result)["mean"]["value"] == [None, None]


def test_pairs_of_raters_alone_are_no_images_of_three(annotations):
    # cho sees y only, with ben: matched again nothing is left, and where ben's row is
    # dropped nothing can be paired.
    made = annotations(
        "x ana: cat 1 1 9 9", "x ben: cat 1 1 9 9", "y ben: dog 1 1 9 9", "y cho:"
    )
    result = found(made)
    assert np.isnan(result.mean.value).all()
    assert result.mean.n_images.tolist() == [0, 0, 0]
    # (c c) (d -), 2/5; without ana (d -) 0, without cho (c c) 1.
    expected = [2 / 5, np.nan, 2 / 5 - 1]
    assert result.overall.value == pytest.approx(expected, nan_ok=True)
    assert result.overall.n_images.tolist() == [1, 0, 1]
    assert np.isnan(result.overall.low).all()  # one image tells nothing of others


def test_who_draws_nothing_counts_and_who_was_not_asked_does_not(annotations):
    made = annotations("x ana:", "x ben:", "x cho:", "y dan:")
    result = found(made)
    assert result.mean.value == pytest.approx([0, 0, 0, np.nan], nan_ok=True)
    assert result.mean.n_images.tolist() == [1, 1, 1, 0]
    lines = [f"{image} {rater}: cat 1 1 9 9" for image in "xy" for rater in "abcd"]
    made = annotations(*lines, "z a: dog 1 1 9 9", "z b:", "z c:", "z d:")
    asked = np.ones((4, 2), bool)
    asked[3, made.classes.index("dog")] = False
    result = found(replace(made, asked=asked))
    dan = result.by_class.rater == 3
    assert result.by_class.label[dan].tolist() == [0, 1]
    # d said nothing about dogs: with and without d their alpha is the same.
    assert result.by_class.mean.value[dan][1] == 0
