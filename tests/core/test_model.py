import numpy as np
import pytest

from kalos_core import (
    DISTANCES,
    Agreement,
    AnnotationError,
    Annotations,
    Boxes,
    CandidatePairs,
    Configuration,
    KalosError,
    ReliabilityMatrix,
)

GOOD = dict(
    image=[0, 0],
    rater=[1, 0],
    label=[0, 0],
    geometry=Boxes([[0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.2, 0.2]]),
    annotation_id=["a2", "a1"],
    assigned=[[True, True]],
    images=["003.jpg"],
    raters=["ana", "ben"],
    classes=["cat"],
)


def test_annotations_are_put_into_canonical_order_with_their_shapes():
    made = Annotations(**GOOD)
    assert made.annotation_id.tolist() == ["a1", "a2"]
    assert made.rater.tolist() == [0, 1]
    assert made.geometry.xywh[:, 0].tolist() == [0.3, 0.1]


def test_what_is_given_stays_as_it_was_and_what_is_made_is_read_only():
    assigned = np.array([[True, True]])
    rater = np.array([1, 0])
    made = Annotations(**{**GOOD, "assigned": assigned, "rater": rater})
    assigned[0, 0] = False
    rater[:] = 0
    assert made.assigned.all()
    assert made.rater.tolist() == [0, 1]
    for array in (made.image, made.assigned, made.geometry.xywh, made.annotation_id):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]


def test_two_raters_may_use_the_same_id():
    assert len(Annotations(**{**GOOD, "annotation_id": ["a", "a"]})) == 2


def box(*xywh):
    return Boxes([[0.1, 0.1, 0.2, 0.2], list(xywh)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"geometry": box(0.3, float("nan"), 0.1, 0.1)},
            r"annotation 'a1' \(image '003.jpg'\) must have a box of four finite "
            r"numbers, got \[0.3, nan, 0.1, 0.1\]",
        ),
        ({"geometry": box(0.3, float("inf"), 0.1, 0.1)}, "four finite numbers"),
        (
            {"geometry": box(0.3, 0.3, -0.1, 0.1)},
            r"'a1' \(image '003.jpg'\) must have a box of positive width and height, "
            r"got \[0.3, 0.3, -0.1, 0.1\]",
        ),
        ({"geometry": box(0.3, 0.3, 0.1, 0.0)}, "positive width and height"),
        (
            {"assigned": [[False, True]]},
            r"'a1' \(image '003.jpg'\) is by rater 'ana', who is not assigned to that "
            r"image; assigned are \['ben'\]",
        ),
        ({"assigned": [[False, False]]}, r"assigned are \[\] \(and 1 more like it\)"),
        ({"assigned": [[True]]}, r"assigned must have shape \(1, 2\), got \(1, 1\)"),
        (
            {"annotation_id": ["a", "a"], "rater": [0, 0]},
            r"'a' \(image '003.jpg'\) has the id of another one by the same rater",
        ),
        (
            {"label": [0, 1]},
            "label must index 1 names, got values from 0 to 1, the first in annotation "
            r"'a1' \(image '003.jpg'\)",
        ),
        (
            {"label": [-1, 0]},
            r"from -1 to 0, the first in annotation 'a2' \(image '003",
        ),
        ({"rater": [0, -1]}, "rater must index 2 names, got values from -1 to 0"),
        ({"image": [0, 4]}, "image must index 1 names, .* in annotation 'a1'$"),
        ({"image": ["0", "x"]}, "image must be rows of numbers"),
        ({"image": [0, 0.7]}, r"^image must be whole numbers, got 0\.7$"),
        ({"rater": np.array([0, np.nan])}, "^rater must be whole numbers, got nan$"),
        ({"label": np.array([0, np.inf])}, "^label must be whole numbers, got inf$"),
        ({"image": [0]}, r"image must have shape \(2\), got \(1,\)"),
        ({"raters": ["ana", "ana"]}, "raters must be unique, got 'ana' twice"),
    ],
)
def test_bad_annotations_are_named(change, message):
    with pytest.raises(KalosError, match=message):
        Annotations(**{**GOOD, **change})


def test_the_error_carries_the_culprit_for_callers_who_know_more():
    with pytest.raises(AnnotationError) as caught:
        Annotations(**{**GOOD, "geometry": box(0, 0, 0, 0)})
    assert (caught.value.image, caught.value.annotation_id) == ("003.jpg", "a1")


def test_boxes_need_four_numbers_each():
    with pytest.raises(AnnotationError, match=r"shape \(N, 4\).* got \(2, 3\)"):
        Boxes([[1, 2, 3], [4, 5, 6]])
    assert len(Boxes([])) == 0


@pytest.mark.parametrize("part", ["d_loc", "solver", "psi"])
@pytest.mark.parametrize("name", [None, 3, ["greedy"]])
def test_parts_of_a_configuration_are_text(part, name):
    with pytest.raises(KalosError, match=f"^{part} must be a name as text, got "):
        Configuration(**{part: name})


@pytest.mark.parametrize("name", [None, ["box_iou"], "iou"])
def test_unknown_names_of_any_type_list_the_choices(name):
    with pytest.raises(KalosError, match=r"unknown distance .*; choose from box_cent"):
        DISTANCES[name]


@pytest.mark.parametrize("tau", [-0.1, 1.1, float("nan")])
def test_tau_is_a_distance(tau):
    with pytest.raises(KalosError, match="tau is a distance between 0 and 1"):
        Configuration(tau=tau)


def test_other_arrays_are_checked_too():
    with pytest.raises(KalosError, match=r"d_loc must have shape \(1\)"):
        CandidatePairs([0], [1], [0.1, 0.2], [0])
    with pytest.raises(KalosError, match=r"image_of must have shape \(2\)"):
        ReliabilityMatrix([[0, 0]], [0], [0])
    with pytest.raises(KalosError, match="at least -2"):
        ReliabilityMatrix([[-3]], [0], [0])
    with pytest.raises(KalosError, match=r"status must have shape \(1\)"):
        Agreement([0.5], [], 0.5, 0.5, None, Configuration())


def test_errors_begin_with_the_source():
    match = r"^file 'x': annotation 'a1' \(image '003.jpg'\) must have a box"
    with pytest.raises(AnnotationError, match=match) as caught:
        Annotations(**{**GOOD, "geometry": box(0, 0, 0, 0)}, source="file 'x'")
    assert caught.value.source == "file 'x'"
