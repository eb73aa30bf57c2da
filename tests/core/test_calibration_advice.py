"""What is said of a calibration."""

from types import SimpleNamespace

import numpy as np
import pytest

from kalos_core import Interval, advise, customary_tau


def calibration(**changes):
    spread = np.linspace(0, 1, 100)
    return SimpleNamespace(
        **{
            "d_loc": "box_iou",
            "ks": 0.8,
            "tau_star": 0.48,
            "status": "crossing",
            "ks_at": 0.47,
            "d_e": spread,
        }
        | changes
    )


def bootstrap(low=None, high=None, n_determined=100, ks=(0.75, 0.85)):
    interval = None if low is None else Interval(low, high)
    return SimpleNamespace(
        tau_interval=interval,
        ks_interval=Interval(*ks),
        n_boot=100,
        n_determined=n_determined,
    )


def stratum(size, tau_star):
    return SimpleNamespace(size=size, separation=SimpleNamespace(tau_star=tau_star))


@pytest.mark.parametrize(
    ("d_loc", "interval", "expected"),
    [
        ("box_iou", (0.4, 0.6), 0.5),
        ("box_iou", (0.2, 0.6), 0.5),  # 0.75 lies in it too, and is less usual
        ("mask_iou", (0.2, 0.3), 0.25),
        ("keypoint_oks", (0.7, 0.8), 0.75),
        ("volume_iou", (0.5, 0.5), 0.5),
        ("box_iou", (0.52, 0.6), None),
        ("box_centroid_l2", (0.4, 0.6), None),  # nobody uses 0.5 for these
        ("polygon_giou", (0.4, 0.6), None),
    ],
)
def test_the_most_usual_threshold_in_the_interval(d_loc, interval, expected):
    assert customary_tau(d_loc, Interval(*interval)) == expected


def test_no_interval_no_customary_threshold():
    assert customary_tau("box_iou", None) is None


def test_a_crossing_near_a_customary_threshold():
    first, second = advise(calibration(), bootstrap(0.46, 0.51))
    assert first.startswith("tau* = 0.480 (95 % interval 0.460 to 0.510): pairs that")
    assert second.startswith("The customary threshold 0.5 (tau = 0.5) lies in the inte")


def test_a_valley_is_called_one():
    (only,) = advise(calibration(status="valley"), bootstrap(0.41, 0.49))
    assert "0.480 (95 % interval 0.410 to 0.490) is the valley" in only


def test_undetermined_leaves_the_choice_and_gives_the_place_of_ks():
    made = calibration(status="undetermined", tau_star=None)
    (only,) = advise(made, bootstrap(n_determined=20))
    assert "determine no threshold" in only
    assert "Choose one yourself; the two samples part best at 0.470." in only


def test_rounds_that_found_nothing_are_told():
    *_, last = advise(calibration(), bootstrap(0.46, 0.49, n_determined=60))
    assert last.startswith("40 of 100 resampled data sets determine no threshold")


def test_of_an_invalid_distance_nothing_else_is_said():
    made = calibration(ks=-0.3)
    (only,) = advise(made, bootstrap(0.46, 0.49, ks=(-0.4, -0.2)), [stratum("a", 0.5)])
    assert only.startswith("box_iou is not valid here")
    assert only.endswith("Choose another distance.")


def test_undetermined_is_all_that_is_said_even_where_rounds_found_something():
    made = calibration(status="undetermined", tau_star=None)
    assert len(advise(made, bootstrap(0.4, 0.6, n_determined=60))) == 1


def test_chance_that_hardly_varies_is_told():
    # Of 200 distances two are nearer than 1.
    chance = np.r_[np.ones(198), 0.9, 0.8]
    *_, last = advise(calibration(d_e=chance), bootstrap(0.46, 0.49))
    assert last.startswith("99.0% of D_e is 1: chance hardly ever comes nearer")
    assert "up to 2 of 200 distances" in last
    assert len(advise(calibration(d_e=chance[150:]), bootstrap(0.46, 0.49))) == 2
    assert len(advise(calibration(d_e=chance[170:]), bootstrap(0.46, 0.49))) == 1


@pytest.mark.parametrize(
    ("large", "said"),
    [
        (0.45, "0.050 apart: one threshold serves both."),
        (0.3, "0.200 apart: one threshold is either too strict for small objects or"),
    ],
)
def test_sizes_are_compared_with_each_other(large, said):
    strata = [stratum("small", 0.5), stratum("medium", None), stratum("large", large)]
    strata.append(SimpleNamespace(size="none", separation=None))
    *_, last = advise(calibration(), bootstrap(0.46, 0.49), strata)
    assert last.startswith(
        "By themselves small objects would give tau* = 0.500 and lar"
    )
    assert said in last


def test_one_size_alone_is_not_compared():
    strata = [stratum("small", 0.9), stratum("large", None)]
    assert len(advise(calibration(), bootstrap(0.46, 0.49), strata)) == 1
