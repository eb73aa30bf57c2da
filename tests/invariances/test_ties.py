"""Ties: what decides between equally cheap pairs, and what must not."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kalos_core import (
    COSTS,
    DISTANCES,
    SOLVERS,
    Annotations,
    Boxes,
    Configuration,
    compute_agreement,
    register_distance,
)
from kalos_core.pairs import candidate_pairs
from kalos_core.solvers import solve

RATERS, CLASSES = range(4), range(3)

# A coarse grid, so that equal distances are frequent, and few boxes to choose from,
# so that most are drawn several times, by one rater too.
grid = st.tuples(*[st.integers(0, 4)] * 2, *[st.integers(2, 4)] * 2)
few_boxes = st.lists(grid, min_size=1, max_size=4)


@st.composite
def tied_rows(draw):
    """Return rows (rater, class, box) of which many are equal."""
    box = st.one_of(st.sampled_from(draw(few_boxes)), grid)
    row = st.tuples(st.sampled_from(RATERS), st.sampled_from(CLASSES), box)
    return draw(st.lists(row, min_size=1, max_size=14))


def build(rows, ids=None, raters=RATERS, classes=CLASSES):
    """Return the rows as annotations, with raters and classes in another order."""
    return Annotations(
        image=np.zeros(len(rows), int),
        rater=[raters[row[0]] for row in rows],
        label=[classes[row[1]] for row in rows],
        geometry=Boxes([row[2] for row in rows]),
        annotation_id=[f"a{n:03}" for n in (range(len(rows)) if ids is None else ids)],
        assigned=np.ones((1, len(RATERS)), bool),
        images=["x"],
        raters=["ana", "ben", "cho", "dee"],
        classes=["cat", "dog", "owl"],
    )


def units(made, configuration, raters=RATERS, classes=CLASSES):
    """Return the units as a sorted list of the rows that they hold, ids left out."""
    pairs = candidate_pairs(made, configuration.d_loc, configuration.tau)
    unit_of = solve(made, pairs, configuration)
    rows = [
        (list(raters).index(rater), list(classes).index(label), tuple(box))
        for rater, label, box in zip(
            made.rater, made.label, made.geometry.xywh.tolist(), strict=True
        )
    ]
    return sorted(
        sorted(rows[n] for n in np.flatnonzero(unit_of == unit))
        for unit in np.unique(unit_of)
    )


def classes_differ_in_shapes(rows):
    shapes = [sorted(r[2] for r in rows if r[1] == label) for label in CLASSES]
    drawn = [tuple(boxes) for boxes in shapes if boxes]
    return len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("psi", sorted(COSTS))
@settings(max_examples=40)
@given(rows=tied_rows(), classes=st.permutations(CLASSES))
def test_alpha_never_depends_on_the_names_of_classes(psi, rows, classes):
    configuration = Configuration("box_iou", 0.7, "greedy", psi)
    found = compute_agreement(build(rows, classes=classes), configuration)
    expected = compute_agreement(build(rows), configuration)
    assert np.allclose(found.alpha, expected.alpha, equal_nan=True, atol=1e-12)


@pytest.mark.parametrize("psi", sorted(COSTS))
def test_raters_tell_classes_of_the_same_shapes_apart(psi):
    rng = np.random.default_rng(2)
    configuration = Configuration("box_iou", 0.7, "greedy", psi)
    for _ in range(200):
        drawn = rng.integers((0, 0, 2, 2), (4, 4, 5, 5), (5, 4)).tolist()
        own = [(0, box) for box in drawn[:3]] + [(1, box) for box in drawn[:3]]
        rows = [
            (int(rng.integers(0, 4)), label, tuple(box))
            for label, box in [*own, (2, drawn[3]), (2, drawn[4])]
        ]
        found = compute_agreement(build(rows, classes=[1, 0, 2]), configuration).alpha
        expected = compute_agreement(build(rows), configuration).alpha
        assert np.allclose(found, expected, equal_nan=True, atol=1e-12)


@pytest.mark.parametrize("psi", sorted(COSTS))
@settings(max_examples=40)
@given(data=st.data(), rows=tied_rows())
def test_greedy_ignores_files_ids_raters_and_names_of_classes(psi, data, rows):
    # The names of classes may decide between classes with the very same shapes.
    names = st.permutations(CLASSES)
    classes = data.draw(names) if classes_differ_in_shapes(rows) else CLASSES
    raters = data.draw(st.permutations(RATERS))
    ids = data.draw(st.permutations(range(len(rows))))
    shuffled = data.draw(st.permutations(rows))
    configuration = Configuration("box_iou", 0.7, "greedy", psi)
    found = units(build(shuffled, ids, raters, classes), configuration, raters, classes)
    assert found == units(build(rows), configuration)


@pytest.mark.parametrize("solver", sorted(SOLVERS))
@settings(max_examples=15)
@given(data=st.data(), rows=tied_rows())
def test_every_solver_ignores_the_order_of_files(solver, data, rows):
    order = data.draw(st.permutations(range(len(rows))))
    configuration = Configuration("box_iou", 0.7, solver)
    shuffled = build([rows[n] for n in order], ids=order)
    assert units(shuffled, configuration) == units(build(rows), configuration)


@pytest.fixture
def tolerant():
    """Return a distance that is 0 up to a tolerance, and so between unequal boxes."""

    @register_distance("tolerant", Boxes)
    def tolerant(boxes, k, l):
        apart = np.abs(boxes.xywh[k, 2] - boxes.xywh[l, 2])
        return (apart - 1).clip(0) / 4

    yield "tolerant"
    del DISTANCES["tolerant"]


def test_copies_of_one_rater_are_not_interchangeable_in_a_tie(tolerant):
    # By the distances alone ben's two copies are alike, but one of them finds ana.
    ana, ben, cho = range(3)
    drawn = [(ana, 2), (ben, 1), (ben, 2), (ben, 2), (cho, 4), (cho, 4)]
    rows = [(rater, 0, (0, 0, width, 1)) for rater, width in drawn]
    configuration = Configuration(tolerant, 0.5)
    expected = units(build(rows), configuration)
    for raters in itertools.permutations(RATERS):
        for listed in (rows, rows[::-1]):
            made = build(listed, raters=raters)
            assert units(made, configuration, raters) == expected


@pytest.mark.parametrize("turned", [False, True])
def test_equal_shapes_are_matched_before_equally_near_ones(annotations, turned):
    # The two differ in the last bit only, so that the distance between them is 0 too.
    one, other = "25 4 90 63", "25.000000000000007 4 90 63"
    ana, ben = ("ben", "ana") if turned else ("ana", "ben")
    made = annotations(
        f"{ana}: cat {one}",
        f"{ana}: cat {other}",
        f"{ben}: cat {other}",
        "cho: cat 28 2 93 61",
    )
    agreement = compute_agreement(made, Configuration("box_iou", 0.8))
    # Units of three cats, and of one cat and two misses: 1 - 5 * 2 / (2 * 4 * 2).
    assert agreement.alpha.tolist() == [0.375]
