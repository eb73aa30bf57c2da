"""Invariances over every entry of the registries."""

import numpy as np
import pytest
from random_data import random_shapes

from kalos_core import (
    COSTS,
    DISTANCES,
    SOLVERS,
    Annotations,
    Boxes,
    Configuration,
    Polygons,
    compute_agreement,
)
from kalos_core.pairs import _sweep, touching_pairs

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


def tied_image(rng, n_images=1):
    """Return boxes of a coarse grid, so that ties are frequent, in several images."""
    n = 14 * n_images
    return {
        "image": np.repeat(np.arange(n_images), 14),
        "rater": rng.integers(0, N_RATERS, n),
        "label": rng.integers(0, 3, n),
        "xywh": np.c_[rng.integers(0, 4, (n, 2)), rng.integers(2, 4, (n, 2))],
    }


def from_rows(rows, n_images):
    return Annotations(
        image=rows["image"],
        rater=rows["rater"],
        label=rows["label"],
        geometry=Boxes(rows["xywh"]),
        annotation_id=[f"{n:04}" for n in range(len(rows["image"]))],
        assigned=np.ones((n_images, N_RATERS), bool),
        images=[f"i{i}" for i in range(n_images)],
        raters=[f"r{r}" for r in range(N_RATERS)],
        classes=["a", "b", "c"],
    )


@pytest.mark.parametrize("psi", sorted(COSTS))
@pytest.mark.parametrize("seed", range(8))
def test_no_image_depends_on_the_others_or_on_chunks(psi, seed, monkeypatch):
    n_images = 12
    rows = tied_image(np.random.default_rng(seed), n_images)
    configuration = Configuration("box_iou", 0.7, "greedy", psi)
    together = compute_agreement(from_rows(rows, n_images), configuration)
    for image in range(n_images):
        own = rows["image"] == image
        part = {name: column[own] for name, column in rows.items()}
        part["image"] = np.zeros(own.sum(), int)
        alone = compute_agreement(from_rows(part, 1), configuration)
        assert alone.alpha[0] == together.alpha[image]
    for chunk in (1, 40):
        monkeypatch.setattr("kalos_core.agreement.CHUNK", chunk)
        again = compute_agreement(from_rows(rows, n_images), configuration)
        assert np.array_equal(again.reliability.values, together.reliability.values)


@pytest.mark.parametrize("name", ["polygon_iou", "polygon_giou"])
def test_mirror_images_tie_whoever_drew_them(name):
    # X and its mirror image are equally near to the symmetric Y, but the last bits of
    # an intersection depend on the order of its operands.
    x = [(0.75, 0.75), (0.5, 0.875), (0.3125, 0.6875), (0.4375, 0.1875), (0.6875, 0.25)]
    mirrored = [(1 - a, b) for a, b in x]
    y = [(0.3125, 0.25), (0.6875, 0.25), (0.625, 0.75), (0.375, 0.75)]
    shapes = Polygons.from_rings([x, mirrored, y], [0, 1, 2], 3)
    found = []
    for raters in ([0, 0, 1], [1, 1, 0]):
        made = Annotations(
            image=np.zeros(3, int),
            rater=raters,
            label=np.zeros(3, int),
            geometry=shapes,
            annotation_id=["x", "mirrored", "y"],
            assigned=[[True, True]],
            images=["i"],
            raters=["ana", "ben"],
            classes=["a"],
        )
        unit_of = compute_agreement(made, Configuration(name, 0.9)).reliability.unit_of
        unit = dict(zip(made.annotation_id.tolist(), unit_of.tolist(), strict=True))
        found.append(unit["x"] == unit["y"])
    assert found[0] == found[1]


@pytest.mark.parametrize("turned", [False, True])
def test_rows_and_columns_are_swept_alike(turned):
    # Full-width text lines: along x all overlap, along y none.
    lines = np.c_[np.zeros(400), np.arange(400), np.full(400, 1000), np.full(400, 0.5)]
    boxes = lines[:, [1, 0, 3, 2]] if turned else lines
    rows = {
        "image": np.zeros(400, int),
        "rater": np.arange(400) % 2,
        "label": np.zeros(400, int),
        "xywh": boxes,
    }
    looked_at = sum(
        len(k) for k, _ in touching_pairs(from_rows(rows, 1), Boxes(boxes).bounds())
    )
    assert looked_at == 0
    _, _, count = _sweep(rows["image"], Boxes(boxes).bounds(), int(not turned))
    assert count.sum() == 0
