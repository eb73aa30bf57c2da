"""Wrong arguments from Python: errors say what was expected and what was given."""

import numpy as np
import pytest
from random_data import crowd, rated_boxes

from kalos_core import (
    DISTANCES,
    AnnotationError,
    Annotations,
    Boxes,
    Configuration,
    KalosError,
    Keypoints,
    bootstrap_calibration,
    calibrate,
    calibrate_by_size,
    compare,
    compute_agreement,
    diagnose,
    interpret,
    measure_pairs,
    nominal_alpha,
    rank_distances,
    register_distance,
)

MADE = rated_boxes(np.random.default_rng(0), n_images=4)
AGREEMENT = compute_agreement(MADE, Configuration())
CALIBRATION = calibrate(MADE, "box_iou", rng=np.random.default_rng(0))

DRAWING = {
    "diagnose": lambda rng: diagnose(MADE, Configuration(), AGREEMENT, rng=rng),
    "calibrate": lambda rng: calibrate(MADE, "box_iou", rng=rng),
    "bootstrap_calibration": lambda rng: bootstrap_calibration(
        MADE, CALIBRATION, rng=rng
    ),
    "calibrate_by_size": lambda rng: calibrate_by_size(MADE, CALIBRATION, rng=rng),
    "rank_distances": lambda rng: rank_distances(MADE, ["box_iou"], rng=rng),
    "compare": lambda rng: compare(["i"], [0.5], ["i"], [0.6], rng=rng),
}


@pytest.mark.parametrize("name", DRAWING)
@pytest.mark.parametrize("rng", [0, None, np.random.RandomState(0)])
def test_chance_needs_a_generator(name, rng):
    match = r"^rng must be a numpy.random.Generator, got .*; pass rng=numpy.random.def"
    with pytest.raises(KalosError, match=match):
        DRAWING[name](rng)


GENERATOR = np.random.default_rng(0)
MISTAKEN = {
    "annotations": [
        lambda: compute_agreement([], Configuration()),
        lambda: diagnose(None, Configuration(), AGREEMENT, rng=GENERATOR),
        lambda: calibrate("x.json", "box_iou", rng=GENERATOR),
        lambda: rank_distances({}, ["box_iou"], rng=GENERATOR),
        lambda: bootstrap_calibration([], CALIBRATION, rng=GENERATOR),
        lambda: measure_pairs(AGREEMENT, "box_iou"),
    ],
    "agreement": [lambda: diagnose(MADE, Configuration(), 0.7, rng=GENERATOR)],
    "configuration": [lambda: compute_agreement(MADE, "box_iou")],
    "calibration": [lambda: calibrate_by_size(MADE, 0.5, rng=GENERATOR)],
    "measured": [
        lambda: compute_agreement(MADE, Configuration(), measured=[]),
        lambda: calibrate(MADE, "box_iou", rng=GENERATOR, measured=0.5),
        lambda: diagnose(
            MADE, Configuration(), AGREEMENT, rng=GENERATOR, measured=CALIBRATION
        ),
    ],
}


@pytest.mark.parametrize(
    ("name", "call"),
    [(name, call) for name, calls in MISTAKEN.items() for call in calls],
)
def test_another_type_is_named(name, call):
    with pytest.raises(KalosError, match=rf"^{name} must be an? \w+, got \w+ "):
        call()


@pytest.mark.parametrize("n_boot", [True, 0, 2.5, "100", None])
def test_rounds_are_a_number(n_boot):
    with pytest.raises(KalosError, match=r"n_boot must be at least 1, got "):
        bootstrap_calibration(MADE, CALIBRATION, rng=GENERATOR, n_boot=n_boot)


def test_numbers_of_numpy_are_numbers():
    rounds = np.int64(3)
    found = bootstrap_calibration(MADE, CALIBRATION, rng=GENERATOR, n_boot=rounds)
    assert found.n_boot == 3


GOOD = dict(
    image=[0, 0],
    rater=[1, 0],
    label=[0, 0],
    geometry=Boxes([[0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.2, 0.2]]),
    annotation_id=["a2", "a1"],
    assigned=[[True, True]],
    images=["i"],
    raters=["ana", "ben"],
    classes=["cat"],
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"geometry": [[0.1, 0.1, 0.2, 0.2]] * 2},
            "^geometry must be shapes such as Boxes, got list ",
        ),
        ({"raters": [None, "a"]}, "^raters must be names as text, got None$"),
        ({"classes": [3]}, "^classes must be names as text, got 3$"),
        ({"images": "i"}, "^images must be a list of names, got 'i'$"),
        ({"images": None}, "^images must be a list of names, got None$"),
        ({"identity": "ab"}, "^identity must be a list of names, got 'ab'$"),
        ({"identity": 2}, "^identity must be a list of names, got 2$"),
        ({"identity": ["ana", None]}, "^identity must be names as text, got None$"),
        ({"assigned": [["yes", "no"]]}, "^assigned must be True or False, got yes$"),
        ({"assigned": "all"}, "^assigned must be True or False, got all$"),
        ({"assigned": [[1.0, np.nan]]}, "^assigned must be True or False, got nan$"),
        ({"assigned": [[1, 2]]}, "^assigned must be True or False, got 2$"),
        ({"assigned": [[True, True], [True]]}, "^assigned must be rows of numbers"),
        ({"asked": [[True], [np.nan]]}, "^asked must be True or False, got nan$"),
    ],
)
def test_wrong_parts_of_annotations_are_named(change, message):
    with pytest.raises(KalosError, match=message):
        Annotations(**{**GOOD, **change})


def test_flags_may_be_ones_and_zeros():
    assert Annotations(**{**GOOD, "assigned": [[1, 1.0]]}).assigned.all()


def test_alpha_of_lists_is_that_of_arrays():
    alpha, uniform = nominal_alpha([[0, 0, 3], [0, 1, 3]], [0, 0, 1], 2)
    assert alpha.tolist() == [0, 1]
    assert uniform.tolist() == [False, True]


@pytest.mark.parametrize(
    ("values", "group", "message"),
    [
        ([[0, -3], [0, 1]], [0, 0], "values must be at least -2, unassigned, got -3"),
        ([[0, 1], [0, 1]], [0, 2], "numbers of 2 groups, from 0, got values from 0 to"),
        ([[0, 1], [0, 1]], [-1, 0], "numbers of 2 groups, from 0, got values from -1"),
        ([[0, 1], [0, 1]], [0], r"shape \(raters, units\) and group \(units\), got"),
        ([0, 1], [0, 0], r"values must have shape \(raters, units\)"),
        ([["a", "b"]], [0, 0], "values must be rows of numbers"),
        ([[0.5, 1]], [0, 0], "values must be whole numbers, got 0.5"),
    ],
)
def test_wrong_values_of_alpha_are_named(values, group, message):
    with pytest.raises(KalosError, match=message):
        nominal_alpha(values, group, 2)


def test_a_distance_that_is_no_number_is_refused():
    register_distance("worded", Boxes)(lambda boxes, k, l: ["near"] * len(k))
    try:
        with pytest.raises(AnnotationError, match="distances 'worded' must be rows of"):
            compute_agreement(crowd(0), Configuration("worded"))
    finally:
        del DISTANCES["worded"]


def test_a_complex_distance_is_refused():
    register_distance("turned", Boxes)(lambda boxes, k, l: np.full(len(k), 0.5 + 0j))
    try:
        with pytest.raises(AnnotationError, match=r"'turned' must be .* complex"):
            compute_agreement(crowd(0), Configuration("turned"))
    finally:
        del DISTANCES["turned"]


@pytest.mark.parametrize("wrong", [{"window": None}, {"bound": 3}])
def test_what_is_no_function_is_no_part_of_a_distance(wrong):
    with pytest.raises(KalosError, match="window and bound of distance 'mine' must be"):
        register_distance("mine", Boxes, **wrong)


@pytest.mark.parametrize("alpha", [7, 1.01, True, "0.5"])
def test_what_is_no_alpha_has_no_reading(alpha):
    with pytest.raises(KalosError, match=r"^alpha must be a number of at most 1, got "):
        interpret(alpha)
    assert interpret(1 + 1e-12) == interpret(np.array(1)) == "near-perfect agreement"


def test_joints_are_drawn_or_not():
    xy = np.zeros((1, 3, 2))
    assert Keypoints(xy, [[0, 1, 2]]).visible.tolist() == [[False, True, True]]
    for wrong in (3, np.nan, -1):
        with pytest.raises(AnnotationError, match=r"^visibilities must be 0, 1 or"):
            Keypoints(xy, [[0, 1, wrong]])
