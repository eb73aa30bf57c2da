"""Invariances over every entry of the registries."""

import numpy as np
import pytest
from random_data import random_shapes

from kalos_core import (
    COSTS,
    DISTANCES,
    SOLVERS,
    Annotations,
    Configuration,
    compute_agreement,
)

N, N_RATERS = 16, 4
TAU = {"box_centroid_l2": 0.15, "polygon_centroid_l2": 0.15, "keypoint_mpjpe": 0.2}


def with_ties(name, seed):
    """Return shapes of which many are equal, raters and classes.

    Equal shapes by several raters, and by one rater twice, are the ties that matter.
    """
    rng = np.random.default_rng(seed)
    shapes = random_shapes(DISTANCES[name].shapes.__name__, rng, 6)
    chosen = rng.integers(0, 6, N)
    raters, labels = rng.integers(0, N_RATERS, N), rng.integers(0, 2, N)
    return shapes, chosen, raters, labels


def annotations(shapes, chosen, raters, labels):
    return Annotations(
        image=np.zeros(N, int),
        rater=raters,
        label=labels,
        geometry=shapes.take(chosen),
        annotation_id=[f"{n:02}" for n in range(N)],
        assigned=np.ones((1, N_RATERS), bool),
        images=["x"],
        raters=[f"r{r}" for r in range(N_RATERS)],
        classes=["cat", "dog"],
    )


def units(made, chosen, back, configuration):
    """Return the units as sorted contents: shape, class and rater, no ids."""
    unit_of = compute_agreement(made, configuration).reliability.unit_of
    content = [
        (int(chosen[int(name)]), int(label), int(back[rater]))
        for name, label, rater in zip(
            made.annotation_id, made.label, made.rater, strict=True
        )
    ]
    return sorted(
        sorted(content[n] for n in np.flatnonzero(unit_of == unit))
        for unit in np.unique(unit_of)
    )


@pytest.mark.parametrize("psi", sorted(COSTS))
@pytest.mark.parametrize("name", sorted(DISTANCES))
@pytest.mark.parametrize("seed", range(6))
def test_greedy_ignores_file_order_and_rater_order(name, psi, seed):
    shapes, chosen, raters, labels = with_ties(name, seed)
    configuration = Configuration(name, TAU.get(name, 0.6), "greedy", psi)
    same = np.arange(N_RATERS)
    expected = units(
        annotations(shapes, chosen, raters, labels), chosen, same, configuration
    )
    rng = np.random.default_rng([seed, 1])
    for _ in range(5):
        order, names = rng.permutation(N), rng.permutation(N_RATERS)
        shuffled = annotations(
            shapes, chosen[order], names[raters[order]], labels[order]
        )
        found = units(shuffled, chosen[order], np.argsort(names), configuration)
        assert found == expected


@pytest.mark.parametrize("psi", sorted(COSTS))
@pytest.mark.parametrize("name", sorted(DISTANCES))
@pytest.mark.parametrize("seed", range(12))
def test_greedy_ignores_the_names_of_classes(name, psi, seed):
    shapes, chosen, raters, labels = with_ties(name, seed)
    configuration = Configuration(name, TAU.get(name, 0.6), "greedy", psi)
    one, other = (
        compute_agreement(annotations(shapes, chosen, raters, codes), configuration)
        for codes in (labels, 1 - labels)
    )
    assert np.array_equal(one.reliability.unit_of, other.reliability.unit_of)
    assert other.alpha[0] == pytest.approx(one.alpha[0], abs=1e-12)


@pytest.mark.parametrize("psi", sorted(COSTS))
@pytest.mark.parametrize("solver", sorted(SOLVERS))
@pytest.mark.parametrize("name", sorted(DISTANCES))
def test_every_solver_matches_some_and_not_all(name, solver, psi):
    shapes, chosen, raters, labels = with_ties(name, 11)
    configuration = Configuration(name, TAU.get(name, 0.6), solver, psi)
    made = annotations(shapes, chosen, raters, labels)
    unit_of = compute_agreement(made, configuration).reliability.unit_of
    assert len(unit_of) == N
    assert 1 < len(np.unique(unit_of)) < N
