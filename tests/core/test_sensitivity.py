import numpy as np
import pytest

from kalos_core import Configuration, compute_agreement
from kalos_core.diagnostics.sensitivity import problems, sensitivity
from kalos_core.rematch import Problems, rematch
from kalos_core.resampling import Resampling


def curve(made, tau=0.5):
    configuration = Configuration(tau=tau)
    known = Problems(np.arange(made.n_images), made.assigned, (tau,))
    [here, *others] = rematch(
        made, configuration, [known, problems(made, configuration)]
    )
    rounds = Resampling(made.assigned.sum(axis=1) >= 2, 200, seed=0)
    return sensitivity(configuration, here, others, rounds)


def shifted(annotations, shift, n_images=6):
    """Two objects per image, drawn by ben ``shift`` pixels beside ana's."""
    return annotations(
        *(
            f"i{image} {rater}: {label} {x + (rater == 'ben') * shift} {image} 20 20"
            for image in range(n_images)
            for rater in ("ana", "ben")
            for label, x in (("cat", 5), ("dog", 60))
        )
    )


def test_alpha_at_every_threshold_is_that_of_an_agreement(annotations):
    made = shifted(annotations, 4)
    found = curve(made, 0.45)
    assert found.tau.tolist() == sorted(found.tau, reverse=True)
    assert {0.45, 0.225} < set(found.tau.tolist())
    for tau, mean, overall in zip(
        found.tau, found.mean.value, found.overall, strict=True
    ):
        expected = compute_agreement(made, Configuration(tau=float(tau)))
        assert mean == pytest.approx(expected.mean_alpha, abs=1e-12)
        assert overall == pytest.approx(expected.global_alpha, abs=1e-12)


def test_the_cliff_is_where_boxes_stop_to_match(annotations):
    # IoU 16 / 24: all match at tau 0.4, none at 0.3.
    found = curve(shifted(annotations, 4, n_images=8))
    assert found.cliff == 0.4
    assert found.strict_tau == 0.25
    assert found.drop.value[0] == pytest.approx(1 - found.mean.value[-1])
    assert found.drop.told_from_zero.all()
    assert found.drop.n_images.tolist() == [8]
    # Fewer images that are all alike say nothing of others.
    found = curve(shifted(annotations, 4, n_images=7))
    assert np.isnan(found.cliff)
    assert not found.drop.told_from_zero.any()


def test_the_cliff_is_the_steepest_fall_not_the_largest(annotations):
    # From 0.75 to 0.6 twelve images fall, from 0.4 to 0.3 only ten, but within a step
    # of 0.1 instead of 0.15: IoU 10 / 30 and 16 / 24.
    found = curve(
        annotations(
            *(
                f"i{n:02} {rater}: {label} {x + (rater == 'ben') * shift} 5 20 20"
                for n, shift in enumerate([10] * 12 + [4] * 10 + [0] * 2)
                for rater in ("ana", "ben")
                for label, x in (("cat", 5), ("dog", 60))
            )
        )
    )
    at = dict(zip(found.tau.tolist(), found.mean.value.tolist(), strict=True))
    assert at[0.75] - at[0.6] > at[0.4] - at[0.3] > 0
    assert found.cliff == 0.4


def test_without_a_fall_there_is_no_cliff(annotations):
    found = curve(shifted(annotations, 0))
    assert np.isnan(found.cliff)
    assert found.drop.value.tolist() == [0]
    assert not found.drop.told_from_zero.any()


def test_what_one_image_loses_is_no_cliff(annotations):
    lines = [
        f"{image:02} {rater}: {label} {x + (rater == 'ben' and not image) * 4} 5 20 20"
        for image in range(12)
        for rater in ("ana", "ben")
        for label, x in (("cat", 5), ("dog", 60))
    ]
    found = curve(annotations(*lines))
    assert found.mean.value[0] > found.mean.value[-1]
    assert np.isnan(found.cliff)
