"""A label that covers several of another rater's, for every shape that covers."""

import numpy as np
import pytest
from random_data import random_shapes

from kalos_core import (
    Annotations,
    Boxes,
    Configuration,
    Masks,
    Polygons,
    Volumes,
    compute_agreement,
)
from kalos_core.diagnostics.kinds import unit_kinds
from kalos_core.diagnostics.split_merge import find_splits

D_LOC = {
    "Boxes": "box_iou",
    "Polygons": "polygon_iou",
    "Masks": "mask_iou",
    "Volumes": "volume_iou",
    "Keypoints": "keypoint_mpjpe",
}


def shapes(kind, boxes):
    """Return boxes x, y, w, h in a grid of 100 as shapes of that kind."""
    boxes = np.array(boxes)
    if kind == "Boxes":
        return Boxes(boxes / 100)
    if kind == "Polygons":
        rings = [
            np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]) / 100
            for x, y, w, h in boxes
        ]
        return Polygons.from_rings(rings, np.arange(len(rings)), len(rings))
    depth = () if kind == "Masks" else (3,)
    corner = np.hstack([np.zeros((len(boxes), len(depth)), int), boxes[:, [1, 0]]])
    crops = [np.ones((*depth, h, w), bool) for _, _, w, h in boxes]
    made = Masks if kind == "Masks" else Volumes
    return made(corner, crops, np.tile([*depth, 100, 100], (len(boxes), 1)))


def by_raters(kind, drawn, tau=0.5):
    """Return annotations of one image, agreement and kinds; raters to boxes."""
    rows = [(r, box) for r, boxes in enumerate(drawn.values()) for box in boxes]
    made = Annotations(
        image=[0] * len(rows),
        rater=[r for r, _ in rows],
        label=[0] * len(rows),
        geometry=shapes(kind, [box for _, box in rows]),
        annotation_id=[f"{n:02}" for n in range(len(rows))],
        assigned=np.ones((1, len(drawn))),
        images=["x"],
        raters=list(drawn),
        classes=["cat"],
    )
    agreement = compute_agreement(made, Configuration(D_LOC[kind], tau))
    return made, agreement, unit_kinds(made, agreement)


WHOLE, LEFT, RIGHT = [0, 0, 20, 10], [0, 0, 11, 10], [11, 0, 9, 10]
REGIONS = ["Boxes", "Polygons", "Masks", "Volumes"]


@pytest.mark.parametrize("kind", REGIONS)
@pytest.mark.parametrize("tau", [0.5, 0.3])  # the whole matched to the left, or alone
def test_a_split_object(kind, tau):
    drawn = {"ana": [WHOLE], "ben": [LEFT, RIGHT]}
    _, _, kinds = by_raters(kind, drawn, tau)
    assert set(kinds.kind) == {"split_merge"}
    assert set(kinds.outlier) == {-1}  # which of two is right nobody can tell
    assert kinds.splits.whole.tolist() == [0, 0]
    assert kinds.splits.part.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("who", "alone"),
    [
        ({"ana": [WHOLE], "ben": [LEFT, RIGHT], "cho": [LEFT, RIGHT]}, 0),
        ({"ana": [WHOLE], "ben": [LEFT, RIGHT], "cho": [WHOLE]}, 1),
        ({"ana": [LEFT, RIGHT], "ben": [WHOLE], "cho": [WHOLE], "dan": [WHOLE]}, 0),
        (
            {
                "ana": [LEFT, RIGHT],
                "ben": [LEFT, RIGHT],
                "cho": [WHOLE],
                "dan": [LEFT, RIGHT],
                "eva": [],
            },
            2,
        ),
        ({"ana": [LEFT, RIGHT], "ben": [WHOLE], "cho": [WHOLE, [60, 60, 9, 9]]}, 0),
        ({"a": [LEFT, RIGHT], "b": [LEFT, RIGHT], "c": [WHOLE], "d": [WHOLE]}, -1),
        ({"ana": [LEFT, RIGHT], "ben": [WHOLE], "cho": []}, -1),
    ],
)
def test_who_split_or_merged_alone(who, alone):
    _, _, kinds = by_raters("Boxes", who)
    split = kinds.kind == "split_merge"
    assert split.sum() == 2
    assert set(kinds.outlier[split]) == {alone}


TABLE, CUP, PLATE = [0, 0, 40, 40], [10, 10, 8, 8], [22, 10, 10, 10]


@pytest.mark.parametrize("kind", REGIONS)
@pytest.mark.parametrize(
    ("ana", "ben"),
    [
        ([TABLE], [TABLE, CUP]),  # the cup was missed, not merged with the table
        ([TABLE], [TABLE, CUP, PLATE]),
        ([TABLE], [TABLE, TABLE]),  # drawn twice
        ([WHOLE, LEFT, RIGHT], [LEFT, RIGHT]),  # ana has labels of her own for both
        ([WHOLE], [LEFT, [18, 0, 8, 10]]),  # a quarter of the second inside
        ([WHOLE], [LEFT]),
        ([TABLE], [CUP, PLATE]),  # a tenth of the table, which ben missed
    ],
)
def test_what_is_no_split(kind, ana, ben):
    _, _, kinds = by_raters(kind, {"ana": ana, "ben": ben})
    assert "split_merge" not in set(kinds.kind)
    assert len(kinds.splits) == 0


@pytest.mark.parametrize("kind", REGIONS)
@pytest.mark.parametrize(("width", "n_found"), [(4, 2), (3, 0)])
def test_parts_make_up_half_of_the_whole(kind, width, n_found):
    parts = [[0, 0, 6, 10], [20 - width, 0, width, 10]]
    _, _, kinds = by_raters(kind, {"ana": [WHOLE], "ben": parts})
    assert len(kinds.splits) == n_found


def test_what_lies_outside_does_not_make_up_the_whole():
    parts = [[-3, 0, 6, 10], [16, 0, 8, 10]]  # 14 wide, 7 of it inside
    _, _, kinds = by_raters("Boxes", {"ana": [WHOLE], "ben": parts})
    assert len(kinds.splits) == 0


def test_parts_drawn_twice_are_both_parts():
    drawn = {"ana": [WHOLE], "ben": [LEFT, RIGHT, RIGHT]}
    _, _, kinds = by_raters("Boxes", drawn, 0.3)
    assert kinds.splits.part.tolist() == [1, 2, 3]


def slowly(made, reliability):
    """Return the same splits, label by label and word by word."""
    geometry, found = made.geometry, set()
    extent, bounds = geometry.extent(), geometry.bounds()
    rank = [(extent[n], *bounds[n]) for n in range(len(made))]

    one, other = np.indices((len(made), len(made))).reshape(2, -1)
    shares = geometry.overlap(one, other).reshape(len(made), -1) / extent

    def share(k, l):
        return shares[k, l]

    def covers(k, l):
        own = reliability.values[made.rater[k], reliability.unit_of[l]]
        alone = own == -1 or reliability.unit_of[k] == reliability.unit_of[l]
        return made.image[k] == made.image[l] and alone and share(k, l) > 0.4999

    for k in range(len(made)):
        for b in set(range(made.n_raters)) - {made.rater[k]}:
            inside = [l for l in np.flatnonzero(made.rater == b) if covers(k, l)]
            parts, apart = [], {}
            for l in inside:
                larger = [share(j, l) for j in inside if rank[j] > rank[l]]
                if share(k, l) - max(larger, default=0) > 0.4999:
                    parts.append(l)
                    apart[rank[l]] = l
            filled = sum(share(k, l) * extent[l] for l in apart.values())
            if len(apart) >= 2 and filled > 0.4999 * extent[k]:
                found |= {(k, int(l)) for l in parts}
    return found


@pytest.mark.parametrize("crowd", [100, 3])  # all pairs, and swept
@pytest.mark.parametrize("kind", ["Boxes", "Polygons", "Masks"])
def test_splits_as_found_word_by_word(kind, crowd, monkeypatch):
    monkeypatch.setattr("kalos_core.pairs.CROWD", crowd)
    monkeypatch.setattr("kalos_core.ranges.CHUNK", 50)
    n_found = 0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        side = rng.choice([8, 15, 30, 60], (40, 2))
        boxes = np.hstack([rng.integers(0, 100 - side), side])
        made = scattered(shapes(kind, boxes), rng)
        agreement = compute_agreement(made, Configuration(D_LOC[kind]))
        splits = find_splits(made, agreement.reliability)
        pairs = list(zip(splits.whole.tolist(), splits.part.tolist(), strict=True))
        assert pairs == sorted(slowly(made, agreement.reliability))
        n_found += len(pairs)
    assert n_found > 5


def scattered(geometry, rng, n_raters=3):
    n = len(geometry)
    return Annotations(
        image=rng.integers(0, 2, n),
        rater=rng.integers(0, n_raters, n),
        label=np.zeros(n, int),
        geometry=geometry,
        annotation_id=[f"{n:02}" for n in range(n)],
        assigned=np.ones((2, n_raters)),
        images=["x", "y"],
        raters=[f"r{r}" for r in range(n_raters)],
        classes=["cat"],
    )


def test_keypoints_cover_nothing():
    rng = np.random.default_rng(0)
    made = scattered(random_shapes("Keypoints", rng, 40), rng)
    agreement = compute_agreement(made, Configuration("keypoint_mpjpe", 0.05))
    assert len(find_splits(made, agreement.reliability)) == 0


def share_of_splits(image, rater, box, tau):
    """Return the share of units in 100 images that have to do with a split."""
    made = Annotations(
        image=image,
        rater=rater,
        label=np.zeros(len(box), int),
        geometry=Boxes(box),
        annotation_id=[f"{n:05}" for n in range(len(box))],
        assigned=np.ones((100, max(rater) + 1)),
        images=[f"{n:03}" for n in range(100)],
        raters=[f"r{r}" for r in range(max(rater) + 1)],
        classes=["cat"],
    )
    agreement = compute_agreement(made, Configuration(tau=tau))
    return np.mean(unit_kinds(made, agreement).kind == "split_merge")


@pytest.mark.parametrize(("missed", "most"), [(0, 0), (0.1, 0.002), (0.3, 0.008)])
def test_raters_who_only_draw_inexactly_and_miss_do_not_split(missed, most):
    rng = np.random.default_rng(0)
    side = np.tile(rng.uniform(0.03, 0.4, (2000, 2)), (2, 1))
    box = np.hstack([np.tile(rng.random((2000, 2)), (2, 1)) * (1 - side), side])
    box += rng.normal(0, 0.03, box.shape) * np.tile(side, 2)
    image, rater = np.arange(4000) % 100, np.repeat([0, 1], 2000)
    seen = rng.random(4000) >= missed
    assert share_of_splits(image[seen], rater[seen], box[seen], 0.5) <= most


def test_boxes_at_random_hardly_ever_make_up_another():
    rng = np.random.default_rng(0)
    side = rng.uniform(0.05, 0.3, (1800, 2))
    box = np.hstack([rng.uniform(0, 1 - side), side])
    image, rater = np.arange(1800) % 100, np.arange(1800) // 100 % 3
    assert 0 < share_of_splits(image, rater, box, 0.8) < 0.015
