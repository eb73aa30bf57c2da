import numpy as np
import pytest

from kalos_core import Configuration, compute_agreement
from kalos_core.diagnostics.budget import budget, problems
from kalos_core.rematch import rematch
from kalos_core.resampling import Resampling


def curve(made, seed=0):
    configuration = Configuration()
    chosen = problems(made, configuration, np.random.default_rng(seed))
    [sums] = rematch(made, configuration, [chosen])
    rounds = Resampling(made.assigned.sum(axis=1) >= 2, 200, seed=0)
    return chosen, budget(chosen, sums, rounds)


def team(annotations, raters, n_images=8):
    """Everyone sees a cat; a rater named like the image's number also sees a dog."""
    lines = []
    for image in range(n_images):
        for nth, rater in enumerate(raters):
            lines.append(f"i{image} {rater}: cat 5 5 20 20")
            if image % len(raters) == nth:
                lines.append(f"i{image} {rater}: dog 50 50 20 20")
    return annotations(*lines)


def test_all_raters_give_the_mean_alpha_and_fewer_that_of_subsets(annotations):
    made = team(annotations, ["ana", "ben", "cho", "dee"])
    chosen, found = curve(made)
    assert found.n_raters.tolist() == [2, 3, 4]
    mean = compute_agreement(made, Configuration()).mean_alpha
    assert found.alpha.value[-1] == pytest.approx(mean)
    assert found.alpha.n_images.tolist() == [8, 8, 8]
    # Of 2 and of 3 raters three subsets are drawn per image, of all there is one.
    assert np.bincount(chosen.member.sum(axis=1)).tolist() == [0, 0, 24, 24, 8]
    assert not np.array_equal(chosen.member, curve(made, 1)[0].member)
    assert np.array_equal(chosen.member, curve(made)[0].member)


def test_subsets_of_an_image_count_once_by_hand(annotations):
    # All see a cat, and give another object three classes. Two raters: n = 4, o_cc = 2
    # and chance 2 give (3 * 2 - 2) / (12 - 2); three: n = 6, o_cc = 3 and chance 6 give
    # (5 * 3 - 6) / (30 - 6).
    made = annotations(
        *(
            f"i{image} {rater}: {label} {x} 5 20 20"
            for image in range(2)
            for rater, other in (("ana", "dog"), ("ben", "fox"), ("cho", "owl"))
            for label, x in (("cat", 5), (other, 50))
        )
    )
    _, found = curve(made)
    assert found.n_raters.tolist() == [2, 3]
    assert found.alpha.value == pytest.approx([0.4, 0.375])


def test_raters_who_are_not_assigned_are_in_no_subset(annotations):
    made = annotations(
        *(
            f"i{image} {rater}: cat 5 5 20 20"
            for image, raters in enumerate(("abcd", "defg", "aceg", "bdfg"))
            for rater in raters
        )
    )
    chosen, found = curve(made)
    assert found.n_raters.tolist() == [2, 3, 4]
    assert (chosen.member <= made.assigned[chosen.image]).all()


def test_images_that_few_raters_saw_are_left_out(annotations):
    made = team(annotations, ["ana", "ben", "cho"], n_images=5)
    few = annotations(
        *(f"i{n} {r}: cat 5 5 20 20" for n in range(5) for r in ("ana", "ben", "cho")),
        "i5 ana: cat 5 5 20 20",
        "i5 ben: cat 5 5 20 20",
        "i6 ana: cat 5 5 20 20",
    )
    assert set(curve(few)[0].image) == set(range(5))
    assert curve(made)[1].n_raters.tolist() == [2, 3]


def test_one_rater_has_no_budget(annotations):
    _, found = curve(annotations("x ana: cat 5 5 20 20", "y ana: cat 5 5 20 20"))
    assert len(found.n_raters) == 0
    assert len(found.alpha) == 0


def test_intervals_stay_within_what_alpha_can_be(annotations):
    lines = [f"i{n} {r}: cat 5 5 20 20" for n in range(4) for r in ("ana", "ben")]
    lines += [f"i{n} cho: {'dog' if n else 'cat'} 5 5 20 20" for n in range(4)]
    _, found = curve(annotations(*lines))
    assert found.alpha.high.max() == 1
    assert found.alpha.low.min() >= -1
