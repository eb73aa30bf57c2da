from dataclasses import replace

import numpy as np
import pytest
from diagnosing import find_vitality as found
from diagnosing import resampling
from random_data import crowd

from kalos_core import Annotations, Configuration, compute_agreement, diagnose
from kalos_core.alpha import nominal_alpha
from kalos_core.diagnostics import collaboration, dropped
from kalos_core.diagnostics.vitality import problems
from kalos_core.estimates import with_intervals
from kalos_core.model import UNASSIGNED
from kalos_core.plain import plain
from kalos_core.rematch import rematch


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
            one = estimates.take(np.array([nth]))
            expected = with_intervals(
                one.value, np.array(samples)[:, None], one.n_images
            )
            # Rounds are summed in single precision.
            assert one.low[0] == pytest.approx(expected.low[0], abs=1e-6)
            assert one.high[0] == pytest.approx(expected.high[0], abs=1e-6)
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
    # d said nothing about dogs, so that nothing can be said of d.
    for of_dogs in (result.by_class.mean, result.by_class.overall):
        assert np.isnan(of_dogs.value[dan][1])
        assert of_dogs.n_images[dan][1] == 0


def test_a_rater_who_was_never_asked_what_others_were_has_no_vitality(annotations):
    made = annotations(
        "x ana: cat 1 1 9 9", "x ben: cat 1 1 9 9", "x cho: owl 60 60 9 9"
    )
    asked = np.array([[True, False], [True, False], [False, True]])
    result = found(replace(made, asked=asked))
    for estimates in (result.mean, result.overall):
        assert np.isnan(estimates.value[2])
        assert estimates.n_images[2] == 0


@pytest.mark.parametrize("cells", [1, 3, 10])
@pytest.mark.parametrize("make", [crowd, lambda seed: asked_for_some(seed)])
def test_rows_are_dropped_a_few_values_at_a_time(cells, make, monkeypatch):
    expected = found(make(2)).overall, found(make(2)).by_class.overall
    monkeypatch.setattr(dropped, "CELLS", cells)
    result = found(make(2))
    for one, other in zip(
        (result.overall, result.by_class.overall), expected, strict=True
    ):
        assert one.value == pytest.approx(other.value, abs=1e-12, nan_ok=True)
        assert one.n_images.tolist() == other.n_images.tolist()


def asked_for_some(seed):
    """Return raters of whom some were asked for a part of the classes only."""
    made = crowd(seed, n=150, n_images=6)
    rng = np.random.default_rng(seed)
    asked = rng.random((made.n_raters, 3)) < 0.7
    asked[0] = True
    kept = np.flatnonzero(asked[made.rater, made.label])
    return Annotations(
        made.image[kept],
        made.rater[kept],
        made.label[kept],
        made.geometry.take(kept),
        made.annotation_id[kept],
        made.assigned,
        made.images,
        made.raters,
        made.classes,
        asked=asked,
    )


@pytest.mark.parametrize("seed", range(6))
def test_who_was_asked_for_some_classes_only_is_dropped_like_anyone_else(seed):
    made = asked_for_some(seed)
    result, agreement = found(made), compute_agreement(made, Configuration())
    values = agreement.reliability.values
    each = np.arange(values.shape[1])
    for rater in range(made.n_raters):
        expected = alpha_of(values, -1, each) - alpha_of(
            without(values, rater), -1, each
        )
        if not says(values, rater).any():
            expected = np.nan
        got = result.overall.value[rater]
        assert got == pytest.approx(expected, abs=1e-12, nan_ok=True)
    of_class = result.by_class
    for rater, label, got in zip(
        of_class.rater, of_class.label, of_class.overall.value, strict=True
    ):
        expected = alpha_of(values, label, each) - alpha_of(
            without(values, rater), label, each
        )
        if not (says(values, rater) & (values == label).any(axis=0)).any():
            expected = np.nan
        assert got == pytest.approx(expected, abs=1e-12, nan_ok=True)


def says(values, rater):
    """Return (U,) whether the rater has a value beside another's."""
    return (values[rater] != UNASSIGNED) & ((values != UNASSIGNED).sum(axis=0) >= 2)


@pytest.mark.parametrize("seed", range(6))
def test_all_of_a_diagnosis_copes_with_classes_not_asked_for(seed):
    made = asked_for_some(seed)
    agreement = compute_agreement(made, Configuration())
    rng = np.random.default_rng(0)
    result = diagnose(made, Configuration(), agreement, rng=rng, n_boot=5)
    pairs = collaboration.problems(made, Configuration())
    [expected] = rematch(made, Configuration(), [pairs])
    one, other = collaboration.raters_of(pairs)
    alpha, _ = expected.alpha()
    for a, b, got in zip(
        result.collaboration.a,
        result.collaboration.b,
        result.collaboration.mean.value,
        strict=True,
    ):
        theirs = alpha[(one == a) & (other == b)]
        theirs = theirs[~np.isnan(theirs)]
        mean = theirs.mean() if len(theirs) else np.nan
        assert got == pytest.approx(mean, abs=1e-12, nan_ok=True)


def test_three_raters_who_were_asked_for_other_things_are_diagnosed(annotations):
    made = annotations(
        "x ana: cat 1 1 9 9", "x ben: dog 60 60 9 9", "x cho: owl 30 1 9 9"
    )
    made = replace(made, asked=np.eye(3, dtype=bool))
    agreement = compute_agreement(made, Configuration())
    rng = np.random.default_rng(0)
    result = diagnose(made, Configuration(), agreement, rng=rng, n_boot=10)
    assert np.isnan(result.collaboration.mean.value).all()
    assert result.vitality.mean.n_images.tolist() == [0, 0, 0]
