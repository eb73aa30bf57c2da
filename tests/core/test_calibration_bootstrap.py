"""Intervals of tau* and KS over images, and calibration by size."""

import numpy as np
import pytest
from random_data import rated_boxes

from kalos_core import bootstrap_calibration, calibrate, calibrate_by_size
from kalos_core.calibration.bootstrap import bootstrap_samples
from kalos_core.calibration.separation import separate
from kalos_core.calibration.strata import LIMITS


def betas(rng, n_images=40, each=25):
    """Return D_o, its images, D_e and its images."""
    image = np.repeat(np.arange(n_images), each)
    return rng.beta(2, 8, len(image)), image, rng.beta(8, 2, len(image)), image


def nearly_constant(rng):
    """Return the same with a chance that is 1 but for two distances in two images."""
    d_o, image, d_e, _ = betas(rng)
    d_e[:] = 1
    d_e[[30, 500]] = 0.8, 0.9
    return d_o, image, d_e, image


@pytest.mark.parametrize("samples", [betas, nearly_constant])
@pytest.mark.parametrize("seed", range(5))
def test_a_round_is_the_calibration_of_the_images_drawn(samples, seed):
    d_o, image_o, d_e, image_e = samples(np.random.default_rng(seed))
    found = bootstrap_samples(
        d_o, image_o, d_e, image_e, rng=np.random.default_rng(seed), n_boot=1
    )
    n = image_o.max() + 1
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n))
    real = separate(np.repeat(d_o, times[image_o]), np.repeat(d_e, times[image_e]))
    assert found.tau_star == pytest.approx(real.tau_star, abs=0.0011)
    assert found.n_determined == (real.tau_star is not None)
    assert found.ks == pytest.approx(real.ks, abs=2e-3)


def test_blocks_of_rounds_are_all_of_them(monkeypatch):
    samples = betas(np.random.default_rng(0))
    whole = bootstrap_samples(*samples, rng=np.random.default_rng(0), n_boot=25)
    monkeypatch.setattr("kalos_core.calibration.bootstrap.BLOCK", 10)
    parts = bootstrap_samples(*samples, rng=np.random.default_rng(0), n_boot=25)
    assert parts == whole
    assert whole.n_boot == whole.n_determined == 25


def test_intervals_contain_what_was_found():
    rng = np.random.default_rng(0)
    made = rated_boxes(rng)
    found = calibrate(made, "box_iou", rng=rng)
    again = bootstrap_calibration(made, found, rng=rng)
    assert found.status == "crossing"
    assert found.tau_star in again.tau_interval
    assert found.ks in again.ks_interval
    assert again.tau_star in again.tau_interval
    assert again.tau_interval.high - again.tau_interval.low > 0.002


def test_images_that_go_together_make_intervals_wider():
    # The same numbers, but those of an image are near each other.
    d_o, image, d_e, _ = betas(np.random.default_rng(0))
    d_o, d_e = np.sort(d_o), np.sort(d_e)
    mixed = np.tile(np.arange(40), 25)

    def width(where):
        rng = np.random.default_rng(1)
        found = bootstrap_samples(d_o, where, d_e, where, rng=rng)
        return found.ks_interval.high - found.ks_interval.low

    assert width(image) > 2 * width(mixed)


def test_rounds_without_a_threshold_are_counted():
    # One image in forty holds all of chance that is not 1; a third of rounds miss it.
    d_o, image, d_e, _ = betas(np.random.default_rng(0))
    d_e[image > 0] = 1
    found = bootstrap_samples(
        d_o, image, d_e, image, rng=np.random.default_rng(0), n_boot=200
    )
    assert 100 < found.n_determined < 160
    assert found.tau_interval is not None


def test_a_threshold_of_few_rounds_is_none():
    # D_o differs in the first image only, D_e in the second: four in ten have both.
    d_o, image, d_e, _ = betas(np.random.default_rng(0))
    d_o[image != 0], d_e[image != 1] = 0.2, 1
    found = bootstrap_samples(d_o, image, d_e, image, rng=np.random.default_rng(0))
    assert 25 < found.n_determined < 50
    assert (found.tau_star, found.tau_interval) == (None, None)
    assert found.ks > 0.9


def test_limits_are_those_of_coco_in_an_image_of_640_by_480(annotations):
    def size_of(width, height):
        made = annotations(
            f"1 ana: cat 0 0 {width / 640} {height / 480}",
            f"1 ben: cat 0 0 {width / 640} {height / 479}",
            "2 ana: cat 0.5 0.5 0.4 0.4",
            "2 ben:",
            size=1,
        )
        found = calibrate(made, "box_iou", rng=np.random.default_rng(0))
        strata = calibrate_by_size(made, found, rng=np.random.default_rng(0), n_boot=1)
        n = {stratum.size: stratum.n_annotations for stratum in strata}
        assert sum(n.values()) == 3
        n["large"] -= 1
        return {size for size, count in n.items() if count}

    assert list(LIMITS) == ["small", "medium", "large"]
    assert size_of(31, 32) == {"small"}
    assert size_of(32.1, 32) == size_of(95, 96) == {"medium"}
    assert size_of(96.1, 96) == {"large"}


def test_targets_of_one_size_meet_references_of_all(annotations):
    # ana's box is small, ben's around it is medium: an IoU of 1/4 for both of them.
    made = annotations(
        "1 ana: cat 0 0 5 5",
        "1 ben: cat 0 0 10 10",
        "2 ana: cat 0 0 5 5",
        "2 ben: cat 50 50 10 10",
    )
    found = calibrate(made, "box_iou", rng=np.random.default_rng(0))
    small, medium, large = calibrate_by_size(
        made, found, rng=np.random.default_rng(0), n_boot=5
    )
    assert (small.n_annotations, medium.n_annotations) == (2, 2)
    # Both sizes have the distances 0.75 (image 1) and 1 (image 2), in D_o; a small
    # target without medium references would have found nothing.
    in_small = made.geometry.area()[found.annotation_o] < LIMITS["small"][1]
    assert sorted(found.d_o[in_small]) == sorted(found.d_o[~in_small]) == [0.75, 1]
    expected = separate(found.d_o[in_small], found.d_e[[0, 2]])
    assert (small.separation.ks, small.separation.ks_at) == (
        expected.ks,
        expected.ks_at,
    )
    assert (large.n_annotations, large.separation, large.bootstrap) == (0, None, None)


def test_a_stratum_is_the_calibration_of_its_own_distances():
    rng = np.random.default_rng(0)
    made = rated_boxes(rng, size=(0.03, 0.3))
    found = calibrate(made, "box_iou", rng=rng)
    strata = calibrate_by_size(made, found, rng=rng, n_boot=20)
    area = made.geometry.area()
    assert sum(stratum.n_annotations for stratum in strata) == len(made)
    for stratum in strata:
        low, high = LIMITS[stratum.size]
        own = (area >= low) & (area < high)
        alone = separate(
            found.d_o[own[found.annotation_o]], found.d_e[own[found.annotation_e]]
        )
        assert stratum.n_annotations == own.sum() > 0
        assert stratum.separation.tau_star == alone.tau_star
        assert stratum.separation.ks == alone.ks
        assert stratum.bootstrap.n_boot == 20
        assert stratum.separation.ks in stratum.bootstrap.ks_interval
