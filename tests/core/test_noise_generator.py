"""The order of errors, the count of lost ones, groups, and input that is refused."""

from dataclasses import replace

import numpy as np
import pytest
from diagnosing import collaborate
from noisy import (
    ALWAYS,
    LOUD,
    QUIET,
    grid_of_boxes,
    noise,
    random_reference,
    reference,
)
from random_data import volumes
from scipy import stats

from kalos_core import Annotations, Boxes, KalosError, Keypoints, Polygons
from kalos_core.diagnostics.collaboration import matrix
from kalos_core.noise import (
    ERRORS,
    Proposals,
    default_parameters,
    fit_noise,
    moved_proposals,
    signal_loss,
    simulate_raters,
)
from kalos_core.noise.laws import Beta, FoldedT, Logistic, PoissonRate
from kalos_core.noise.parameters import Shift
from kalos_core.noise.topology import combination_score, fragments, likely


def simulate(annotations, parameters=QUIET, seed=0, n_raters=1, **arguments):
    rng = np.random.default_rng(seed)
    return simulate_raters(
        annotations, parameters, n_raters=n_raters, rng=rng, **arguments
    )


def fates(made):
    return [[ERRORS[code] for code in row] for row in made.fate.tolist()]


def row_of_boxes(n, size=0.08):
    """Return boxes of one class side by side in one image."""
    xywh = [[k / n, 0.4, size, size] for k in range(n)]
    return reference(Boxes(xywh), [0] * n, n_classes=2)


SPLIT = {"susceptibility": ALWAYS, "fragmented": 1.0}
COMBINE = {"susceptibility": ALWAYS, "fragmented": 0.0}
DELETE = {"rate": PoissonRate(1.4, 0.0), "added": 0.0}
OTHER = np.array([[0, 1], [1, 0]])
STILL = FoldedT(0.0, 0.0, 3.0, 0.0)


def test_splits_take_all_from_the_later_stages_by_hand():
    made = simulate(
        row_of_boxes(4),
        noise(topology=SPLIT, category={"rate": 1.0}),
        transition=OTHER,
    )
    assert fates(made) == [["split"] * 4]
    assert made.n_attempted.tolist() == [[0, 4, 4, 4]]
    assert made.n_lost.tolist() == [[0, 0, 4, 4]]
    assert made.signal_loss == 8 / 12


def test_mistakes_take_all_from_the_shifts_by_hand():
    made = simulate(row_of_boxes(4), noise(category={"rate": 1.0}), transition=OTHER)
    assert fates(made) == [["category"] * 4]
    assert made.n_attempted.tolist() == [[0, 0, 4, 4]]
    assert made.n_lost.tolist() == [[0, 0, 0, 4]]


def test_deletions_come_first():
    parameters = noise(unmatched=DELETE, topology=SPLIT, category={"rate": 1.0})
    made = simulate(row_of_boxes(9), parameters, seed=3, transition=OTHER)
    n_deleted = fates(made)[0].count("deleted")
    assert 0 < n_deleted < 9
    assert fates(made)[0].count("split") == 9 - n_deleted
    assert made.n_attempted.tolist() == [[n_deleted, 9, 9, 9]]
    assert made.n_lost.tolist() == [[0, n_deleted, 9, 9]]


def test_of_three_that_want_a_partner_two_are_combined_by_hand():
    boxes = Boxes([[0.4 + 0.05 * k, 0.4, 0.08, 0.08] for k in range(3)])
    made = simulate(reference(boxes, [0] * 3), noise(topology=COMBINE))
    # Each finds one of the others; the first two are taken from the third.
    assert sorted(fates(made)[0]) == ["combined", "combined", "localization"]
    assert made.n_attempted.tolist() == [[0, 3, 0, 3]]
    assert made.n_lost.tolist() == [[0, 2, 0, 2]]
    both = int((made.error == ERRORS.index("combined")).argmax())
    pair = made.reference_index[made.first[both] : made.first[both + 1]]
    old = made.reference.geometry.bounds()[pair]
    expected = [*old[:, :2].min(axis=0), *old[:, 2:].max(axis=0)]
    assert made.geometry.bounds()[both] == pytest.approx(expected)
    assert made.annotation_id[both].endswith(".combined")


def test_nothing_is_combined_with_another_class_or_image():
    boxes = Boxes([[0.1, 0.1, 0.2, 0.2]] * 3)
    made = simulate(reference(boxes, [0, 0, 1], [0, 1, 0]), noise(topology=COMBINE))
    assert fates(made) == [["localization"] * 3]
    assert made.n_attempted.tolist() == [[0, 0, 0, 3]]


def test_the_score_of_two_children_by_hand():
    """Of boxes within (0.2, 0.2) to (0.6, 0.6), whose centre is at (0.4, 0.4)."""
    law = replace(
        QUIET.topology,
        shift=Shift(
            FoldedT(0.05, 0.1, nu=5, sigma=0.03),
            FoldedT(0.9, 0.2, nu=4, sigma=0.2),
            FoldedT(0.7, -0.1, nu=6, sigma=0.3),
        ),
        angle=Beta(4.0, 2.0),
        kappa=0.2,
    )

    def folded(value, trend, nu, sigma):
        return sum(
            stats.t.pdf((x - trend) / sigma, nu) / sigma for x in (value, -value)
        )

    third, half, area = np.log(4 / 3), np.log(2), 0.16
    moved = 0.0125**0.5  # (-0.1, -0.05) and (0.05, 0.1)
    by_place = folded(moved, 0.05 + 0.1 * area, 5, 0.03) ** 2
    by_width = np.prod([folded(x, 0.7 + 0.2 * area, 4, 0.2) for x in (half, third)])
    by_height = np.prod([folded(x, 0.5 - 0.1 * area, 6, 0.3) for x in (third, half)])
    by_angle = stats.beta.pdf(np.arccos(-0.8) / np.pi, 4, 2)
    one, other = np.array([[0.2, 0.2, 0.4, 0.5]]), np.array([[0.3, 0.4, 0.6, 0.6]])
    expected = np.log(by_place * by_width * by_height * by_angle)
    for pair in ((one, other), (other, one)):
        assert combination_score(*pair, law) == pytest.approx(expected, abs=1e-12)


def test_partners_are_chosen_by_their_likelihood():
    large, near, far = (
        [0.3, 0.3, 0.12, 0.13],
        [0.37, 0.34, 0.12, 0.12],
        [0.38, 0.35, 0.12, 0.12],
    )
    boxes, n = np.array([large, near, far]), 3000
    topology = {"susceptibility": Logistic(8400.0, 2000.0), "fragmented": 0.0}
    parameters = noise(topology=topology)  # only the large one wants a partner
    image = np.repeat(np.arange(n), 3)
    made = simulate(reference(Boxes(np.tile(boxes, (n, 1))), image), parameters)
    combined = (made.fate[0] == ERRORS.index("combined")).reshape(n, 3)
    assert (combined.sum(axis=1) == 2).all()
    bounds = Boxes(boxes).bounds()
    law = parameters.topology
    score = np.exp(combination_score(bounds[[0, 0]], bounds[[1, 2]], law))
    n_near, chance = int(combined[:, 1].sum()), score[0] / score.sum()
    assert 0.05 < chance < 0.95
    assert stats.binomtest(n_near, n, chance).pvalue > 0.01
    assert stats.binomtest(n_near, n, 0.5).pvalue < 1e-6


def test_what_no_object_falls_into_is_not_combined():
    boxes = Boxes([[0.1, 0.1, 0.08, 0.08], [0.8, 0.1, 0.08, 0.08]])
    made = simulate(reference(boxes, [0, 0]), noise(topology=COMBINE))
    assert fates(made) == [["localization"] * 2]
    assert made.n_unpaired.tolist() == [2]
    assert made.n_attempted.tolist() == [[0, 0, 0, 2]]


@pytest.mark.parametrize("law", [QUIET.topology, default_parameters().topology])
@pytest.mark.parametrize("side", [0.05, 0.1, 0.2, 0.4])
def test_nearly_all_children_of_one_parent_would_be_combined_again(law, side):
    parent = np.tile([0.5 - side / 2] * 2 + [0.5 + side / 2] * 2, (4000, 1))
    children = fragments(parent, law, np.random.default_rng(1))
    assert np.isfinite(likely(*children, law)).mean() > 0.975


def test_combined_polygons_keep_both_outlines():
    rings = [
        [[0.1, 0.1], [0.3, 0.1], [0.1, 0.3]],
        [[0.24, 0.2], [0.44, 0.2], [0.24, 0.4]],
    ]
    polygons = Polygons.from_rings(rings, [0, 1], 2)
    made = simulate(reference(polygons, [0, 0]), noise(topology=COMBINE))
    assert len(made) == 1
    assert made.geometry.area() == pytest.approx([0.04])
    assert made.geometry.bounds()[0] == pytest.approx([0.1, 0.1, 0.44, 0.4])


def test_keypoints_are_neither_split_nor_combined():
    joints = Keypoints(np.full((3, 2, 2), 0.5), np.ones((3, 2), bool))
    made = simulate(reference(joints, [0, 0, 0]), noise(topology=SPLIT))
    assert fates(made) == [["localization"] * 3]
    assert made.n_attempted.tolist() == [[0, 0, 0, 3]]


def test_a_shape_goes_along_with_its_box():
    ring = [[0.3, 0.3], [0.5, 0.3], [0.5, 0.5], [0.4, 0.35]]
    shapes = Polygons.from_rings([ring], [0], 1)
    made = simulate(reference(shapes))
    (old,), (new,) = shapes.bounds(), made.geometry.bounds()
    part = (np.array(ring) - old[:2]) / (old[2:] - old[:2])
    expected = Polygons.from_rings([new[:2] + part * (new[2:] - new[:2])], [0], 1)
    assert made.geometry.shapes[0].equals_exact(expected.shapes[0], 1e-12)


def iou(one, other):
    """Return the IoU of boxes (P, 4) and (P, 4), left, top, right and bottom."""
    low = np.maximum(one[:, :2], other[:, :2])
    high = np.minimum(one[:, 2:], other[:, 2:])
    both = (high - low).clip(0).prod(axis=1)
    areas = [(box[:, 2:] - box[:, :2]).prod(axis=1) for box in (one, other)]
    return both / (areas[0] + areas[1] - both)


@pytest.mark.parametrize("groups", [None, (2, 1)])
def test_added_labels_are_clear_of_the_reference_and_of_each_other(groups):
    annotations = random_reference("Boxes", 1, [3, 5, 2, 0, 8] * 8, 3)
    parameters = noise(
        unmatched={"rate": PoissonRate(60.0, 0.0), "added": 1.0},
        localization={"shift": Shift(STILL, STILL, STILL)},
    )
    made = simulate(annotations, parameters, n_raters=3, groups=groups)
    added = np.flatnonzero(made.error == ERRORS.index("added"))
    assert len(added) > 100
    bounds, known = made.geometry.bounds(), annotations.geometry.bounds()
    k, l = np.nonzero(made.image[added][:, None] == annotations.image)
    assert iou(bounds[added[k]], known[l]).max() < 0.1
    block = made.image[added] * 3 + made.rater[added]
    k, l = np.nonzero(np.triu(block[:, None] == block, 1))
    assert iou(bounds[added[k]], bounds[added[l]]).max() < 0.1


def test_a_user_brings_proposals():
    annotations = grid_of_boxes(2, label=[0] * 9 + [1] * 9, n_classes=3)
    boxes = Boxes([[0, 0, 0.1, 0.1], [0.48, 0.48, 0.04, 0.04], [0.9, 0.9, 0.1, 0.1]])
    proposals = Proposals([1, 1, 1], boxes, [0, 0, 0])
    made = simulate(
        annotations,
        noise(unmatched={"rate": PoissonRate(60.0, 0.0), "added": 1.0}),
        transition=[[0, 1, 0], [0, 0, 1], [0, 1, 0]],
        proposals=proposals,
    )
    added = made.error == ERRORS.index("added")
    found = made.geometry.xywh[added]
    assert found[found[:, 0].argsort()] == pytest.approx(boxes.xywh[[0, 2]])
    assert made.image[added].tolist() == [1, 1]
    assert made.label[added].tolist() == [2, 2]  # for which the others are mistaken


def test_in_an_empty_image_the_class_is_that_of_the_moved_shape():
    annotations = reference(Boxes([[0.2, 0.2, 0.1, 0.1]]), [0], [1], 50, 3)
    made = simulate(
        annotations,
        noise(unmatched={"rate": PoissonRate(60.0, 0.0), "added": 1.0}),
        transition=[[0, 1, 0], [0, 0, 1], [0, 1, 0]],
    )
    assert set(made.label[made.image > 0].tolist()) == {2}


def test_moved_proposals_are_real_shapes_in_all_images():
    annotations = random_reference("Keypoints", 2, [4, 0, 7], 2)
    made = moved_proposals(annotations, np.random.default_rng(0), n_spare=3)
    n_each = np.bincount(annotations.image, minlength=3) + 3
    assert np.bincount(made.image).tolist() == n_each.tolist()
    old = annotations.geometry.bounds()[made.source]
    assert made.boxes.xywh[:, 2:] == pytest.approx(old[:, 2:] - old[:, :2])
    assert made.boxes.bounds().min() >= 0
    assert made.boxes.bounds().max() <= 1


def test_who_shares_a_convention_agrees_more():
    annotations = random_reference("Boxes", 5, [6] * 60, 4)
    made = simulate(
        annotations, LOUD, n_raters=5, magnitude=0.3, groups=(3, 2), convention=2.0
    )
    assert made.group.tolist() == [0, 0, 0, 1, 1]
    _, _, result = collaborate(made.annotations())
    agreement = matrix(result.mean.value, 5)
    same = (made.group[:, None] == made.group) & ~np.eye(5, dtype=bool)
    other = made.group[:, None] != made.group
    assert agreement[same].min() > agreement[other].max() + 0.1
    deleted = made.fate == ERRORS.index("deleted")
    assert (deleted[:3].all(axis=0) & ~deleted[3:].any(axis=0)).any()
    shifted = np.flatnonzero(made.error == ERRORS.index("localization"))
    source = made.reference_index[made.first[shifted]]
    assert (made.label[shifted] == annotations.label[source]).all()
    old, new = annotations.geometry.bounds()[source], made.geometry.bounds()[shifted]
    assert np.median(iou(old, new)) > 0.6


def test_each_rater_may_have_a_magnitude():
    annotations = random_reference("Boxes", 6, [5] * 40, 3)
    made = simulate(annotations, LOUD, n_raters=3, magnitude=(0, 1, 4))
    n_wrong = (made.fate < ERRORS.index("localization")).sum(axis=1)
    assert n_wrong[0] == 0 < n_wrong[1] < n_wrong[2]
    assert made.magnitude.tolist() == [0, 1, 4]


def test_the_defaults_are_there():
    made = simulate_raters(row_of_boxes(3), rng=np.random.default_rng(0))
    assert made.raters == ("rater_1", "rater_2", "rater_3", "rater_4", "rater_5")
    assert made.annotations().classes == ("c0", "c1")


def test_signal_loss_is_a_table_beside_the_papers():
    annotations = random_reference("Boxes", 7, [8] * 100, 3)
    parameters = noise(
        unmatched={"rate": PoissonRate(-0.5, 0.02)},
        topology={"susceptibility": Logistic(-3.0, 0.3)},
        category={"rate": 0.026},
    )
    table = signal_loss(annotations, parameters, rng=np.random.default_rng(0))
    assert table.magnitude.tolist() == [0.25, 0.5, 1, 2, 5]
    assert table.paper.tolist() == [0.002, 0.013, 0.042, 0.101, 0.283]
    assert (np.diff(table.total) > 0).all()
    assert (table.by_stage[:, 0] == 0).all()
    first, second, third, *_ = str(table).splitlines()
    assert first.split() == ["magnitude", "0.25", "0.5", "1", "2", "5"]
    assert second.split()[2:] == [f"{part:.1%}" for part in table.total]
    assert third.split()[2:] == ["0.2%", "1.3%", "4.2%", "10.1%", "28.3%"]


def test_a_magnitude_that_the_paper_does_not_have_has_a_dash():
    rng = np.random.default_rng(0)
    table = signal_loss(row_of_boxes(3), magnitudes=(1, 1.5), rng=rng)
    assert str(table).splitlines()[2].split()[2:] == ["4.2%", "-"]
    assert "nan" not in str(table)


ONE = reference(Boxes([[0.4, 0.4, 0.2, 0.2]]), n_classes=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_raters": 0}, "n_raters must be at least 1, got 0"),
        ({"magnitude": -1}, "magnitude must be a number of at least 0, or 2 of them"),
        ({"magnitude": np.nan}, "at least 0"),
        ({"magnitude": (1, 1, 1)}, r"or 2 of them, got \(1, 1, 1\)"),
        ({"groups": (1, 2)}, r"add up to 2 raters, got \[1, 2\], which is 3"),
        ({"groups": (2, 0)}, "the size of a group must be at least 1, got 0"),
        ({"groups": (2,), "convention": -1}, "convention must be a number of at least"),
        ({"transition": [[0.0]]}, r"transition must have shape \(2, 2\)"),
        ({"transition": [[0.5, 0.5], [1, 0]]}, "0 on its diagonal"),
        ({"transition": [[0, 2], [1, 0]]}, "got sums from 1 to 2"),
        ({"transition": [[0, -1], [1, 0]]}, "rows of chances"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(KalosError, match=message):
        simulate(ONE, **{"n_raters": 2, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameters": {"unmatched": {}}}, r"got dict .* NoiseParameters.from_json"),
        ({"parameters": "noise.json"}, r"'noise.json'; NoiseParameters.read\(path\)"),
        ({"parameters": 3}, "parameters must be NoiseParameters, or None .* got int 3"),
        ({"rng": 3}, r"rng must be .*, got 3; pass rng=numpy.random.default_rng\(0\)"),
        ({"rng": None}, "rng must be a numpy.random.Generator, got None"),
        ({"proposals": [1]}, r"proposals must be a Proposals, got list \[1\]"),
        ({"reference": {}}, "reference must be the Annotations of one rater, got dict"),
    ],
)
def test_arguments_of_other_types_are_refused(arguments, message):
    with pytest.raises(KalosError, match=message):
        simulate_raters(
            **{"reference": ONE, "rng": np.random.default_rng(0), **arguments}
        )


def test_so_they_are_by_a_fit():
    for arguments, message in (
        ({"rng": 3}, "rng must be a numpy.random.Generator, got 3"),
        ({"defaults": "x"}, "defaults must be NoiseParameters, or None"),
    ):
        with pytest.raises(KalosError, match=message):
            fit_noise(ONE, **arguments)
    with pytest.raises(KalosError, match="annotations must be an Annotations, got"):
        fit_noise("labels.json")


def test_bad_references_are_refused(annotations):
    two = annotations("x ana: cat 1 1 9 9", "x ben: cat 1 1 9 9")
    with pytest.raises(KalosError, match="annotations of one rater, got 2"):
        simulate(two)
    scans = reference(volumes(np.random.default_rng(0), np.full((1, 2), 0.5)))
    with pytest.raises(KalosError, match="Boxes, Polygons or Keypoints, got Volumes"):
        simulate(scans)
    pixels = reference(Boxes([[40.0, 40.0, 20.0, 20.0]]))
    with pytest.raises(KalosError, match=r"'a0' .* must have its middle in the image"):
        simulate(pixels)


def test_bad_proposals_are_refused():
    with pytest.raises(KalosError, match="proposal 1 must have a box inside of its"):
        Proposals([0, 0], Boxes([[0, 0, 1, 1], [0.5, 0.5, 0.6, 0.1]]), [0, 0])
    with pytest.raises(KalosError, match="proposal 0 must have a box of positive"):
        Proposals([0], Boxes([[0, 0, 0, 1]]), [0])
    box = Boxes([[0, 0, 0.1, 0.1]])
    with pytest.raises(KalosError, match="image of proposals must be from 0 to 0"):
        simulate(ONE, proposals=Proposals([1], box, [0]))
    with pytest.raises(KalosError, match="source of proposals must be from 0 to 0"):
        simulate(ONE, proposals=Proposals([0], box, [-1]))
    joint = reference(Keypoints([[[0.5, 0.5]]], [[True]]))
    with pytest.raises(KalosError, match="a width and a height, got annotation num"):
        simulate(joint, proposals=Proposals([0], box, [0]))


@pytest.mark.parametrize("kind", ["Boxes", "Polygons", "Keypoints"])
def test_without_annotations_there_is_nothing_to_add(kind):
    annotations = random_reference(kind, 0, [0, 0], 2)
    assert isinstance(annotations, Annotations)
    assert len(simulate(annotations, LOUD, magnitude=5)) == 0
    assert len(simulate(random_reference(kind, 0, [], 2), LOUD)) == 0
