"""An alpha of 1 is marked where disagreement had no chance to show."""

from dataclasses import replace

import numpy as np
import pytest
from diagnosing import find_intra

from kalos_core import Configuration, Estimates, compute_agreement, diagnose
from kalos_core.plain import plain


def cats(annotations, *more, n_images=9, raters=("ana", "ben", "cho")):
    """Return images in which all see one cat, so that only one value occurs."""
    return annotations(
        *(f"i{n} {rater}: cat 5 5 20 20" for n in range(n_images) for rater in raters),
        *more,
    )


def diagnosed(made):
    agreement = compute_agreement(made, Configuration())
    rng = np.random.default_rng(0)
    return diagnose(made, Configuration(), agreement, rng=rng, n_boot=50)


def alphas(found):
    return {
        "mean": found.mean_alpha,
        "global": found.global_alpha,
        "difficulty": found.difficulty.mean,
        "difficulty of all": found.difficulty.overall,
        "collaboration": found.collaboration.mean,
        "collaboration of all": found.collaboration.overall,
        "sensitivity": found.sensitivity.mean,
        "budget": found.budget.alpha,
    }


def test_one_value_everywhere_is_marked_wherever_alpha_is_estimated(annotations):
    found = diagnosed(cats(annotations))
    for name, estimates in alphas(found).items():
        assert estimates.value.tolist() == [1] * len(estimates), name
        assert estimates.low.tolist() == [1] * len(estimates), name
        assert estimates.by_convention.all(), name
        assert not estimates.told_from_zero.any(), name
    for name in ("mean", "relative", "overall"):
        estimates = getattr(found.vitality, name)
        assert estimates.value.tolist() == [0, 0, 0], name
        assert estimates.by_convention.all(), name
    assert found.vitality.by_class.mean.by_convention.all()
    assert found.vitality.by_class.overall.by_convention.all()


def test_one_image_with_two_values_takes_the_mark_away(annotations):
    two = [f"i0 {rater}: dog 50 50 20 20" for rater in ("ana", "ben", "cho")]
    found = diagnosed(cats(annotations, *two))
    for name, estimates in alphas(found).items():
        alone = name.startswith("difficulty")  # of units that mention one class
        assert estimates.by_convention.tolist() == [alone] * len(estimates), name
        assert estimates.told_from_zero.all() == (not alone), name
    assert not found.vitality.mean.by_convention.any()
    assert not found.vitality.overall.by_convention.any()


def test_empty_images_alone_are_by_convention_and_undefined_ones_are_not(annotations):
    found = diagnosed(annotations("x ana:", "x ben:", "y ana:", "z cho:"))
    assert found.mean_alpha.by_convention.tolist() == [True]
    assert found.global_alpha.by_convention.tolist() == [True]
    # ana and ben saw x together, cho nothing with either of them.
    assert found.collaboration.mean.by_convention.tolist() == [True, False, False]
    assert found.collaboration.overall.by_convention.tolist() == [True, False, False]


def test_sessions_with_one_value_are_marked(annotations):
    names = ("ana (S1)", "ana (S2)", "ben (S1)", "ben (S2)")
    made = cats(annotations, raters=["a", "b", "c", "d"], n_images=2)
    made = replace(made, raters=names, identity=["ana", "ana", "ben", "ben"])
    found = find_intra(made)
    for teams in (found.persons, found.sessions):
        assert teams.mean.by_convention.tolist() == [True, True]
        assert teams.overall.by_convention.tolist() == [True, True]


def test_marks_are_kept_and_default_to_none():
    one = np.ones(2)
    plainly = Estimates(one, one, one, [9, 9])
    assert plainly.by_convention.tolist() == [False, False]
    assert plainly.told_from_zero.tolist() == [True, True]
    marked = Estimates(one, one, one, [9, 9], by_convention=[False, True])
    assert marked.told_from_zero.tolist() == [True, False]
    for same in (marked.within(-1, 1), marked.take(np.array([0, 1]))):
        assert plain(same) == plain(marked)
    assert plain(marked)["by_convention"] == [False, True]


@pytest.mark.parametrize("asked", [[False, True, True], [False, False, True]])
def test_who_was_asked_for_nothing_agrees_on_nothing(annotations, asked):
    # Three raters left x empty; those not asked for any class are missing data.
    made = annotations("x ana:", "x ben:", "x cho:", "y cho: cat 5 5 20 20", "y ana:")
    made = replace(made, asked=np.array(asked)[:, None])
    found = compute_agreement(made, Configuration())
    enough = sum(asked) >= 2
    expected = ["empty_agreed" if enough else "undefined", "undefined"]
    assert found.status.tolist() == expected
    assert np.isnan(found.mean_alpha) == (not enough)


def test_pairs_of_whom_one_was_asked_for_nothing_are_undefined(annotations):
    made = annotations("x ana:", "x ben:", "x cho:", "y ana: cat 5 5 9 9", "y ben:")
    made = replace(made, asked=[[True], [True], [False]])
    found = diagnosed(made).collaboration
    assert found.mean.n_images.tolist() == [2, 0, 0]
    assert np.isnan(found.mean.value).tolist() == [False, True, True]
