import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from random_data import crowd

from kalos_core import (
    Annotations,
    Configuration,
    KalosError,
    compute_agreement,
    diagnose,
)


def diagnosed(made, seed=0, **changed):
    configuration = Configuration()
    agreement = compute_agreement(made, configuration)
    rng = np.random.default_rng(seed)
    return agreement, diagnose(
        made, configuration, agreement, rng=rng, n_boot=50, **changed
    )


def test_numbers_are_those_of_the_agreement_and_repeat_with_the_seed():
    made = crowd(0)
    agreement, found = diagnosed(made)
    assert found.mean_alpha.value[0] == pytest.approx(agreement.mean_alpha)
    assert found.global_alpha.value[0] == pytest.approx(agreement.global_alpha)
    assert found.mean_alpha.low[0] < agreement.mean_alpha < found.mean_alpha.high[0]
    here = found.sensitivity.tau == 0.5
    assert found.sensitivity.mean.value[here] == pytest.approx(agreement.mean_alpha)
    assert len(found.kinds.kind) == agreement.reliability.n_units
    assert len(found.vitality.mean) == made.n_raters
    assert len(found.difficulty.mean) == len(made.classes)
    again, other = diagnosed(made)[1], diagnosed(made, seed=1)[1]
    assert again.as_json() == found.as_json()
    assert other.as_json() != found.as_json()


def test_all_of_it_is_plain_json():
    _, found = diagnosed(crowd(1))
    text = json.dumps(found.as_json(), allow_nan=False)
    parts = json.loads(text)
    assert parts["n_boot"] == 50
    assert set(parts["mean_alpha"]) == {
        "value",
        "low",
        "high",
        "n_images",
        "told_from_zero",
        "by_convention",
    }
    assert parts["raters"] == ["r0", "r1", "r2", "r3", "r4"]
    assert parts["configuration"]["d_loc"] == "box_iou"
    assert len(parts["kinds"]["kind"]) == len(found.kinds.kind)


def test_progress_ends_with_all():
    steps = []
    diagnosed(crowd(2), progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] > 0
    assert steps == sorted(steps)


@pytest.mark.parametrize(
    "lines",
    [
        ["x ana: cat 0 0 10 10", "x ben: cat 0 0 10 10"],
        ["x ana: cat 0 0 10 10", "x ben: dog 0 0 10 10"],
        ["x ana: cat 0 0 10 10"],
        ["x ana:", "x ben:"],
        ["x ana: cat 0 0 10 10", "x ben:", "y cho: cat 0 0 10 10", "y dee:"],
        ["x ana: cat 0 0 10 10", "x ben: cat 0 0 9 9", "x cho: dog 0 0 10 10"],
    ],
)
def test_the_least_data_has_values_or_none_and_no_warnings(annotations, lines):
    made = annotations(*lines)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement, found = diagnosed(made)
    # One image says nothing of others, nor do two that are alike.
    some = len(np.unique(agreement.alpha[~np.isnan(agreement.alpha)])) > 1
    assert np.isnan(found.mean_alpha.low[0]) == (not some)
    # Who shares no image with two others has no vitality, and no silent 0.
    few = made.assigned.sum(axis=1).max() < 3
    assert np.isnan(found.vitality.mean.value).all() == few
    apart = found.collaboration.mean.n_images == 0
    assert np.isnan(found.collaboration.mean.value[apart]).all()
    assert found.schools.reason
    json.dumps(found.as_json(), allow_nan=False)
    assert np.isnan(found.mean_alpha.value[0]) == np.isnan(agreement.mean_alpha)


def test_an_agreement_of_another_configuration_is_refused():
    made = crowd(3)
    agreement = compute_agreement(made, Configuration(tau=0.3))
    with pytest.raises(
        KalosError, match=r"computed with KαLOS\(box_iou, τ=0\.3.*τ=0\.5"
    ):
        diagnose(made, Configuration(), agreement, rng=np.random.default_rng(0))


def test_rounds_must_be_positive():
    made = crowd(3)
    agreement = compute_agreement(made, Configuration())
    with pytest.raises(KalosError, match="n_boot must be at least 1, got 0"):
        diagnose(
            made,
            Configuration(),
            agreement,
            rng=np.random.default_rng(0),
            n_boot=0,
        )


def test_neither_the_order_of_images_nor_that_of_raters_changes_a_number():
    made = crowd(5, n=150, n_images=8)
    rng = np.random.default_rng(6)
    image, rater = rng.permutation(made.n_images), rng.permutation(made.n_raters)
    other = Annotations(
        image=image[made.image],
        rater=rater[made.rater],
        label=made.label,
        geometry=made.geometry,
        annotation_id=made.annotation_id,
        assigned=made.assigned[np.ix_(np.argsort(image), np.argsort(rater))],
        images=[made.images[n] for n in np.argsort(image)],
        raters=[made.raters[n] for n in np.argsort(rater)],
        classes=made.classes,
    )
    _, one = diagnosed(made)
    _, two = diagnosed(other)
    for name in ("mean_alpha", "global_alpha"):
        assert getattr(one, name).low == pytest.approx(getattr(two, name).low)
    assert one.schools.p_value < 1
    for name in ("gain", "p_value", "reason"):
        assert getattr(one.schools, name) == pytest.approx(getattr(two.schools, name))
    for end in ("value", "low", "high"):
        # Rounds are summed in single precision, in the order of images.
        assert getattr(one.vitality.mean, end) == pytest.approx(
            getattr(two.vitality.mean, end)[rater], abs=1e-7
        )
        assert getattr(one.budget.alpha, end) == pytest.approx(
            getattr(two.budget.alpha, end)
        )
        assert getattr(one.difficulty.overall, end) == pytest.approx(
            getattr(two.difficulty.overall, end), nan_ok=True
        )


def test_an_agreement_of_other_labels_is_refused():
    made = crowd(3)
    agreement = compute_agreement(made, Configuration())
    label = made.label.copy()
    label[7] = (label[7] + 1) % 3
    relabelled = replace(made, label=label)
    image = np.where(made.image == 0, 1, np.where(made.image == 1, 0, made.image))
    moved = replace(made, image=image, assigned=np.ones_like(made.assigned))
    for other in (relabelled, moved):
        with pytest.raises(KalosError, match=r"annotation 'a.* it must be that of the"):
            diagnose(other, Configuration(), agreement, rng=np.random.default_rng(0))


def test_an_agreement_of_other_annotations_is_refused():
    made, other = crowd(3), crowd(4)
    agreement = compute_agreement(other, Configuration())
    with pytest.raises(KalosError, match="must be that of the annotations, which have"):
        diagnose(made, Configuration(), agreement, rng=np.random.default_rng(0))
