"""Distances against the similarities of the authors' implementation, kalos 0.8.0."""

import itertools

import numpy as np
import pytest
from kalos.correspondence.correspondence_algorithms import THRESHOLD_FUNCTIONS
from reference import SIMILARITIES, draw, ours, their_shape
from test_polygons import KINDS

from kalos_core import DISTANCES

N_OBJECTS, N_DRAWN = 6, 4
SEEDS = {"volume_iou": 2}  # on which the reference is slow


def both_distances(d_loc, drawn):
    """Return our distance and the reference's of every two shapes, from raw numbers."""
    made = ours(d_loc, np.ones((1, 1), bool), [(0, 0, 0, raw) for raw in drawn])
    k, l = np.triu_indices(len(drawn), 1)
    similarity = THRESHOLD_FUNCTIONS[SIMILARITIES[d_loc]]
    shapes = [their_shape(d_loc, raw) for raw in drawn]
    theirs = [1 - similarity(a, b) for a, b in itertools.combinations(shapes, 2)]
    return DISTANCES[d_loc].measure(made.geometry, k, l), np.array(theirs)


def drawn_again(d_loc, rng, draw=draw):
    """Return objects, each drawn several times: some pairs are near, some are far."""
    objects = [draw(d_loc, rng) for _ in range(N_OBJECTS)]
    return [again() for again in objects for _ in range(N_DRAWN)]


def check(d_loc, drawn):
    found, expected = both_distances(d_loc, drawn)
    assert np.abs(found - expected).max() <= 1e-12
    assert len(np.unique(found)) > N_OBJECTS * N_DRAWN  # they do differ
    # Where nothing is shared, exactly as there.
    assert np.array_equal(found == 1, expected == 1)


@pytest.mark.parametrize(
    ("d_loc", "seed"),
    [(d_loc, s) for d_loc in SIMILARITIES for s in range(SEEDS.get(d_loc, 20))],
)
def test_distances_are_equal(d_loc, seed):
    check(d_loc, drawn_again(d_loc, np.random.default_rng([7, seed])))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d_loc", ["polygon_iou", "polygon_giou"])
@pytest.mark.parametrize("seed", range(10))
def test_distances_of_unusual_polygons_are_equal(d_loc, kind, seed):
    rng = np.random.default_rng([8, seed])
    check(d_loc, drawn_again(d_loc, rng, lambda _, rng: KINDS[kind](rng)))


@pytest.mark.parametrize("d_loc", SIMILARITIES)
def test_equal_shapes_are_equally_far(d_loc):
    drawn = drawn_again(d_loc, np.random.default_rng(9))[::N_DRAWN]
    found, expected = both_distances(d_loc, [raw for raw in drawn for _ in range(2)])
    assert np.abs(found - expected).max() <= 1e-12


def test_every_similarity_is_compared():
    # By decision centres are relative to the image, see test_engine.
    assert set(THRESHOLD_FUNCTIONS) - {*SIMILARITIES.values()} <= {
        "centroid_similarity"
    }
