"""What is in the data sets that are compared with the reference."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from reference import COSTS, SIMILARITIES, our_units
from test_engine import EXACT, data_sets, is_crowded

from kalos_core.pairs import candidate_pairs
from kalos_core.solvers import solve

# Of 480 data sets, 192 of volumes: those in which objects compete.
CROWDED = {
    "box_iou": 200,
    "polygon_iou": 240,
    "polygon_giou": 240,
    "volume_iou": 50,
    "keypoint_mpjpe": 330,
}
SETUPS = list(itertools.product(("greedy", "shm", "ahc"), COSTS))


@cache
def generated(d_loc):
    """Return the annotations, configurations and pairs of all data sets of a kind."""
    return [
        (made, configuration, candidate_pairs(made, d_loc, configuration.tau))
        for case in EXACT
        if case[0] == d_loc
        for made, _, configuration in data_sets(*case, for_them=lambda *_: None)
    ]


@pytest.mark.parametrize("d_loc", SIMILARITIES)
def test_many_have_objects_that_compete(d_loc):
    found = sum(is_crowded(made, pairs) for made, _, pairs in generated(d_loc))
    assert found >= CROWDED[d_loc]


@pytest.mark.parametrize("d_loc", SIMILARITIES)
def test_solvers_and_costs_differ_on_some(d_loc):
    different = dict.fromkeys(itertools.combinations(SETUPS, 2), 0)
    for made, configuration, pairs in generated(d_loc)[::4]:
        units = {
            (solver, psi): our_units(
                made, solve(made, pairs, replace(configuration, solver=solver, psi=psi))
            )
            for solver, psi in SETUPS
        }
        for one, other in different:
            different[one, other] += units[one] != units[other]
    # Of 120 data sets, 48 of volumes.
    assert min(different.values()) >= (5 if d_loc == "volume_iou" else 40)


@pytest.mark.parametrize("d_loc", SIMILARITIES)
def test_all_that_may_go_wrong_occurs(d_loc):
    found = generated(d_loc)
    empty = partly = swapped = 0
    for made, _, pairs in found:
        drawn = np.bincount(made.image, minlength=made.n_images)
        empty += ((made.assigned.sum(axis=1) >= 2) & (drawn == 0)).any()
        partly += not made.assigned.all()
        swapped += pairs.d_cls.any()
    assert min(empty, partly, swapped) > len(found) / 10
    most = 4 if d_loc == "volume_iou" else 12
    assert {made.n_raters for made, *_ in found} == set(range(2, most + 1))
