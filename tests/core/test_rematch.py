import numpy as np
import pytest
from random_data import crowd

from kalos_core import Annotations, Configuration, compute_agreement, rematch
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
