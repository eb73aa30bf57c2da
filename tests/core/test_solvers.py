import importlib

import numpy as np
import pytest

from kalos_core import (
    COSTS,
    SOLVERS,
    Annotations,
    Boxes,
    Configuration,
    KalosError,
    SolverError,
    compute_agreement,
)
from kalos_core.pairs import candidate_pairs
from kalos_core.solvers import solve
from kalos_core.solvers.components import complete


def units(made, solver="greedy", tau=0.5, psi="soft"):
    """Return the units as sets of annotation ids."""
    pairs = candidate_pairs(made, "box_iou", tau)
    unit_of = solve(made, pairs, Configuration("box_iou", tau, solver, psi))
    return {
        frozenset(made.annotation_id[unit_of == unit].tolist())
        for unit in np.unique(unit_of)
    }


def test_cheapest_pair_wins_and_a_rater_occurs_once(annotations):
    # ana's second box is nearer to ben's than her first: a0000 stays alone.
    made = annotations(
        "ana: cat 0 0 10 10",
        "ana: cat 2 0 10 10",
        "ben: cat 3 0 10 10",
        "cho: cat 4 0 10 10",
    )
    assert units(made) == {
        frozenset({"a0000"}),
        frozenset({"a0001", "a0002", "a0003"}),
    }


def test_equal_class_is_preferred_to_nearness(annotations):
    # The dog is nearer to ben's cat, but psi_soft takes the cat.
    made = annotations("ana: dog 0 0 10 10", "ana: cat 3 0 10 10", "ben: cat 0 0 10 10")
    assert units(made) == {frozenset({"a0000"}), frozenset({"a0001", "a0002"})}


def test_clusters_merge_when_their_raters_differ(annotations):
    # Two tight pairs, then one bridge between them.
    made = annotations(
        "ana: cat 0 0 10 10",
        "ben: cat 0 0 10 10",
        "cho: cat 3 0 10 10",
        "dee: cat 3 0 10 10",
    )
    assert len(units(made)) == 1


def test_more_raters_than_bits_in_a_word(annotations):
    made = annotations(*(f"r{n:03}: cat 0 0 10 10" for n in range(130)))
    assert len(units(made)) == 1
    twice = annotations(
        *(f"r{n:03}: cat 0 0 10 10" for n in range(130)), "r129: cat 1 0 10 10"
    )
    assert len(units(twice)) == 2


def test_sequential_matching_takes_the_most_pairs_not_the_cheapest(annotations):
    # Distances: 0 and 8 are 1/3 apart (32 of 48), 0 and -25 are 10/13 (15 of 65),
    # 25 and 8 are 34/57 (23 of 57); 25 and -25 do not touch. The cheapest pair alone
    # would leave both others without one.
    made = annotations(
        "ana: cat 30 30 40 40",
        "ana: cat 55 30 40 40",
        "ben: cat 38 30 40 40",
        "ben: cat 5 30 40 40",
    )
    two = {frozenset({"a0000", "a0003"}), frozenset({"a0001", "a0002"})}
    assert units(made, "shm", 0.8, "neg") == two
    assert frozenset({"a0000", "a0002"}) in units(made, "greedy", 0.8, "neg")


@pytest.mark.parametrize("psi", sorted(COSTS))
def test_clustering_keeps_a_rater_apart_where_all_pairs_are_candidates(
    annotations, psi
):
    made = annotations(
        "ana: cat 0 0 10 10", "ana: cat 50 0 10 10", "ben: cat 0 0 10 10"
    )
    assert units(made, "ahc", 1.0, psi) == {
        frozenset({"a0000", "a0002"}),
        frozenset({"a0001"}),
    }


def test_a_solver_that_breaks_the_partition_is_refused(annotations, monkeypatch):
    made = annotations("x ana: cat 0 0 9 9", "x ana: cat 0 0 9 9", "y ana: cat 0 0 9 9")
    monkeypatch.setitem(SOLVERS, "one", lambda a, *_: np.zeros(len(a), int))
    with pytest.raises(SolverError, match="'one' joined annotations of two images"):
        units(made, "one")
    monkeypatch.setitem(SOLVERS, "two", lambda a, *_: a.image)
    with pytest.raises(SolverError, match="'two' put a rater into one unit twice"):
        units(made, "two")


@pytest.mark.parametrize("answer", [[0], [0, 1, 9], [0, 1, -1], [0.5, 1, 2], "abc"])
def test_a_solver_that_names_no_annotations_is_refused(
    answer, annotations, monkeypatch
):
    made = annotations("x ana: cat 0 0 9 9", "x ben: cat 0 0 9 9", "y ana: cat 0 0 9 9")
    monkeypatch.setitem(SOLVERS, "odd", lambda *_: answer)
    with pytest.raises(KalosError, match="solver 'odd'"):
        units(made, "odd")


@pytest.mark.parametrize("solver", ["greedy", "shm", "ahc", "mgm"])
@pytest.mark.parametrize("cost", [np.nan, np.inf])
def test_a_cost_that_is_no_number_is_refused(solver, cost, annotations, monkeypatch):
    made = annotations("x ana: cat 0 0 9 9", "x ben: cat 0 0 9 9")
    monkeypatch.setitem(COSTS, "odd", lambda d_loc, d_cls: d_loc + cost)
    with pytest.raises(KalosError, match="cost 'odd' must be one finite number"):
        compute_agreement(made, Configuration(solver=solver, psi="odd"))


def one_by_one(made, pairs, cost):
    """Greedy as the paper tells it: one pair after the other."""
    cluster = [{k} for k in range(len(made))]
    for pair in np.argsort(cost, kind="stable"):
        one, other = cluster[pairs.k[pair]], cluster[pairs.l[pair]]
        if one is other or {made.rater[n] for n in one} & {
            made.rater[n] for n in other
        }:
            continue
        one |= other
        for n in other:
            cluster[n] = one
    return {frozenset(made.annotation_id[list(c)].tolist()) for c in cluster}


def crowd(seed, n=120, spread=0.3):
    """Return boxes of several raters that overlap at random."""
    rng = np.random.default_rng(seed)
    n_raters = int(rng.integers(2, 9))
    return Annotations(
        image=rng.integers(0, 3, n),
        rater=rng.integers(0, n_raters, n),
        label=rng.integers(0, 3, n),
        geometry=Boxes(
            np.c_[rng.random((n, 2)) * spread, rng.uniform(0.1, 0.3, (n, 2))]
        ),
        annotation_id=[f"a{k:03}" for k in range(n)],
        assigned=np.ones((3, n_raters), bool),
        images=["x", "y", "z"],
        raters=[f"r{r}" for r in range(n_raters)],
        classes=["a", "b", "c"],
    )


@pytest.mark.parametrize("seed", range(20))
def test_merging_in_rounds_equals_merging_one_by_one(seed):
    made = crowd(seed)
    pairs = candidate_pairs(made, "box_iou", 0.8)
    cost = COSTS["soft"](pairs.d_loc, pairs.d_cls)
    assert units(made, tau=0.8) == one_by_one(made, pairs, cost)


@pytest.mark.parametrize("solver", ["ahc", "mgm"])
@pytest.mark.parametrize("psi", ["soft", "neg"])
@pytest.mark.parametrize("seed", range(5))
def test_complete_components_are_what_the_whole_solver_finds(
    solver, psi, seed, monkeypatch
):
    made = crowd(seed, n=60, spread=0.8)
    quick = units(made, solver, 0.7, psi)
    asked = []

    def never(members, costs):
        asked.append(complete(members, costs))
        return False

    module = importlib.import_module(f"kalos_core.solvers.{solver}")
    monkeypatch.setattr(module, "complete", never)
    assert units(made, solver, 0.7, psi) == quick
    assert any(asked)


def test_unknown_names_list_the_choices(annotations):
    made = annotations("ana: cat 0 0 9 9", "ben: cat 0 0 9 9")
    with pytest.raises(
        KalosError, match="unknown solver 'gredy'; choose from ahc, greedy, mgm, shm"
    ):
        units(made, solver="gredy")
    with pytest.raises(KalosError, match="unknown cost 'hard'; choose from neg, soft"):
        units(made, psi="hard")
