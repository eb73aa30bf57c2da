import numpy as np
import pytest
from random_data import crowd

from kalos_core import (
    Configuration,
    KalosError,
    calibrate,
    compute_agreement,
    diagnose,
    measure_pairs,
    measured,
)
from kalos_core.pairs import BELOW_ONE

D_LOC = {"Boxes": "box_giou", "Polygons": "polygon_iou", "Keypoints": "keypoint_mpjpe"}


@pytest.mark.parametrize("kind", D_LOC)
@pytest.mark.parametrize("chunk", [10, 10**6])
def test_whoever_is_given_pairs_finds_the_same(kind, chunk, monkeypatch):
    monkeypatch.setattr(measured, "CHUNK", chunk)
    made, d_loc = crowd(1, kind=kind), D_LOC[kind]
    pairs = measure_pairs(made, d_loc)
    assert pairs.tau == BELOW_ONE
    configuration = Configuration(d_loc, 0.6)
    found, expected = (
        compute_agreement(made, configuration, measured=given)
        for given in (pairs, None)
    )
    assert np.array_equal(found.alpha, expected.alpha, equal_nan=True)
    assert np.array_equal(found.reliability.unit_of, expected.reliability.unit_of)
    found, expected = (
        calibrate(made, d_loc, rng=np.random.default_rng(0), measured=given)
        for given in (pairs, None)
    )
    assert np.array_equal(found.d_o, expected.d_o)
    agreement = compute_agreement(made, configuration)
    found, expected = (
        diagnose(
            made,
            configuration,
            agreement,
            rng=np.random.default_rng(0),
            n_boot=3,
            measured=given,
        ).as_json()
        for given in (pairs, None)
    )
    assert found == expected


def test_too_many_pairs_are_not_kept(monkeypatch):
    made = crowd(2)
    n_pairs = len(measure_pairs(made, "box_iou").pairs)
    monkeypatch.setattr(measured, "MOST", n_pairs)
    assert measure_pairs(made, "box_iou") is not None
    monkeypatch.setattr(measured, "MOST", n_pairs - 1)
    assert measure_pairs(made, "box_iou") is None
    monkeypatch.setattr(measured, "CHUNK", 10)
    calls = []
    monkeypatch.setattr(measured, "MOST", 1)
    assert measure_pairs(made, "box_iou", progress=lambda *at: calls.append(at)) is None
    assert not calls  # given up after the first images


def test_progress_ends_with_all():
    made, calls = crowd(2), []
    measure_pairs(made, "box_iou", progress=lambda *at: calls.append(at))
    assert calls[-1] == (len(made), len(made))


def test_pairs_of_something_else_are_refused():
    made = crowd(3)
    pairs = measure_pairs(made, "box_iou", 0.4)
    compute_agreement(made, Configuration(tau=0.4), measured=pairs)
    with pytest.raises(KalosError, match="same annotations and of 'box_giou', got"):
        compute_agreement(made, Configuration("box_giou", 0.3), measured=pairs)
    with pytest.raises(KalosError, match="must be of the same annotations"):
        compute_agreement(crowd(3), Configuration(tau=0.4), measured=pairs)


@pytest.mark.parametrize("tau", [0.5, 1.0])
def test_whoever_needs_more_measures_anew(tau):
    made = crowd(3)
    for pairs in (measure_pairs(made, "box_iou", 0.4), measure_pairs(made, "box_iou")):
        found, expected = (
            compute_agreement(made, Configuration(tau=tau), measured=given)
            for given in (pairs, None)
        )
        assert np.array_equal(found.alpha, expected.alpha, equal_nan=True)


def test_a_pair_at_exactly_tau_is_kept(annotations):
    # Overlap 7 of 10: 1 - 0.7 is a little more than 0.3 in binary numbers.
    made = annotations("ana: cat 0 0 10 7", "ben: cat 0 0 10 10")
    pairs = measure_pairs(made, "box_iou")
    found = compute_agreement(made, Configuration(tau=0.3), measured=pairs)
    assert found.mean_alpha == 1


@pytest.mark.parametrize("tau", [-0.1, 2, float("nan")])
def test_thresholds_that_are_no_distance_are_refused(tau):
    with pytest.raises(KalosError, match="tau is a distance between 0 and 1, got"):
        measure_pairs(crowd(3), "box_iou", tau)


def test_nothing_drawn_has_no_pairs(annotations):
    made = annotations("x ana:", "x ben:")
    pairs = measure_pairs(made, "box_iou")
    assert len(pairs.pairs) == 0
    assert compute_agreement(made, Configuration(), measured=pairs).mean_alpha == 1
