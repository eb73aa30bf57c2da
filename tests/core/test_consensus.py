"""One label per unit, by hand."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from random_data import crowd

from kalos_core import (
    Annotations,
    Boxes,
    Configuration,
    KalosError,
    Keypoints,
    compute_agreement,
    consensus,
    rater_weights,
)


def agree(made, configuration=None):
    return made, compute_agreement(made, configuration or Configuration())


@pytest.fixture
def three(annotations):
    """In x three draw a cat that cho calls a dog; y is a dog that only ana sees."""
    return agree(
        annotations(
            "x ana: cat 0 0 10 10",
            "x ben: cat 0 0 10 8",  # 0.2 from ana
            "x cho: dog 0 0 10 6",  # 0.4 from ana, 0.25 from ben
            "y ana: dog 50 50 10 10",
            "y ben:",
            "z ana:",  # a virtual unit
            "z ben:",
        )
    )


def test_votes_and_medoid_by_hand(three):
    made, agreement = three
    found = consensus(made, agreement)
    assert found.image.tolist() == [0, 1]
    assert [made.classes[c] for c in found.label] == ["cat", "dog"]
    # Sums of distances: ana 0.6, ben 0.45, cho 0.65.
    assert [made.raters[made.rater[n]] for n in found.annotation] == ["ben", "ana"]
    assert found.geometry.xywh[0] == pytest.approx([0, 0, 0.1, 0.08])
    assert found.existence == pytest.approx([1, 1 / 2])  # cho was not asked in y
    assert found.class_confidence == pytest.approx([2 / 3, 1])
    assert found.geometry_confidence[0] == pytest.approx(1 - 0.45 / 2)
    assert np.isnan(found.geometry_confidence[1])
    assert found.n_drawn.tolist() == [3, 1]
    assert found.n_asked.tolist() == [3, 2]
    assert found.n_left_out == 0


def test_weights_by_hand(three):
    # cho's dog has 3 of 5 votes. Weighted sums: ana 0.2 + 3 * 0.4 = 1.4, ben
    # 0.2 + 3 * 0.25 = 0.95, cho 0.4 + 0.25 = 0.65, so cho's shape too.
    made, agreement = three
    found = consensus(made, agreement, weights=[1, 1, 3])
    assert [made.classes[c] for c in found.label] == ["dog", "dog"]
    assert found.class_confidence[0] == pytest.approx(3 / 5)
    assert made.raters[made.rater[found.annotation[0]]] == "cho"
    assert found.geometry_confidence[0] == pytest.approx(1 - 0.65 / 2)
    assert found.existence == pytest.approx([1, 1 / 2])


def test_who_has_no_weight_is_not_there(three):
    made, agreement = three
    found = consensus(made, agreement, weights=[0, 1, 0])
    assert made.raters[made.rater[found.annotation[0]]] == "ben"
    assert np.isnan(found.geometry_confidence).all()
    # In y the only one with a vote saw nothing, but ana's label still has a class.
    assert found.existence.tolist() == [1, 0]
    assert found.class_confidence.tolist() == [1, 1]


def test_nobody_with_weight_was_asked(annotations):
    made, agreement = agree(annotations("x ana: cat 0 0 9 9", "y ben: cat 0 0 9 9"))
    found = consensus(made, agreement, weights=[0, 1])
    assert np.isnan(found.existence[0])
    assert found.existence[1] == 1
    assert len(consensus(made, agreement, weights=[0, 1], min_existence=0)) == 1


def test_thresholds_leave_units_out(three):
    made, agreement = three
    for options in ({"min_votes": 2}, {"min_existence": 0.6}):
        found = consensus(made, agreement, **options)
        assert found.image.tolist() == [0]
        assert found.n_left_out == 1
        assert len(found.geometry) == 1
    assert len(consensus(made, agreement, min_existence=0.5)) == 2
    assert len(consensus(made, agreement, min_votes=4)) == 0
    assert len(consensus(made, agreement, min_votes=4, shape="mean").geometry) == 0


def test_mean_box_by_hand(three):
    # Heights 10, 8 and 6 have the mean 8: 0.2, 0 and 0.25 from what was drawn.
    made, agreement = three
    found = consensus(made, agreement, shape="mean")
    assert found.geometry.xywh[0] == pytest.approx([0, 0, 0.1, 0.08])
    assert found.geometry_confidence[0] == pytest.approx(1 - 0.45 / 3)
    assert found.annotation.tolist() == [-1, -1]
    assert np.isnan(found.geometry_confidence[1])
    assert found.geometry.xywh[1].tolist() == [0.5, 0.5, 0.1, 0.1]
    # (10 + 8 + 2 * 6) / 4 = 7.5
    weighted = consensus(made, agreement, shape="mean", weights=[1, 1, 2])
    assert weighted.geometry.xywh[0, 3] == pytest.approx(0.075)


def poses(visible):
    """Return three raters' poses of two joints, 0.0, 0.1 and 0.2 from the corner."""
    xy = np.repeat([[[0.0, 0.0]], [[0.1, 0.1]], [[0.2, 0.2]]], 2, axis=1) + 0.2
    return Annotations(
        image=[0, 0, 0],
        rater=[0, 1, 2],
        label=[0, 0, 0],
        geometry=Keypoints(xy, visible),
        annotation_id=["a", "b", "c"],
        assigned=[[True] * 3],
        images=["x"],
        raters=["ana", "ben", "cho"],
        classes=["cat"],
    )


def test_mean_pose_by_hand():
    made = poses([[1, 1], [1, 1], [1, 0]])
    made, agreement = agree(made, Configuration("keypoint_mpjpe", 1.0))
    found = consensus(made, agreement, shape="mean")
    # The first joint is the mean of three, the second that of ana and ben.
    assert found.geometry.xy[0] == pytest.approx(np.array([[0.3, 0.3], [0.25, 0.25]]))
    assert found.geometry.visible.tolist() == [[True, True]]
    # Joint 0 is off by 0.1, 0 and 0.1 (diagonals of the image are 1), joint 1 by 0.05
    # twice, and cho does not see it.
    assert found.geometry_confidence[0] == pytest.approx(1 - (0.15 + 0.05 + 1.1) / 6)


@pytest.mark.parametrize(
    ("seen", "expected"), [([0, 0, 1], False), ([0, 1, 1], True), ([0, 0, 0], False)]
)
def test_the_majority_sees_a_joint(seen, expected):
    made = poses(np.c_[[1, 1, 1], seen])
    made, agreement = agree(made, Configuration("keypoint_mpjpe", 1.0))
    found = consensus(made, agreement, shape="mean")
    assert found.geometry.visible[0].tolist() == [True, expected]
    # Half of the votes are enough, as an object goes before nothing in other ties.
    half = consensus(made, agreement, shape="mean", weights=[0, 1, 1])
    assert half.geometry.visible[0, 1] == (sum(seen) > 0)


def test_ties_of_classes_go_to_the_frequent_one_and_then_to_the_name(annotations):
    lines = ["x ana: dog 0 0 9 9", "x ben: ant 0 0 9 9"]
    for more, expected in (
        ([], "ant"),
        (["y ana: dog 0 0 9 9"], "dog"),
        (["x ana: ant 50 50 9 9", "y ana: dog 0 0 9 9", "y ben: dog 0 0 9 9"], "ant"),
    ):
        made, agreement = agree(annotations(*lines, *more))
        found = consensus(made, agreement)
        first = found.unit == agreement.reliability.unit_of[made.label.argmax()]
        assert made.classes[found.label[found.image == 0][0]] == expected
        assert found.class_confidence[found.image == 0][0] == 0.5
        assert first.sum() == 1


@pytest.mark.parametrize("scale", [1, 7e-300, 3e300])
@pytest.mark.parametrize("weights", [(0.1, 0.2, 0.3), (1, 1, 2), (0.7, 0.1, 0.8)])
def test_votes_tie_whatever_their_last_bits(annotations, weights, scale):
    # Equal votes, so that the more frequent class of the image decides.
    for names in (("ant", "owl"), ("owl", "ant")):
        made, agreement = agree(
            annotations(
                f"x ana: {names[0]} 0 0 9 9",
                f"x ben: {names[0]} 0 0 9 9",
                f"x cho: {names[1]} 0 0 9 9",
                f"y dee: {names[1]} 0 0 9 9",
            )
        )
        given = np.array([*weights, 0]) * scale
        found = consensus(made, agreement, weights=given)
        assert made.classes[found.label[0]] == names[0]
        assert found.class_confidence[0] == pytest.approx(0.5)


@pytest.mark.parametrize("width", range(5, 14))
def test_sums_of_distances_tie_whoever_drew_them(annotations, width):
    # Four boxes in a row: the two in the middle are equally near to all, but for the
    # last bits of distances and sums.
    chosen = set()
    for order in itertools.permutations(range(4)):
        lines = [
            f"x {r}: cat {x} 0 {width} 9" for r, x in zip("abcd", order, strict=True)
        ]
        made, agreement = agree(annotations(*lines), Configuration(tau=0.9))
        assert agreement.reliability.n_units == 1
        chosen.add(consensus(made, agreement).geometry.xywh[0, 0])
    assert chosen == {0.01}  # the first by content


def test_of_two_the_shape_with_the_class_wins(annotations):
    # Equally far from each other; the dog's box comes first by content.
    made, agreement = agree(
        annotations(
            "x ana: dog 0 0 9 8", "x ben: cat 0 0 9 9", "y ana: cat 0 0 9 9", "y ben:"
        )
    )
    found = consensus(made, agreement)
    assert made.classes[found.label[0]] == "cat"
    assert made.raters[made.rater[found.annotation[0]]] == "ben"


def test_one_rater_and_nothing(annotations):
    made, agreement = agree(annotations("x ana: cat 0 0 9 9", "x ana: cat 0 0 9 9"))
    for shape in ("medoid", "mean"):
        found = consensus(made, agreement, shape=shape)
        assert found.existence.tolist() == found.class_confidence.tolist() == [1, 1]
        assert np.isnan(found.geometry_confidence).all()
        assert found.geometry.xywh.tolist() == made.geometry.xywh.tolist()
    made, agreement = agree(annotations("x ana:", "x ben:"))
    for shape in ("medoid", "mean"):
        found = consensus(made, agreement, shape=shape)
        assert len(found) == len(found.geometry) == found.n_left_out == 0
        assert isinstance(found.geometry, Boxes)


def test_a_class_that_a_rater_was_not_asked_for_is_no_vote(annotations):
    made = annotations("x ana: cat 0 0 9 9", "x ben: dog 50 50 9 9")
    made, agreement = agree(replace(made, asked=[[True, True], [False, True]]))
    found = consensus(made, agreement)
    assert dict(zip(found.label.tolist(), found.existence, strict=True)) == {
        0: 1,
        1: 0.5,
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shape": "median"}, "unknown shape 'median'; choose from medoid, mean"),
        ({"weights": [1, 1]}, "3 numbers, one for each rater"),
        ({"weights": [1, -1, 1]}, "not below 0"),
        ({"weights": [1, np.nan, 1]}, "finite"),
        ({"weights": [0, 0, 0]}, "nobody would have a vote"),
        ({"min_votes": 0}, "at least 1, got 0"),
        ({"min_existence": 1.5}, "from 0 to 1, got 1.5"),
    ],
)
def test_bad_arguments(three, options, words):
    with pytest.raises(KalosError, match=words):
        consensus(*three, **options)


def test_means_of_other_shapes_are_refused():
    made, agreement = agree(crowd(0, kind="Polygons"), Configuration("polygon_iou"))
    with pytest.raises(KalosError, match=r"Polygons is not defined.*shape='medoid'"):
        consensus(made, agreement, shape="mean")


def test_an_agreement_of_other_annotations_is_refused(three, annotations):
    with pytest.raises(KalosError, match="that of 4 annotations by 3 raters, got 1"):
        consensus(annotations("x ana: cat 0 0 9 9"), three[1])


def test_reliable_raters_outvote_those_who_guess(annotations):
    # ana and ben agree on twenty cats and dogs; cho and dee guess. In the last image
    # it is two against two, and those who are reliable decide.
    rng, lines = np.random.default_rng(1), []
    for n in range(20):
        true = ("cat", "dog")[n % 2]
        for rater in ("ana", "ben"):
            lines.append(f"i{n} {rater}: {true} 0 0 9 9")
        for rater in ("cho", "dee"):
            lines.append(f"i{n} {rater}: {rng.choice(['cat', 'dog'])} 0 0 9 9")
    for rater, said in zip(("ana", "ben", "cho", "dee"), "ddcc", strict=True):
        lines.append(f"z {rater}: {'dog' if said == 'd' else 'cat'} 0 0 9 9")
    made, agreement = agree(annotations(*lines))
    weights = rater_weights(agreement)
    assert weights[:2].min() > weights[2:].max() >= 0
    found = consensus(made, agreement, weights=weights)
    assert made.classes[found.label[-1]] == "dog"
    assert found.class_confidence[-1] > 0.5
