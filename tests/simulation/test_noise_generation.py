"""Synthetic raters in many rounds: invariants, calibrated laws, and signal loss."""

import tracemalloc

import numpy as np
import pytest
from noise_checks import check_fates, check_shapes, check_sources
from noisy import ALWAYS, LOUD, QUIET, grid_of_boxes, noise, random_reference, reference
from scipy import stats

from kalos_core import Boxes
from kalos_core.noise import (
    ERRORS,
    default_parameters,
    signal_loss,
    simulate_raters,
)
from kalos_core.noise.laws import Logistic, PoissonRate


def simulate(annotations, parameters, seed, **arguments):
    rng = np.random.default_rng(seed)
    return simulate_raters(annotations, parameters, rng=rng, **arguments)


@pytest.mark.parametrize("magnitude", [0.01, 0.5, 1, 3, 10])
@pytest.mark.parametrize("kind", ["Boxes", "Polygons", "Keypoints"])
def test_all_is_valid_in_larger_data_sets(kind, magnitude):
    counts = np.random.default_rng(0).integers(0, 25, 60).tolist()
    made = simulate(random_reference(kind, 1, counts, 4), LOUD, 2, magnitude=magnitude)
    check_shapes(made, inside=True)
    check_sources(made)
    check_fates(made)


def steps(made):
    """Return by how much labels with one reference each have moved."""
    old = made.reference.geometry.xywh[made.reference_index]
    new = made.geometry.xywh
    return new[:, :2] + new[:, 2:] / 2 - old[:, :2] - old[:, 2:] / 2


def lengths(seed):
    made = simulate(grid_of_boxes(30), QUIET, seed, n_raters=1)
    law, length = QUIET.localization.shift.translation, np.hypot(*steps(made).T)
    at = law.trend(np.array(0.04**2))
    return stats.kstest(
        length,
        lambda x: (
            stats.t.cdf(x, law.nu, at, law.sigma)
            - stats.t.cdf(-x, law.nu, at, law.sigma)
        ),
    ).pvalue


def angles_between_children(seed):
    boxes = Boxes(np.tile([0.25, 0.25, 0.5, 0.5], (200, 1)))
    law = noise(topology={"susceptibility": ALWAYS, "fragmented": 1.0})
    made = simulate(reference(boxes), law, seed, n_raters=1)
    angle = np.arctan2(*steps(made).T)
    between = np.abs((angle[::2] - angle[1::2] + np.pi) % (2 * np.pi) - np.pi) / np.pi
    return stats.kstest(between, stats.beta(4.53, 0.53).cdf).pvalue


def deletions(seed):
    unmatched = {"rate": PoissonRate(-1.0, 0.1), "added": 0.0}
    made = simulate(grid_of_boxes(200), noise(unmatched=unmatched), seed, n_raters=1)
    gone = made.reference.image[made.fate[0] == ERRORS.index("deleted")]
    count = np.bincount(np.bincount(gone, minlength=200).clip(0, 3), minlength=4)
    chance = stats.poisson.pmf(np.arange(3), np.exp(-0.1))
    return stats.chisquare(count, 200 * np.append(chance, 1 - chance.sum())).pvalue


def mistakes(seed):
    label = np.arange(9 * 60) % 4
    transition = (np.ones((4, 4)) - np.eye(4)) * [0.1, 0.2, 0.3, 0.4]
    transition /= transition.sum(axis=1, keepdims=True)
    made = simulate(
        grid_of_boxes(60, label=label, n_classes=4),
        noise(category={"rate": 1.0}),
        seed,
        n_raters=1,
        transition=transition,
    )
    was = made.reference.label[made.reference_index]
    cell = np.bincount(was * 4 + made.label, minlength=16)
    expected = (transition * np.bincount(label)[:, None]).ravel()
    some = expected > 0
    return stats.chisquare(cell[some], expected[some], ddof=3).pvalue


@pytest.mark.parametrize("law", [lengths, angles_between_children, deletions, mistakes])
def test_p_values_of_the_right_law_are_uniform(law):
    p = [law(seed) for seed in range(100)]
    assert stats.kstest(p, "uniform").pvalue > 0.001


FREQUENT = noise(
    unmatched={"rate": PoissonRate(-0.5, 0.021)},
    topology={"susceptibility": Logistic(-3.0, 0.3)},
    category={"rate": 0.026},
)


@pytest.mark.parametrize("parameters", [FREQUENT, default_parameters()])
def test_signal_loss_grows_with_the_magnitude_for_every_seed(parameters):
    for seed in range(5):
        counts = np.random.default_rng(seed).poisson(11, 300).tolist()
        annotations = random_reference("Boxes", seed, counts, 20)
        table = signal_loss(annotations, parameters, rng=np.random.default_rng(seed))
        assert (np.diff(table.total) > 0).all()
        assert table.total[0] < 0.03
        assert table.total[-1] > 0.15


def test_memory_grows_with_the_result_alone(monkeypatch):
    """Beside the result, four times as many images take no more than it once again."""
    monkeypatch.setattr("kalos_core.noise.generator.CHUNK", 1 << 10)
    annotations = [
        random_reference("Boxes", 3, [10] * n_images, 3) for n_images in (500, 2000)
    ]
    simulate(annotations[0], LOUD, 0)  # what is imported and remembered once
    beside, results = [], []
    for reference_ in annotations:
        tracemalloc.start()
        made = simulate(reference_, LOUD, 0)
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        beside.append((peak - kept) / 2**20)
        per_label = kept / len(made)
        assert per_label < 400  # bytes: ids, boxes, indices
        results.append(kept / 2**20)
    print(beside, results)
    # Pieces are put together at the end, for which the result is there twice.
    spare = [peak - result for peak, result in zip(beside, results, strict=True)]
    assert max(spare) < 4


def test_crowded_images_and_many_raters_are_no_trouble():
    annotations = random_reference("Boxes", 3, [0, 900, 3], 3)
    made = simulate(annotations, LOUD, 4, n_raters=10, magnitude=3)
    check_shapes(made, inside=True)
    check_sources(made)
    check_fates(made)
    assert made.raters[:2] == ("rater_01", "rater_02")
