"""The relabel queue: by hand, and against repairing the matrix."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from random_data import crowd
from test_consensus_random import shuffled
from test_repair import random_matrix, repaired_value

from kalos_core import (
    UNASSIGNED,
    Configuration,
    KalosError,
    compute_agreement,
    nominal_alpha,
    relabel_queue,
    unit_kinds,
)
from kalos_core.diagnostics.repair import repair_steps


def queue(made, tau=0.5, **options):
    agreement = compute_agreement(made, Configuration(tau=tau))
    kinds = unit_kinds(made, agreement)
    return agreement, relabel_queue(made, agreement, kinds, **options)


@pytest.fixture
def pets(annotations):
    """In x two miss a cat; in y a cat is a dog to cho; z is agreed; w has ana only."""
    return annotations(
        "x ana: cat 0 0 9 9",
        "x ben:",
        "x cho:",
        "x ana: cat 50 50 9 9",
        "x ben: cat 50 50 9 9",
        "x cho: cat 50 50 9 9",
        "y ana: cat 0 0 9 9",
        "y ben: cat 0 0 9 9",
        "y cho: dog 0 0 9 9",
        "z ana: cat 0 0 9 9",
        "z ben: cat 0 0 9 9",
        "w ana: cat 0 0 9 9",
    )


def test_images_by_hand(pets):
    agreement, found = queue(pets)
    # x: n = 6, cats 4, nothing 2; agreeing 2 * 1 / 2 + 3: (5 * 4 - 14) / (30 - 14).
    # y: cat cat dog is 0. Three images are defined.
    assert agreement.alpha[1:3] == pytest.approx([6 / 16, 0])
    assert [pets.images[n] for n in found.image] == ["y", "x"]
    assert found.gain == pytest.approx([1 / 3, 10 / 16 / 3])
    assert found.mean_alpha == pytest.approx((6 / 16 + 0 + 1) / 3)
    assert found.expected[-1] == pytest.approx(1)
    assert found.minutes.tolist() == [1, 1]
    assert found.reason == ("'cat' against 'dog'", "drawn only by ana")
    assert found.first.tolist() == [0, 1, 2]
    assert found.n_candidates == 2
    assert queue(pets, n=1)[1].image.tolist() == found.image[:1].tolist()


def test_units_by_hand(pets):
    _, found = queue(pets, by="unit", minutes_per_image=2, minutes_per_unit=0.25)
    assert found.gain == pytest.approx([1 / 3, 10 / 16 / 3])
    assert found.minutes.tolist() == [2.25, 2.25]
    assert [found.units(n).tolist() for n in range(2)] == found.unit[:, None].tolist()


def test_opening_an_image_is_paid_once(annotations):
    # Two misses of one class: the first is worth 0.25, the second 1; see repair_steps.
    made = annotations(
        *(f"x {r}: cat {x} 0 9 9" for r in ("ana", "ben") for x in (0, 50)), "x cho:"
    )
    agreement, found = queue(made, by="unit", minutes_per_image=3, minutes_per_unit=1)
    assert agreement.alpha.tolist() == pytest.approx([-0.25])
    assert found.minutes.tolist() == [4, 1]
    assert found.gain.tolist() == pytest.approx([0.25, 1])
    assert found.expected.tolist() == pytest.approx([0, 1])
    _, whole = queue(made, by="image", minutes_per_image=3, minutes_per_unit=1)
    assert whole.minutes.tolist() == [5]
    assert sorted(whole.units(0).tolist()) == sorted(found.unit.tolist())
    assert whole.reason == ("missed by cho (2 units)",)
    assert len(queue(made, by="image", minutes=1.4)[1]) == 0
    assert len(queue(made, by="image", minutes=1.5)[1]) == 1


@pytest.mark.parametrize("seed", range(25))
def test_steps_are_those_of_repairing_the_matrix(seed):
    matrix, n_images = random_matrix(seed)
    rank = np.arange(matrix.n_units)[::-1]
    steps = repair_steps(matrix, n_images, rank)
    values = matrix.values.copy()
    asked = values != UNASSIGNED
    for image, unit, gain in zip(steps.image, steps.unit, steps.gain, strict=True):
        before, _ = nominal_alpha(values, matrix.image_of, n_images)
        possible = {}
        for other in np.flatnonzero(matrix.image_of == image).tolist():
            said = values[asked[:, other], other]
            if len(said) >= 2 and len(set(said.tolist())) > 1:
                again = values.copy()
                value = repaired_value(values, matrix.image_of, other)
                again[asked[:, other], other] = value
                after, _ = nominal_alpha(again, matrix.image_of, n_images)
                possible[other] = after[image] - before[image], again
        most = max(rise for rise, _ in possible.values())
        assert possible[unit][0] == pytest.approx(gain, abs=1e-9)
        assert gain == pytest.approx(most, abs=1e-9)
        tied = [u for u, (rise, _) in possible.items() if rise > most - 1e-10]
        assert unit == max(tied)  # the first by rank
        values = possible[unit][1]
    alpha, _ = nominal_alpha(values, matrix.image_of, n_images)
    assert alpha[~np.isnan(alpha)] == pytest.approx(1)


@pytest.mark.parametrize("by", ["image", "unit"])
@pytest.mark.parametrize("seed", range(8))
def test_the_whole_queue_leads_to_one(seed, by):
    made = crowd(seed)
    agreement, found = queue(made, 0.8, by=by)
    assert found.expected[-1] == pytest.approx(1)
    assert found.gain.sum() == pytest.approx(1 - agreement.mean_alpha)
    values = agreement.reliability.values
    disputed = [len(set(v[v != UNASSIGNED].tolist())) > 1 for v in values.T]
    assert sorted(found.unit.tolist()) == np.flatnonzero(disputed).tolist()
    assert (agreement.reliability.image_of[found.unit]
            == np.repeat(found.image, np.diff(found.first))).all()  # fmt: skip
    assert all(found.reason)


@pytest.mark.parametrize("seed", range(8))
def test_some_images_are_the_best_that_so_many_can_be(seed):
    made = crowd(seed, n_images=8, n=150)
    agreement, whole = queue(made, 0.8)
    lacking = np.nan_to_num(1 - agreement.alpha)
    for n in range(1, len(whole) + 1):
        _, found = queue(made, 0.8, n=n)
        best = max(sum(c) for c in itertools.combinations(lacking, n))
        n_defined = (~np.isnan(agreement.alpha)).sum()
        assert found.gain.sum() == pytest.approx(best / n_defined)
        assert found.image.tolist() == whole.image[:n].tolist()


@pytest.mark.parametrize("by", ["image", "unit"])
@pytest.mark.parametrize("seed", range(6))
def test_minutes_are_kept_and_spent_well(seed, by):
    made = crowd(seed, n_images=8, n=150)
    _, whole = queue(made, 0.8, by=by, minutes=1e6)
    last = 0.0
    for minutes in (1, 2, 4, 8, 16, 1e6):
        _, found = queue(made, 0.8, by=by, minutes=minutes)
        assert found.minutes.sum() <= minutes + 1e-9
        assert found.gain.sum() >= last / 2  # of what fewer minutes can reach
        assert found.gain.sum() <= whole.gain.sum() + 1e-12
        last = max(last, found.gain.sum())
    assert last == pytest.approx(whole.gain.sum())


def rows(made, agreement, found):
    """Return entries without indices: names, numbers and what was drawn."""
    unit_of = agreement.reliability.unit_of
    drawn = [
        sorted(
            sorted(made.geometry.xywh[unit_of == u].tolist())
            for u in found.units(n).tolist()
        )
        for n in range(len(found))
    ]
    return [
        (made.images[image], round(gain, 9), minutes, drawn[n], found.reason[n])
        for n, (image, gain, minutes) in enumerate(
            zip(found.image, found.gain.tolist(), found.minutes.tolist(), strict=True)
        )
    ]


@pytest.mark.parametrize("options", [{}, {"n": 3}, {"minutes": 12}])
@pytest.mark.parametrize("by", ["image", "unit"])
@pytest.mark.parametrize("seed", range(5))
def test_no_order_matters(seed, by, options):
    rng, made = np.random.default_rng(seed), crowd(seed)
    expected = rows(made, *queue(made, 0.8, by=by, **options))
    assert expected
    for _ in range(3):
        other, _ = shuffled(made, rng)
        assert rows(other, *queue(other, 0.8, by=by, **options)) == expected


def test_ties_go_by_name(annotations):
    said = (("ana", "cat"), ("ben", "dog"))
    lines = [f"{n} {rater}: {label} 0 0 9 9" for n in "bca" for rater, label in said]
    made = annotations(*lines)
    _, found = queue(made)
    assert [made.images[n] for n in found.image] == ["a", "b", "c"]
    other = replace(made, images=("c", "a", "b"))
    _, found = queue(other)
    assert [other.images[n] for n in found.image] == ["a", "b", "c"]


def test_reasons_in_words(annotations):
    made = annotations(
        "x ana: cat 0 0 9 9",
        "x ben: cat 0 0 9 9",
        "x cho: dog 0 0 9 9",
        "x dee: <b>'$.owl' 0 0 9 9",
        "x eve:",
        "x fay:",
        "y ana: cat 0 0 40 20",  # of ben's two
        "y ben: cat 0 0 20 20",
        "y ben: cat 20 0 20 20",
    )
    _, found = queue(made)
    assert found.reason[found.image.tolist().index(0)] == (
        "'cat' against '<b>'$.owl'' against 'dog'; missed by eve and fay"
    )
    assert "split or merged" in found.reason[found.image.tolist().index(1)]


@pytest.mark.parametrize("lines", [["x ana:", "x ben:"], ["x ana: cat 0 0 9 9"]])
@pytest.mark.parametrize("by", ["image", "unit"])
def test_nothing_to_do(annotations, lines, by):
    for options in ({}, {"n": 5}, {"minutes": 9}):
        _, found = queue(annotations(*lines), by=by, **options)
        assert len(found) == len(found.unit) == found.n_candidates == 0
        assert found.first.tolist() == [0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": "rater"}, "by must be one of image, unit; got 'rater'"),
        ({"n": 1, "minutes": 1}, "not both"),
        ({"n": 0}, "n must be at least 1"),
        ({"minutes": 0}, "above 0, got 0"),
        ({"minutes": np.nan}, "above 0"),
        ({"minutes_per_unit": -1}, "not be below 0"),
        ({"minutes_per_unit": 0, "minutes_per_image": 0}, "one of them above"),
    ],
)
def test_bad_arguments(pets, options, words):
    with pytest.raises(KalosError, match=words):
        queue(pets, **options)


def test_kinds_of_another_run_are_refused(pets, annotations):
    agreement = compute_agreement(pets, Configuration())
    other = annotations("x ana: cat 0 0 9 9")
    kinds = unit_kinds(other, compute_agreement(other, Configuration()))
    with pytest.raises(KalosError, match="kinds must be of the 5 units"):
        relabel_queue(pets, agreement, kinds)
