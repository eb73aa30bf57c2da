"""Generated errors follow the laws that were given, and are told from other laws."""

from dataclasses import replace

import numpy as np
import pytest
from noisy import ALWAYS, QUIET, grid_of_boxes, noise, reference
from scipy import stats

from kalos_core import Boxes
from kalos_core.noise import ERRORS, Proposals, simulate_raters
from kalos_core.noise.laws import Beta, FoldedT, Logistic, PoissonRate

PLAUSIBLE, IMPOSSIBLE = 0.01, 1e-6
"""p values of the law that was given, and of one that was not."""


def simulate(annotations, parameters, seed=0, n_raters=1, **arguments):
    rng = np.random.default_rng(seed)
    return simulate_raters(
        annotations, parameters, n_raters=n_raters, rng=rng, **arguments
    )


def steps_and_ratios(made, some=slice(None)):
    """Return by how much labels with one reference each have moved and grown."""
    old = made.reference.geometry.xywh[made.reference_index][some]
    new = made.geometry.xywh[some]
    step = new[:, :2] + new[:, 2:] / 2 - old[:, :2] - old[:, 2:] / 2
    return step, np.log(new[:, 2:] / old[:, 2:])


def folded_cdf(law, area):
    def cdf(value):
        high, low = ((s * value - law.trend(area)) / law.sigma for s in (1, -1))
        return stats.t.cdf(high, law.nu) - stats.t.cdf(low, law.nu)

    return cdf


def angle_cdf(law):
    angle = np.linspace(0, 2 * np.pi, 4001)
    density = law.density(angle)
    total = np.append(0, np.cumsum((density[1:] + density[:-1]) / 2) * angle[1])
    return lambda value: np.interp(value, angle, total)


def p_of(sample, cdf):
    return stats.kstest(sample, cdf).pvalue


@pytest.fixture(scope="module")
def quiet():
    return simulate(grid_of_boxes(400), QUIET, magnitude=2.0)


AREA = 0.04**2
SHIFT = QUIET.localization.shift


def test_shifts_follow_the_folded_t(quiet):
    step, _ = steps_and_ratios(quiet)
    length = np.hypot(*step.T) / 2  # of the magnitude
    law = SHIFT.translation
    assert p_of(length, folded_cdf(law, AREA)) > PLAUSIBLE
    for wrong in (replace(law, sigma=0.005), replace(law, intercept=0.002)):
        assert p_of(length, folded_cdf(wrong, AREA)) < IMPOSSIBLE
    normal = replace(law, nu=1000.0, sigma=1.4 * law.sigma)
    assert p_of(length, folded_cdf(normal, AREA)) < IMPOSSIBLE


def test_directions_follow_the_mixture(quiet):
    step, _ = steps_and_ratios(quiet)
    angle = np.arctan2(step[:, 1], step[:, 0]) % (2 * np.pi)
    law = QUIET.localization.direction
    assert p_of(angle, angle_cdf(law)) > PLAUSIBLE
    wrong = replace(law, weights=law.weights[::-1])
    assert p_of(angle, angle_cdf(wrong)) < IMPOSSIBLE
    assert p_of(angle, angle_cdf(replace(law, kappas=(2.0,) * 4))) < IMPOSSIBLE


@pytest.mark.parametrize(("side", "name"), [(0, "width"), (1, "height")])
def test_log_ratios_follow_the_folded_t_either_way(quiet, side, name):
    _, ratio = steps_and_ratios(quiet)
    law = getattr(SHIFT, name)
    value = np.abs(ratio[:, side]) / 2
    assert p_of(value, folded_cdf(law, AREA)) > PLAUSIBLE
    assert p_of(value, folded_cdf(replace(law, nu=0.8), AREA)) < IMPOSSIBLE
    n_larger = int((ratio[:, side] > 0).sum())
    assert stats.binomtest(n_larger, len(ratio)).pvalue > PLAUSIBLE


def test_tails_are_winsorised():
    law = FoldedT(0.0, 0.0, 1.5, 1.0)  # of which one draw in a thousand is beyond 48
    drawn = law.draw(np.zeros(200_000), np.random.default_rng(0))
    assert drawn.max() == pytest.approx(stats.t.ppf(0.999, 1.5))
    assert 100 < (drawn == drawn.max()).sum() < 700


def test_the_trend_follows_the_area():
    steep = FoldedT(0.0, 0.1, 30.0, 1e-4)
    law = replace(QUIET.localization, shift=replace(SHIFT, translation=steep))
    for side in (0.04, 0.1):
        made = simulate(grid_of_boxes(20, side), replace(QUIET, localization=law))
        length = np.hypot(*steps_and_ratios(made)[0].T)
        assert np.median(length) == pytest.approx(0.1 * side**2, rel=0.1)


def test_mistaken_classes_follow_the_transition_and_their_own_shift():
    transition = np.array([[0, 0.7, 0.3], [1, 0, 0], [0, 0, 0.0]])
    label = np.random.default_rng(0).integers(0, 3, 9 * 900)
    made = simulate(
        grid_of_boxes(900, label=label, n_classes=3),
        noise(category={"rate": 0.15}),
        magnitude=2.0,
        transition=transition,
    )
    mistaken = made.error == ERRORS.index("category")
    was = made.reference.label[made.reference_index]
    assert not mistaken[was == 2].any()  # which is never mistaken
    n, of = int(mistaken.sum()), int((was < 2).sum())
    assert stats.binomtest(n, of, 2 * 0.15).pvalue > PLAUSIBLE
    assert stats.binomtest(n, of, 0.15).pvalue < IMPOSSIBLE
    became = np.bincount(made.label[mistaken & (was == 0)], minlength=3)
    assert became[0] == 0
    assert stats.chisquare(became[1:], became.sum() * transition[0, 1:]).pvalue > 0.01
    assert stats.chisquare(became[1:], became.sum() * np.r_[0.5, 0.5]).pvalue < 1e-6
    step, _ = steps_and_ratios(made, mistaken)
    angle = np.arctan2(step[:, 1], step[:, 0]) % (2 * np.pi)
    assert p_of(angle, angle_cdf(QUIET.category.direction)) > PLAUSIBLE
    assert p_of(angle, angle_cdf(QUIET.localization.direction)) < IMPOSSIBLE


def test_classes_are_mistaken_for_frequent_ones_by_default():
    label = np.repeat([0, 1, 1, 1, 1, 2, 2, 2, 2], 100)
    made = simulate(
        grid_of_boxes(100, label=label, n_classes=4), noise(category={"rate": 1.0})
    )
    was = made.reference.label[made.reference_index]
    became = np.bincount(made.label[was == 1], minlength=4)
    assert became[[1, 3]].tolist() == [0, 0]  # itself, and what does not occur
    assert stats.binomtest(int(became[2]), int(became.sum()), 0.8).pvalue > PLAUSIBLE


def empty_places(n_images, n_each=16):
    """Return small proposals along the left edge, where the grid has no boxes."""
    y = np.tile(np.arange(n_each) / n_each, n_images)
    xywh = np.stack([0 * y, y, 0 * y + 0.03, 0 * y + 0.05], axis=1)
    image = np.repeat(np.arange(n_images), n_each)
    return Proposals(image, Boxes(xywh), np.zeros(len(image), int))


def test_unmatched_events_are_poisson_up_to_the_cap():
    def counts(rate, n_images=600, magnitude=1.0):
        annotations = grid_of_boxes(n_images)
        law = noise(unmatched={"rate": rate, "added": 0.6})
        made = simulate(
            annotations,
            law,
            proposals=empty_places(n_images),
            magnitude=magnitude,
        )
        added = made.error == ERRORS.index("added")
        n_added = np.bincount(made.image[added], minlength=n_images)
        gone = made.fate[0] == ERRORS.index("deleted")
        n_deleted = np.bincount(annotations.image[gone], minlength=n_images)
        return n_added, n_deleted

    def p(count, mean):
        least = 5
        chance = stats.poisson.pmf(np.arange(least), mean)
        expected = len(count) * np.append(chance, 1 - chance.sum())
        got = np.bincount(np.minimum(count, least), minlength=least + 1)
        return stats.chisquare(got, expected).pvalue

    rate = PoissonRate(-1.0, 0.1)
    mean = 2 * np.exp(-1.0 + 0.1 * 9)
    n_added, n_deleted = counts(rate, magnitude=2.0)
    assert p(n_added + n_deleted, mean) > PLAUSIBLE
    assert p(n_added + n_deleted, mean / 2) < IMPOSSIBLE
    assert p(n_added, 0.6 * mean) > PLAUSIBLE
    assert p(n_deleted, 0.4 * mean) > PLAUSIBLE
    # However steep the rate, there is one event for each of nine boxes.
    n_added, n_deleted = counts(PoissonRate(0.0, 0.256), n_images=300, magnitude=10.0)
    assert n_added.mean() == pytest.approx(0.6 * 9, abs=0.4)


def test_small_objects_are_missed_rather_than_large_ones():
    n = 3000
    xywh = np.tile([[0.1, 0.1, 0.02, 0.02], [0.3, 0.3, 0.6, 0.6]], (n, 1))
    annotations = reference(Boxes(xywh), np.repeat(np.arange(n), 2))
    law = Logistic(-4.0, -0.5)
    parameters = noise(unmatched={"rate": PoissonRate(-0.7, 0.0), "added": 0.0})
    made = simulate(annotations, parameters)
    gone = (made.fate[0] == ERRORS.index("deleted")).reshape(n, 2)
    one = gone[gone.sum(axis=1) == 1]
    small, large = law.odds(np.array([0.02**2, 0.6**2]))
    test = stats.binomtest(int(one[:, 0].sum()), len(one), small / (small + large))
    assert test.pvalue > PLAUSIBLE
    assert stats.binomtest(int(one[:, 0].sum()), len(one), 0.5).pvalue < IMPOSSIBLE


def test_children_follow_the_laws_of_rupture():
    n, side = 1500, 0.5
    annotations = reference(Boxes(np.tile([0.25, 0.25, side, side], (n, 1))))
    parameters = noise(topology={"susceptibility": ALWAYS, "fragmented": 1.0})
    made = simulate(annotations, parameters, magnitude=3.0)  # which does not scale them
    assert (made.error == ERRORS.index("split")).all()
    assert made.annotation_id[:2].tolist() == ["a0.part1", "a0.part2"]
    step, ratio = steps_and_ratios(made)
    law, area = parameters.topology, side**2
    length = np.hypot(*step.T)
    assert p_of(length, folded_cdf(law.shift.translation, area)) > PLAUSIBLE
    laws = law.shift.width, law.shift.height
    for own, other, side_ratio in zip(laws, laws[::-1], ratio.T, strict=True):
        shrunk = law.kappa - side_ratio
        assert p_of(shrunk, folded_cdf(own, area)) > PLAUSIBLE
        assert p_of(shrunk, folded_cdf(other, area)) < IMPOSSIBLE
        assert p_of(shrunk + 0.1, folded_cdf(own, area)) < IMPOSSIBLE
    angle = np.arctan2(step[:, 1], step[:, 0])
    assert p_of(angle[::2] % (2 * np.pi), angle_cdf(law.direction)) > PLAUSIBLE
    between = np.abs((angle[::2] - angle[1::2] + np.pi) % (2 * np.pi) - np.pi) / np.pi
    assert p_of(between, lambda b: stats.beta.cdf(b, 4.53, 0.53)) > PLAUSIBLE
    assert p_of(between, lambda b: stats.beta.cdf(b, 2.0, 0.53)) < IMPOSSIBLE
    n_onwards = int((np.sin(angle[1::2] - angle[::2]) > 0).sum())
    assert stats.binomtest(n_onwards, n).pvalue > PLAUSIBLE  # on either side alike


def test_children_stay_with_small_parents():
    far = replace(QUIET.topology.shift, translation=FoldedT(0.5, 0.0, 3.0, 0.1))
    parameters = noise(
        topology={
            "susceptibility": ALWAYS,
            "fragmented": 1.0,
            "shift": far,
            "angle": Beta(2.0, 2.0),
        }
    )
    step, _ = steps_and_ratios(simulate(grid_of_boxes(20, side=0.1), parameters))
    reach = np.abs(step).max(axis=1)
    assert np.median(reach) == pytest.approx(0.05)
    assert reach.max() < 0.05 + 1e-9


def test_mistaken_labels_are_shifted_by_a_law_of_their_own():
    far = replace(SHIFT, translation=FoldedT(0.03, 0.0, 8.0, 0.002))
    parameters = noise(category={"rate": 0.5, "shift": far})
    label = np.arange(9 * 100) % 2
    made = simulate(grid_of_boxes(100, label=label, n_classes=2), parameters)
    length = np.hypot(*steps_and_ratios(made)[0].T)
    mistaken = made.error == ERRORS.index("category")
    assert np.median(length[mistaken]) == pytest.approx(0.03, rel=0.05)
    assert np.median(length[~mistaken]) < 0.01


def test_small_objects_are_imagined_rather_than_large_ones():
    n, sides, law = 1500, np.array([0.02, 0.2]), Logistic(3.0, -0.5)
    annotations = reference(Boxes(np.tile([0.05, 0.05, 0.1, 0.1], (n, 1))))
    corner = np.array([[0.4, 0.4], [0.6, 0.6]])
    boxes = np.tile(np.hstack([corner, np.stack([sides, sides], axis=1)]), (n, 1))
    image = np.repeat(np.arange(n), 2)
    made = simulate(
        annotations,
        noise(
            unmatched={
                "rate": PoissonRate(0.0, 0.0),
                "susceptibility": law,
                "added": 1.0,
            }
        ),
        proposals=Proposals(image, Boxes(boxes), np.zeros(2 * n, int)),
    )
    added = made.geometry.xywh[made.error == ERRORS.index("added"), 2]
    # Of images with one added label; those with two have both sizes.
    small, large = (int(np.isclose(added, side).sum()) for side in sides)
    odds, chance = law.odds(sides**2), law.chance(sides**2)
    n_events = np.random.default_rng(1).poisson(1.0, 100_000)
    both = (n_events >= 2).mean() / (n_events >= 1).mean()

    def p_by(weight):
        first = weight[0] / weight.sum()
        expected = (first * (1 - both) + both) / (1 + both)
        return stats.binomtest(small, small + large, expected).pvalue

    assert p_by(odds) > PLAUSIBLE
    assert p_by(chance) < IMPOSSIBLE  # which both sizes nearly certainly have
    assert p_by(np.ones(2)) < IMPOSSIBLE


def test_larger_objects_are_split_rather_than_smaller_ones():
    n, law = 4000, Logistic(1.0, 1.0)
    xywh = np.tile([[0.1, 0.1, 0.1, 0.1], [0.3, 0.3, 0.6, 0.6]], (n, 1))
    annotations = reference(Boxes(xywh), np.repeat(np.arange(n), 2))
    topology = {"susceptibility": law, "fragmented": 1.0}
    made = simulate(annotations, noise(topology=topology), magnitude=3.0)
    split = (made.fate[0] == ERRORS.index("split")).reshape(n, 2).sum(axis=0)
    chance = 3 * law.chance(np.array([0.01, 0.36]))
    assert stats.binomtest(int(split[0]), n, chance[0]).pvalue > PLAUSIBLE
    assert split[1] == n  # as a chance is at most 1
