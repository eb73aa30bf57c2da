from dataclasses import replace

import numpy as np
import pytest
from random_data import crowd

from kalos_core import (
    Annotations,
    Boxes,
    Configuration,
    KalosError,
    compute_agreement,
    rematch,
)
from kalos_core.class_sums import PerClass, class_sums
from kalos_core.diagnostics import collaboration, vitality
from kalos_core.rematch import Problems


def of_some(made, image, member):
    """Return one image as its members alone labelled it, built from scratch."""
    own = (made.image == image) & member[made.rater]
    return Annotations(
        image=np.zeros(int(own.sum()), int),
        rater=made.rater[own],
        label=made.label[own],
        geometry=made.geometry.take(np.flatnonzero(own)),
        annotation_id=made.annotation_id[own],
        assigned=member[None],
        images=["x"],
        raters=made.raters,
        classes=made.classes,
    )


def random_problems(made, rng, tau):
    image = np.sort(rng.integers(0, made.n_images, 40))
    member = made.assigned[image] & (rng.random((40, made.n_raters)) < 0.7)
    return Problems(image, member, (tau,))


@pytest.mark.parametrize("kind", ["Boxes", "Polygons", "Masks"])
@pytest.mark.parametrize("solver", ["greedy", "shm", "ahc"])
def test_problems_are_matched_as_if_they_were_all_there_is(kind, solver, monkeypatch):
    made = crowd(1, kind=kind)
    d_loc = {"Boxes": "box_iou", "Polygons": "polygon_iou", "Masks": "mask_iou"}[kind]
    rng = np.random.default_rng(2)
    sets = [random_problems(made, rng, tau) for tau in (0.4, 0.9)]
    whole = rematch.rematch(made, Configuration(d_loc, solver=solver), sets)
    for problems, found in zip(sets, whole, strict=True):
        configuration = Configuration(d_loc, *problems.taus, solver)
        alpha, _ = found.alpha()
        assert np.isfinite(alpha).sum() > 10
        for n in range(len(problems)):
            one = of_some(made, problems.image[n], problems.member[n])
            expected = compute_agreement(one, configuration).alpha[0]
            assert alpha[n] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    monkeypatch.setattr(rematch, "CHUNK", 10)
    monkeypatch.setattr(rematch, "COPIES", 100)
    in_parts = rematch.rematch(made, Configuration(d_loc, solver=solver), sets)
    for one, other in zip(whole, in_parts, strict=True):
        assert np.array_equal(one.alpha()[0], other.alpha()[0], equal_nan=True)


def test_all_raters_at_tau_are_the_agreement_itself():
    made = crowd(3)
    agreement = compute_agreement(made, Configuration())
    everyone = Problems(np.arange(made.n_images), made.assigned, (0.5,))
    [sums] = rematch.rematch(made, Configuration(), [everyone])
    assert np.array_equal(sums.alpha()[0], agreement.alpha, equal_nan=True)
    together = sums.summed(np.zeros(len(sums), int), 1)
    assert together.alpha()[0][0] == agreement.global_alpha


def test_nothing_to_match(annotations):
    made = annotations("x ana:", "x ben:", "y ana:")
    everyone = Problems(np.arange(2), made.assigned, (0.5,))
    [sums] = rematch.rematch(made, Configuration(), [everyone])
    assert np.array_equal(sums.alpha()[0], [1, np.nan], equal_nan=True)
    assert rematch.rematch(made, Configuration(), []) == []


def test_what_is_known_is_not_matched_again(monkeypatch):
    made = crowd(4)
    rng = np.random.default_rng(5)
    configuration = Configuration()
    everyone = Problems(np.arange(made.n_images), made.assigned, (0.5,))
    mixed = random_problems(made, rng, 0.5)
    mixed = mixed.where(mixed.image != 2)  # in which nobody drew
    some = rng.random(len(mixed)) < 0.5
    member = np.where(some[:, None], made.assigned[mixed.image], mixed.member)
    sets = [Problems(mixed.image, member, (tau,)) for tau in (0.5, 0.3)]
    [known] = rematch.rematch(made, configuration, [everyone])
    expected = rematch.rematch(made, configuration, [everyone, *sets])
    counted = []
    found = rematch.rematch(
        made,
        configuration,
        [everyone, *sets],
        progress=lambda done, total: counted.append((done, total)),
        known=known,
    )
    for one, other in zip(expected, found, strict=True):
        assert np.array_equal(one.alpha()[0], other.alpha()[0], equal_nan=True)
    is_whole = (member == made.assigned[mixed.image]).all(axis=1)
    n_left = int((~is_whole).sum()) + len(mixed)  # at the other tau all are matched
    assert counted[-1] == (n_left, n_left)
    assert n_left < 2 * len(mixed)


@pytest.mark.parametrize("solver", ["greedy", "shm"])
@pytest.mark.parametrize("psi", ["soft", "neg"])
@pytest.mark.parametrize("rounded", [False, True])
def test_rising_thresholds_are_each_matched_as_by_itself(solver, psi, rounded):
    configuration, taus = Configuration(solver=solver, psi=psi), (0.2, 0.5, 0.8, 1.0)
    for seed in range(12):
        made = crowd(seed, n=80, n_images=3)
        if rounded:  # many ties
            made = replace(made, geometry=Boxes(np.round(made.geometry.xywh, 1) + 0.1))
        members = made.assigned
        together = rematch.rematch(
            made, configuration, [Problems(np.arange(3), members, taus)]
        )
        for tau, found in zip(taus, together, strict=True):
            expected = compute_agreement(made, replace(configuration, tau=tau))
            assert np.array_equal(found.alpha()[0], expected.alpha, equal_nan=True)


def test_taus_must_rise():
    with pytest.raises(KalosError, match=r"taus must rise, got \(0\.5, 0\.2\)"):
        Problems(np.arange(1), np.ones((1, 2)), (0.5, 0.2))


def blank_images(annotations):
    drawn = [f"{n} ana: cat 1 1 9 9" for n in "pq"] + [f"{n} ben:" for n in "pq"]
    blank = [f"{image} {who}:" for image in "abcd" for who in ("ana", "ben")]
    return annotations(*drawn, *blank, "c cho:", "d cho:", "q cho: dog 1 1 9 9")


def test_images_in_which_nobody_drew_are_matched_once(annotations):
    made, calls = blank_images(annotations), []
    everyone = Problems(np.arange(6), made.assigned, (0.3, 0.5))
    for sums in rematch.rematch(
        made,
        Configuration(),
        [everyone],
        progress=lambda *at: calls.append(at),
    ):
        # Blank ones of two and of three, and (c -) and (c - d) with nobody at one.
        assert sums.alpha()[0] == pytest.approx([1, 1, 1, 1, 0, 0], abs=1e-12)
        assert sums.n.tolist() == [2, 2, 3, 3, 2, 3]
    assert calls[-1] == (4, 4)


def test_their_classes_are_repeated_as_well(annotations):
    made, by_class = blank_images(annotations), PerClass()
    everyone = Problems(np.arange(6), made.assigned, (0.5,))
    [sums] = rematch.rematch(made, Configuration(), [everyone], [by_class])
    found = by_class.of(sums)
    expected = class_sums(compute_agreement(made, Configuration()).reliability)
    for name in ("image", "label", "n_units"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert np.array_equal(found.sums.n_c, expected.sums.n_c)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_three_raters_are_what_vitality_leaves(seed):
    made, configuration = crowd(seed, n=400, n_images=40), Configuration()
    left_out = vitality.problems(made, configuration)
    in_pairs = collaboration.problems(made, configuration)
    matched, by_class = collaboration.among_others(made, in_pairs), PerClass()
    without, some = rematch.rematch(
        made,
        configuration,
        [left_out, in_pairs.where(matched)],
        [by_class, rematch.per_problem],
    )
    found = collaboration.with_left_out(some, matched, left_out, by_class.of(without))
    [expected] = rematch.rematch(made, configuration, [in_pairs])
    assert 0 < matched.sum() < len(matched)
    assert np.array_equal(found.alpha()[0], expected.alpha()[0], equal_nan=True)
    assert np.array_equal(found.n_c, expected.n_c)
