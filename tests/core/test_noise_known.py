"""What synthetic raters are known to do, beside what matching finds."""

import numpy as np
import pytest
from noisy import ALWAYS, LOUD, grid_of_boxes, noise, random_reference, reference

from kalos_core import Annotations, Boxes
from kalos_core.noise import (
    ERRORS,
    default_parameters,
    differences_of,
    extract_differences,
    simulate_raters,
)
from kalos_core.noise.carry import joined
from kalos_core.noise.laws import Logistic
from kalos_core.noise.visible import matched_ranges


def simulate(reference, parameters, n_raters=3, **options):
    rng = np.random.default_rng(0)
    return simulate_raters(reference, parameters, n_raters=n_raters, rng=rng, **options)


def together(made):
    """Return the annotations of the reference and of its synthetic raters."""
    one, others = made.reference, made.annotations()
    columns = {
        name: np.append(getattr(one, name), getattr(others, name))
        for name in ("image", "label", "annotation_id")
    }
    return Annotations(
        **columns,
        rater=np.append(one.rater, others.rater + 1),
        geometry=joined([one.geometry, others.geometry]),
        assigned=np.hstack([one.assigned, others.assigned]),
        images=one.images,
        raters=("reference", *others.raters),
        classes=one.classes,
    )


@pytest.mark.parametrize("kind", ["Boxes", "Polygons", "Keypoints"])
def test_all_fates_are_counted(kind):
    reference = random_reference(kind, 1, [5, 0, 7, 3] * 5, 3)
    made = simulate(reference, LOUD)
    found = differences_of(made)
    fates = np.bincount(made.fate.ravel(), minlength=len(ERRORS))
    count = dict(zip(ERRORS, fates.tolist(), strict=True))
    n_added = int((made.error == ERRORS.index("added")).sum())
    assert found.counts.n_unmatched.sum() == count["deleted"] + n_added
    assert found.counts.n_missed.sum() == count["deleted"]
    assert len(found.counts.image) == 3 * reference.n_images
    assert len(found.shifts) == count["category"] + count["localization"]
    assert found.shifts.mistaken.sum() == count["category"]
    assert found.confusion.sum() == count["category"]
    assert found.directed
    if kind == "Boxes":
        assert found.labels.unmatched.sum() == count["deleted"] + n_added
        asked = made.combining & (made.fate != ERRORS.index("deleted"))
        assert asked.sum() > 10
        assert found.labels.parent.sum() == count["split"] + asked.sum()
        assert found.labels.fragmented.sum() == count["split"]


def test_matching_finds_the_same_where_nothing_is_ambiguous():
    made = simulate(grid_of_boxes(30, side=0.15), noise(category={"rate": 0.1}))
    known = differences_of(made)
    found = extract_differences(together(made), reference="reference")
    assert len(found.shifts) > 0.98 * len(known.shifts)
    pairs = {}
    for name, each in (("known", known), ("found", found)):
        order = np.argsort(each.shifts.translation)
        pairs[name] = each.shifts.translation[order], each.shifts.width[order]
    shared = np.isin(
        pairs["known"][0].round(12), pairs["found"][0].round(12), assume_unique=True
    )
    assert shared.mean() > 0.98


def test_what_was_cut_at_the_edge_is_not_known():
    """Of boxes anywhere that is 1 to 2 % by the defaults."""
    rng = np.random.default_rng(1)
    side = np.exp(rng.uniform(np.log(0.03), np.log(0.2), (4000, 2)))
    corner = rng.uniform(0, 1 - side)
    reference = random_reference("Boxes", 0, [8] * 500, 1)
    reference = Annotations(
        image=np.arange(4000) // 8,
        rater=np.zeros(4000, int),
        label=np.zeros(4000, int),
        geometry=type(reference.geometry)(np.hstack([corner, side])),
        annotation_id=np.arange(4000).astype(str),
        assigned=reference.assigned,
        images=reference.images,
        raters=reference.raters,
        classes=reference.classes,
    )
    made = simulate(reference, default_parameters(), n_raters=1)
    found = differences_of(made)
    unknown = np.isnan(found.shifts.translation)
    bounds = made.geometry.bounds()[found.shifts.target - len(reference)]
    assert (unknown == ((bounds <= 0) | (bounds >= 1)).any(axis=1)).all()
    assert 0.01 < unknown.mean() < 0.02


def test_what_was_to_be_combined_is_known_whether_it_was_or_not():
    """One box of each class is alone, two of another lie as parts of one do."""
    boxes = Boxes([[0.1, 0.1, 0.1, 0.3], [0.2, 0.1, 0.1, 0.3], [0.6, 0.6, 0.2, 0.2]])
    alone = reference(boxes, image=[0, 0, 0], label=[0, 0, 1])
    law = noise(topology={"susceptibility": ALWAYS, "fragmented": 0.0})
    made = simulate(alone, law, n_raters=1)
    assert [ERRORS[fate] for fate in made.fate[0]] == ["combined"] * 2 + [
        "localization"
    ]
    assert made.combining.all()
    assert made.n_unpaired.tolist() == [1]
    found = differences_of(made)
    assert found.labels.parent.sum() == 3
    assert not found.labels.fragmented.any()
    assert len(found.children) == 0  # no law has placed them


def test_what_is_combined_follows_its_images():
    """Also what a group shares, and whatever the order of images."""
    given = random_reference("Boxes", 5, [4, 0, 6, 3] * 5, 2)
    law = noise(topology={"susceptibility": Logistic(16.0, 4.0), "fragmented": 0.0})
    backwards = [f"{n:03}" for n in range(given.n_images, 0, -1)]
    large = given.geometry.area() > np.exp(-4.0)
    made = simulate(given, law, names=backwards)
    assert made.combining[:, large].mean() > 0.7
    assert made.combining[:, ~large].mean() < 0.3
    shared = simulate(given, law, groups=[2, 1], magnitude=0.0)
    assert (shared.combining[0] == shared.combining[1]).all()
    assert shared.combining[:, large].mean() > 0.7
    assert (shared.combining[0] != shared.combining[2]).any()


def test_parts_lead_from_their_parents():
    made = simulate(
        grid_of_boxes(5, side=0.2),
        noise(topology={"susceptibility": ALWAYS, "fragmented": 1.0}),
    )
    children = differences_of(made).children
    assert children.n_events == made.fate.size
    assert (np.bincount(children.event) == 2).all()
    assert children.leading.sum() == children.n_events
    first = made.annotation_id[children.child[children.leading] - len(made.reference)]
    assert all(name.endswith("part1") for name in first)
    assert (children.translation <= children.reach * (1 + 1e-9)).all()
    assert (children.fragmented == 1).all()


@pytest.mark.parametrize("directed", [True, False])
def test_between_the_ends_boxes_are_matched_and_beyond_they_are_not(directed):
    rng, n = np.random.default_rng(2), 200
    side = rng.uniform(0.05, 0.2, (n, 2))
    step, ratio = rng.normal(0, 0.1, (n, 2)) * side, rng.normal(0, 0.15, (n, 2))

    def iou(step, ratio):
        fixed = side if directed else side * np.exp(0.5 * given)
        one = fixed if directed else fixed * np.exp(-0.5 * ratio)
        other = one * np.exp(ratio)
        both = np.minimum((one + other) / 2 - np.abs(step), np.minimum(one, other))
        shared = both.clip(0).prod(axis=1)
        return shared / (one.prod(axis=1) + other.prod(axis=1) - shared)

    given = ratio
    near = iou(step, ratio) >= 0.5
    assert near.mean() > 0.9
    length, width, height = matched_ranges(side, step, ratio, 0.5, directed)
    unit = step / np.hypot(*step.T)[:, None]
    assert iou(length[:, 1:] * unit, ratio)[near] == pytest.approx(0.5, abs=1e-6)
    for axis, ends in enumerate((width, height)):
        changed = ratio.copy()
        changed[:, axis] = np.sign(ratio[:, axis]) * ends[:, 1]
        assert iou(step, changed)[near] == pytest.approx(0.5, abs=1e-6)
        assert (ends[near, 0] <= np.abs(ratio[near, axis])).all()
