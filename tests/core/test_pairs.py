import itertools

import numpy as np
import pytest
from random_data import crowd

from kalos_core import (
    DISTANCES,
    Annotations,
    Boxes,
    Features,
    KalosError,
    Polygons,
    pairs,
    ranges,
)


def test_pairs_are_of_one_image_and_two_raters_within_tau(annotations, monkeypatch):
    made = annotations(
        "x ana: cat 0 0 10 10",
        "x ana: cat 1 0 10 10",  # same rater: never a pair
        "x ben: dog 2 0 10 10",
        "x cho: cat 80 80 10 10",  # too far
        "y ben: cat 0 0 10 10",  # other image
    )
    found = pairs.candidate_pairs(made, "box_iou", 0.5)
    ids = [
        (str(made.annotation_id[k]), str(made.annotation_id[l]))
        for k, l in zip(found.k, found.l, strict=True)
    ]
    assert ids == [("a0000", "a0002"), ("a0001", "a0002")]
    assert found.d_loc.round(6).tolist() == [round(1 - 8 / 12, 6), round(1 - 9 / 11, 6)]
    assert found.d_cls.tolist() == [1, 1]


def test_distance_equal_to_tau_is_kept(annotations):
    made = annotations("ana: cat 0 0 10 10", "ben: cat 0 0 10 5")
    assert len(pairs.candidate_pairs(made, "box_iou", 0.5)) == 1
    assert len(pairs.candidate_pairs(made, "box_iou", 0.5 - 1e-15)) == 0
    made = annotations("ana: cat 0 0 10 10", "ben: cat 0 0 10 7")
    assert 1 - 0.7 > 0.3  # IoU 0.7 is at distance 0.3 all the same
    assert len(pairs.candidate_pairs(made, "box_iou", 0.3)) == 1
    assert len(pairs.candidate_pairs(made, "box_iou", 0.3 - 1e-15)) == 0


def at_exactly_tau(made, d_loc):
    """Return how many pairs there are at the distance of the last two annotations."""
    last = np.array([len(made) - 2]), np.array([len(made) - 1])
    (tau,) = DISTANCES[d_loc].measure(made.geometry, *last)
    return len(pairs.candidate_pairs(made, d_loc, float(tau)))


@pytest.mark.parametrize("crowd", [0, 100])  # swept, and looked at
@pytest.mark.parametrize("turned", [False, True])
def test_windows_lose_no_pair_at_exactly_tau_to_rounding(
    annotations, crowd, turned, monkeypatch
):
    # Windows reach half of tau around centres, so that those of two boxes exactly tau
    # apart just touch, or by rounding do not.
    monkeypatch.setattr(pairs, "CROWD", crowd)
    for one, other in itertools.combinations(range(0, 60, 3), 2):
        boxes = [
            f"{rater}: cat {f'54 {x}' if turned else f'{x} 54'} 10 10"
            for rater, x in (("ana", one), ("ben", other))
        ]
        assert at_exactly_tau(annotations(*boxes), "box_centroid_l2") == 1
        later = annotations("x ana: cat 10 10 10 10", *(f"y {box}" for box in boxes))
        assert at_exactly_tau(later, "box_centroid_l2") == 1


@pytest.mark.parametrize("d_loc", [n for n, d in DISTANCES.items() if d.bound])
@pytest.mark.parametrize("seed", range(20))
def test_a_bound_loses_no_pair_at_exactly_tau_to_rounding(d_loc, seed):
    # Of a triangle in another one all overlaps, so that the bound is the distance
    # itself, but for the last bits.
    triangle = np.random.default_rng(seed).random((3, 2))
    inner = triangle.mean(axis=0) + (triangle - triangle.mean(axis=0)) / 2
    made = Annotations(
        image=[0, 0],
        rater=[0, 1],
        label=[0, 0],
        geometry=Polygons.from_rings([triangle, inner], [0, 1], 2),
        annotation_id=["outer", "inner"],
        assigned=[[True, True]],
        images=["x"],
        raters=["ana", "ben"],
        classes=["a"],
    )
    assert at_exactly_tau(made, d_loc) == 1


def test_tau_one_keeps_pairs_that_do_not_touch(annotations):
    made = annotations("ana: cat 0 0 10 10", "ben: cat 90 90 5 5")
    assert len(pairs.candidate_pairs(made, "box_iou", 1.0)) == 1


def test_chunks_do_not_change_the_pairs(annotations, monkeypatch):
    rng = np.random.default_rng(1)
    lines = [
        f"{image} {rater}: cat {x} {y} 20 20"
        for image, rater in itertools.product("xyz", ["ana", "ben", "cho"])
        for x, y in rng.integers(0, 60, (rng.integers(0, 5), 2))
    ]
    made = annotations(*lines)
    whole = pairs.candidate_pairs(made, "box_iou", 1.0)
    expected = {
        (k, l)
        for k, l in itertools.combinations(range(len(made)), 2)
        if made.image[k] == made.image[l] and made.rater[k] != made.rater[l]
    }
    assert set(zip(whole.k.tolist(), whole.l.tolist(), strict=True)) == expected
    for chunk in (1, 3, 7):
        monkeypatch.setattr(ranges, "CHUNK", chunk)
        chunked = pairs.candidate_pairs(made, "box_iou", 1.0)
        assert np.array_equal(chunked.k, whole.k)
        assert np.array_equal(chunked.l, whole.l)
        assert np.array_equal(chunked.d_loc, whole.d_loc)


@pytest.mark.parametrize(
    ("d_loc", "tau"),
    [
        ("box_iou", 0.8),
        ("box_iou", np.nextafter(1, 0)),
        ("box_centroid_l2", 4 / 25 / 2**0.5),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_a_sweep_finds_the_pairs_that_looking_at_all_finds(
    seed, d_loc, tau, monkeypatch
):
    rng = np.random.default_rng(seed)
    n = 200
    # On a coarse grid many edges touch exactly.
    xywh = np.hstack([rng.integers(0, 20, (n, 2)), rng.integers(1, 6, (n, 2))]) / 25
    made = Annotations(
        image=rng.integers(0, 6, n),
        rater=rng.integers(0, 4, n),
        label=rng.integers(0, 2, n),
        geometry=Boxes(xywh),
        annotation_id=[f"{k:03}" for k in range(n)],
        assigned=np.ones((6, 4), bool),
        images=list("abcdef"),
        raters=list("rstu"),
        classes=["cat", "dog"],
    )
    found = {}
    for most in (0, 33, n):  # all are swept, some are, none is
        monkeypatch.setattr(pairs, "CROWD", most)
        made_pairs = pairs.candidate_pairs(made, d_loc, tau)
        found[most] = list(zip(made_pairs.k, made_pairs.l, strict=True))
    assert found[0] == found[33] == found[n]
    assert len(found[n]) > 20
    monkeypatch.setattr(pairs, "touching_pairs", lambda made, _: pairs._all(made))
    assert len(pairs.candidate_pairs(made, d_loc, tau)) == len(found[n])


def test_nothing_to_pair(annotations):
    assert len(pairs.candidate_pairs(annotations("ana:", "ben:"), "box_iou", 0.5)) == 0


@pytest.mark.parametrize("crowd_size", [0, 100])
def test_windows_without_end_lose_no_pair(crowd_size, monkeypatch):
    monkeypatch.setattr(pairs, "CROWD", crowd_size)
    rng = np.random.default_rng(0)
    values = rng.random((160, 4))
    values[:, 2:] = values[:, :2] + 0.1

    def near(shapes, k, l):
        return np.abs(shapes.values[k, 0] - shapes.values[l, 0]).clip(0, 1)

    def window(shapes, tau):
        found = shapes.values + tau * np.array([-1, -1, 1, 1])
        found[::10, :2], found[::10, 2:] = -np.inf, np.inf
        found[:, [1, 3]] = [-np.inf, np.inf]
        return found

    made = Annotations(
        image=np.repeat([0, 1], 80),
        rater=np.arange(160) % 3,
        label=np.zeros(160, int),
        geometry=Features(values),
        annotation_id=[f"{n:03}" for n in range(160)],
        assigned=np.ones((2, 3), bool),
        images=["x", "y"],
        raters=["a", "b", "c"],
        classes=["z"],
    )
    with monkeypatch.context() as patch:
        for name, given in (("with", window), ("without", lambda *_: None)):
            entry = type(DISTANCES["box_iou"])(near, Features, given, None, False)
            patch.setitem(DISTANCES, name, entry)
        found, expected = (
            pairs.candidate_pairs(made, name, 0.05) for name in ("with", "without")
        )
    assert len(expected) > 300
    assert found.k.tolist() == expected.k.tolist()
    assert found.l.tolist() == expected.l.tolist()


def test_a_window_for_some_is_refused(monkeypatch):
    entry = type(DISTANCES["box_iou"])(
        DISTANCES["box_iou"].measure, Boxes, lambda *_: np.ones((1, 4)), None, False
    )
    monkeypatch.setitem(DISTANCES, "short", entry)
    with pytest.raises(KalosError, match=r"must have shape \(\d+, 4\), got \(1, 4\)"):
        pairs.candidate_pairs(crowd(1), "short", 0.5)


def test_one_box_far_away_does_not_make_all_others_touch():
    made = crowd(1, n=90, n_images=2)
    xywh = made.geometry.xywh.copy()
    window = pairs.widened(Boxes(xywh).bounds())
    k, l = np.triu_indices(len(xywh), 1)
    usual = len(pairs.Coarse(window).touching(k, l)[0])
    window[0] = [1e5, 1e5, 1e5 + 1, 1e5 + 1]
    assert len(pairs.Coarse(window).touching(k, l)[0]) <= usual
    assert usual < len(k) / 2
