"""Data sets for us and for the authors' implementation, and its answers."""

import logging

import numpy as np
import pytest
from kalos.correspondence import correspondence_algorithms as correspondence
from kalos.iaa import core
from random_data import rings

from kalos_core import (
    Annotations,
    Boxes,
    Keypoints,
    Polygons,
    Volumes,
    compute_agreement,
)
from kalos_core.pairs import candidate_pairs
from kalos_core.solvers import solve

SIMILARITIES = {
    "box_iou": "bbox_iou_similarity",
    "polygon_iou": "segm_iou_similarity",
    "polygon_giou": "segm_giou_similarity",
    "volume_iou": "3D_IoU_similarity",
    "keypoint_mpjpe": "in-mpjpe_similarity",
}
COSTS = {"soft": "category_lenient", "neg": "negative_score"}


def remembered(measure):
    """Return a similarity of the reference that measures every pair of shapes once.

    It measures them anew for each threshold and each question, which takes most of the
    time of these tests.
    """
    known = {}

    def similarity(one, other):
        shapes = [next(ann[k] for k in SHAPES if k in ann) for ann in (one, other)]
        pair = tuple(map(id, shapes))
        if pair not in known:  # shapes are kept, so that their ids stay theirs
            known[pair] = measure(one, other), shapes
        return known[pair][0]

    return similarity


SHAPES = ("bbox", "segmentation", "segmentation_3d", "keypoints")
for _name, _measure in correspondence.THRESHOLD_FUNCTIONS.items():
    correspondence.THRESHOLD_FUNCTIONS[_name] = remembered(_measure)
logging.getLogger("libmgm").setLevel(logging.WARNING)  # half of its time otherwise


def draw(d_loc, rng):
    """Return one object as raw numbers, and a function that draws it again."""
    if d_loc == "box_iou":
        box = np.r_[rng.uniform(0, 0.7, 2), rng.uniform(0.05, 0.3, 2)]
        return lambda: box * rng.uniform(0.8, 1.25, 4)
    centre = rng.uniform(0.25, 0.75, (1, 2))
    if d_loc == "keypoint_mpjpe":
        joints = centre + rng.normal(0, 0.1, (5, 2))
        return lambda: np.c_[
            joints + rng.normal(0, 0.05, joints.shape),
            np.r_[2, 2 * (rng.random(4) < 0.9)],
        ]
    (outline,) = rings(rng, centre)
    if d_loc.startswith("polygon"):
        return lambda: [outline + rng.normal(0, 0.01, outline.shape)]
    half = int(rng.integers(1, 4))
    return lambda: [
        (
            float(np.clip(0.5 + (step + rng.integers(0, 2)) / 127, 0, 1)),
            (outline + rng.normal(0, 0.01, outline.shape)).clip(0, 1),
        )
        for step in range(-half, half + 1)
    ]


def random_rows(d_loc, rng, draw=draw):
    """Return who was assigned and rows (image, rater, class, raw shape).

    With misses, class swaps, empty images, unassigned raters and 2 to 12 raters. In
    about half of them the objects of an image are in one place, and compete.
    """
    slow = d_loc == "volume_iou"  # the reference fills two whole grids for a pair
    crowded = rng.random() < 0.5
    n_images, n_raters = (
        int(rng.integers(1, 3 if slow and crowded else 4)),
        int(rng.integers(2, 5 if slow else 13)),
    )
    n_most = 2 if slow else 3 if n_raters > 6 else 6
    assigned = rng.random((n_images, n_raters)) < rng.choice([0.6, 1.0])
    rows = []
    for image in range(n_images):
        again = draw(d_loc, rng)
        for _ in range(int(rng.integers(2 if crowded else 0, n_most + 1))):
            again = again if crowded else draw(d_loc, rng)
            label = int(rng.integers(0, 3))
            for rater in np.flatnonzero(assigned[image]):
                if rng.random() > 0.15:
                    other = int(rng.integers(0, 3))
                    seen = label if rng.random() < 0.85 else other
                    rows.append((image, int(rater), seen, again()))
    return assigned, rows


def ours(d_loc, assigned, rows):
    """Return the rows as annotations; ids are the numbers of the rows."""
    raw, n = [row[3] for row in rows], len(rows)
    if d_loc == "box_iou":
        shapes = Boxes(raw)
    elif d_loc.startswith("polygon"):
        owner = np.repeat(np.arange(n), [len(parts) for parts in raw])
        shapes = Polygons.from_rings(
            [ring for parts in raw for ring in parts], owner, n
        )
    elif d_loc == "keypoint_mpjpe":
        joints = np.array(raw).reshape(-1, 5, 3)
        shapes = Keypoints(joints[:, :, :2], joints[:, :, 2] > 0)
    else:
        slices = [(owner, *part) for owner, stack in enumerate(raw) for part in stack]
        owner, z, contours = zip(*slices, strict=True) if slices else ((), (), ())
        shapes = Volumes.from_contours(contours, z, np.zeros(len(z), bool), owner, n)
    return Annotations(
        image=np.array([row[0] for row in rows], int),
        rater=np.array([row[1] for row in rows], int),
        label=np.array([row[2] for row in rows], int),
        geometry=shapes,
        annotation_id=[f"{number:05}" for number in range(n)],
        assigned=assigned,
        images=[f"i{number}" for number in range(len(assigned))],
        raters=[f"r{number:02}" for number in range(assigned.shape[1])],
        classes=["a", "b", "c"],
    )


def theirs(d_loc, assigned, rows):
    """Return the rows in the reference's structure.

    Its sequential matching goes through a set of raters, so in each image they are
    numbered from 0, those who drew first: only then is the order of the set theirs.
    """
    data = {}
    for image, who in enumerate(assigned):
        drew = sorted({row[1] for row in rows if row[0] == image})
        local = drew + [r for r in np.flatnonzero(who).tolist() if r not in drew]
        data[image] = {
            "rater_list": list(range(len(local))),
            "annotations_by_rater": {n: [] for n in range(len(drew))},
        }
        for number, (where, rater, label, raw) in enumerate(rows):
            if where == image:
                n = local.index(rater)
                made = {"id": number, "rater_id": n, "category_id": label}
                made |= their_shape(d_loc, raw)
                data[image]["annotations_by_rater"][n].append(made)
    return data


def theirs_by_name(d_loc, assigned, rows):
    """Return the rows in the reference's structure, raters numbered as in the data set.

    All assigned raters are listed, as its loader does.
    """
    data = {
        image: {
            "rater_list": np.flatnonzero(who).tolist(),
            "annotations_by_rater": {n: [] for n in np.flatnonzero(who).tolist()},
        }
        for image, who in enumerate(assigned)
    }
    for number, (image, rater, label, raw) in enumerate(rows):
        made = {"id": number, "rater_id": rater, "category_id": label}
        made |= their_shape(d_loc, raw)
        data[image]["annotations_by_rater"][rater].append(made)
    return data


def their_shape(d_loc, raw):
    if d_loc == "box_iou":
        return {"bbox": raw.tolist()}
    if d_loc.startswith("polygon"):
        return {"segmentation": [ring.ravel().tolist() for ring in raw]}
    if d_loc == "keypoint_mpjpe":
        return {"keypoints": raw.ravel().tolist()}
    slices = [{"z_position": z, "points": outline.tolist()} for z, outline in raw]
    return {"segmentation_3d": slices}


def reference_clusters(data, configuration):
    """Return the reference's units of each image, as tuples of row numbers."""
    similarity = SIMILARITIES[configuration.d_loc]
    threshold = 1 - configuration.tau
    return [
        correspondence.MATCHING_FUNCTIONS[configuration.solver](
            image,
            correspondence.precompute_pairwise_scores(
                image, correspondence.THRESHOLD_FUNCTIONS[similarity], threshold
            ),
            correspondence.COST_FUNCTIONS[COSTS[configuration.psi]],
            threshold,
        )
        for image in data.values()
    ]


def as_sets(clusters):
    return {frozenset(cluster) for image in clusters for cluster in image}


def our_units(made, unit_of):
    ids = made.annotation_id.astype(int)
    return {frozenset(ids[unit_of == unit].tolist()) for unit in np.unique(unit_of)}


def check(made, data, configuration):
    """Compare units as sets, and all alphas."""
    clusters = reference_clusters(data, configuration)
    found = compute_agreement(made, configuration)
    pairs = candidate_pairs(made, configuration.d_loc, configuration.tau)
    unit_of = solve(made, pairs, configuration)
    assert our_units(made, unit_of) == as_sets(clusters)
    check_images(found, data, clusters)
    check_data_set(found, data, configuration)


def check_images(found, data, clusters):
    expected = np.array(
        [
            core.vision_alpha(core.build_reliability_matrix(image, units))
            for image, units in zip(data.values(), clusters, strict=True)
        ]
    )
    defined = found.status != "undefined"
    assert np.abs(found.alpha[defined] - expected[defined]).max(initial=0) < 1e-9
    # By decision: what cannot be computed is undefined, the reference says 1.
    assert (expected[~defined] == 1).all()


def answers(data, configuration, raters=None, diagnostics=False):
    """Return all that the reference computes."""
    return core.calculate_iaa(
        data,
        {0: "a", 1: "b", 2: "c"},
        configuration.solver,
        SIMILARITIES[configuration.d_loc],
        COSTS[configuration.psi],
        1 - configuration.tau,
        diagnostics,
        diagnostics,
        diagnostics,
        raters or sorted({r for image in data.values() for r in image["rater_list"]}),
    )


def check_data_set(found, data, configuration):
    mean, overall, *_ = answers(data, configuration)
    if (found.status != "undefined").all():
        assert found.mean_alpha == pytest.approx(mean, abs=1e-9)
    if np.isnan(found.global_alpha):
        assert overall == 1
    else:
        assert found.global_alpha == pytest.approx(overall, abs=1e-9)
