"""Multi-graph matching against the exact optimum, found by linear programming."""

import itertools
import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_data import crowd
from scipy.optimize import Bounds, LinearConstraint, milp

from kalos_core import COSTS, Configuration, compute_agreement
from kalos_core.pairs import candidate_pairs
from kalos_core.solvers import solve

TAU = 0.8


def found_and_cheapest(made, psi):
    """Return the pairs that our units join, and those of the cheapest units."""
    pairs = candidate_pairs(made, "box_iou", TAU)
    cost = COSTS[psi](pairs.d_loc, pairs.d_cls)
    unit_of = solve(made, pairs, Configuration("box_iou", TAU, "mgm", psi))
    joined = np.argwhere(np.triu(unit_of[:, None] == unit_of, 1))
    names = list(zip(pairs.k.tolist(), pairs.l.tolist(), strict=True))
    return {*map(tuple, joined.tolist())}, {names[n] for n in cheapest(names, cost)}


def cheapest(names, cost):
    """Return the numbers of pairs that are joined at the least cost.

    Whoever is joined with two is joined with both: x_ab + x_bc - x_ac <= 1, and 1
    without x_ac if a and c are no candidate pair.
    """
    if not names:
        return []
    number = {frozenset(name): n for n, name in enumerate(names)}
    rows = []
    for one, other in itertools.combinations(number, 2):
        if len(one ^ other) == 2:
            row = np.zeros(len(names))
            row[[number[one], number[other]]] = 1
            if one ^ other in number:
                row[number[one ^ other]] = -1
            rows.append(row)
    limits = LinearConstraint(np.array(rows), ub=1) if rows else ()
    ones = np.ones(len(names))
    joined = milp(cost, integrality=ones, bounds=Bounds(0, 1), constraints=limits).x
    return np.flatnonzero(joined > 0.5)


@pytest.mark.parametrize("psi", sorted(COSTS))
@pytest.mark.parametrize("n_raters", [2, 3])
def test_few_raters_are_matched_at_the_least_cost(psi, n_raters):
    n_joined = 0
    for seed in range(12):
        made = crowd(seed, n=36, n_images=2, n_raters=n_raters)
        found, expected = found_and_cheapest(made, psi)
        assert found == expected
        n_joined += len(expected)
    assert n_joined > 30


# Seeds for which one search alone, one start or one way ends at units that cost more.
@pytest.mark.parametrize(
    ("psi", "seed"), [("soft", 3), ("soft", 8), ("soft", 67), ("neg", 54)]
)
def test_eight_raters_are_matched_at_the_least_cost(psi, seed):
    found, expected = found_and_cheapest(crowd(seed, n=48, n_images=1, n_raters=8), psi)
    assert found == expected


TWO_THREADS = """
import sys, threading
sys.path[:0] = sys.argv[1:]
from random_data import crowd
from kalos_core import Configuration, compute_agreement

def work():
    for seed in range(4):
        compute_agreement(crowd(seed, n=60, n_images=2), Configuration(solver="mgm"))

threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join(60) for thread in threads]
print(sum(thread.is_alive() for thread in threads), flush=True)
"""


def test_threads_do_not_wait_for_each_other():
    # The library logs to Python under a lock of its own: a deadlock without ours.
    tests = Path(__file__).parents[1]
    command = [sys.executable, "-c", TWO_THREADS, str(tests.parent), str(tests)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90)
    assert done.stdout.strip() == "0", done.stderr


def test_the_library_is_quiet_and_its_level_is_given_back(caplog):
    logger = logging.getLogger("libmgm")
    before = logger.level
    for level in (logging.INFO, logging.ERROR):
        logger.setLevel(level)
        compute_agreement(crowd(0, n=60, n_images=2), Configuration(solver="mgm"))
        assert logger.level == level
    logger.setLevel(before)
    assert not [one for one in caplog.records if one.name.startswith("libmgm")]
