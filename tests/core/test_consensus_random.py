"""One label per unit: against brute force, and in any order."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from random_data import crowd

from kalos_core import (
    DISTANCES,
    UNASSIGNED,
    Annotations,
    Configuration,
    compute_agreement,
    consensus,
)

BY_KIND = {
    "Boxes": ("box_iou", 0.7),
    "Polygons": ("polygon_iou", 0.7),
    "Masks": ("mask_iou", 0.8),
    "Volumes": ("volume_iou", 0.95),
    "Keypoints": ("keypoint_mpjpe", 0.3),
}


def brute_force(made, agreement, weights):
    """Return class, existence, class confidence and medoids with their own."""
    reliability, rows = agreement.reliability, []
    measure = DISTANCES[agreement.configuration.d_loc].measure
    count = made.label.tolist().count
    for unit in np.unique(reliability.unit_of).tolist():
        own = np.flatnonzero(reliability.unit_of == unit)
        weight = {n: Fraction(weights[made.rater[n]]) for n in own}
        asked = np.flatnonzero(reliability.values[:, unit] != UNASSIGNED)
        existence = sum(weight.values()) / sum(Fraction(weights[r]) for r in asked)
        votes = {}
        for n in own:
            votes[made.label[n]] = votes.get(made.label[n], 0) + weight[n]
        here = made.label[made.image == made.image[own[0]]].tolist().count
        label = min(votes, key=lambda c: (-votes[c], -here(c), -count(c), c))
        d = {
            (k, l): float(measure(made.geometry, *np.array([[k], [l]]))[0])
            for k in own
            for l in own
        }
        cost = {
            k: float(sum(weight[l] * Fraction(d[k, l]) for l in own if l != k))
            for k in own
        }
        least = [k for k in own if cost[k] < min(cost.values()) + 1e-12]
        rest = {k: float(sum(weight.values()) - weight[k]) for k in own}
        medoids = {k: 1 - cost[k] / rest[k] if rest[k] else np.nan for k in least}
        share = votes[label] / sum(weight.values())
        rows.append((label, float(existence), float(share), medoids))
    return rows


@pytest.mark.parametrize("kind", BY_KIND)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weights", [None, (1, 2, 3, 0.5, 0.25)])
def test_medoids_against_brute_force(kind, seed, weights):
    n = 30 if kind == "Volumes" else 70
    made = crowd(seed, n, kind=kind)
    agreement = compute_agreement(made, Configuration(*BY_KIND[kind]))
    found = consensus(made, agreement, weights=weights)
    expected = brute_force(made, agreement, weights or (1,) * 5)
    assert len(found) == len(expected)
    assert (found.n_drawn >= 2).any()
    for nth, (label, existence, share, medoids) in enumerate(expected):
        assert found.label[nth] == label
        assert found.existence[nth] == pytest.approx(existence)
        assert found.class_confidence[nth] == pytest.approx(share)
        assert found.annotation[nth] in medoids
        confidence = medoids[found.annotation[nth]]
        assert found.geometry_confidence[nth] == pytest.approx(confidence, nan_ok=True)


def tied(rng, kind):
    """Return annotations of which many are equal, and of two classes."""
    made = crowd(int(rng.integers(1000)), 60, kind=kind)
    again = rng.integers(0, max(len(made) // 3, 1), len(made))
    return replace(
        made,
        geometry=made.geometry.take(again),
        label=made.label % 2,
        image=np.where(made.image == 1, 0, made.image),
        assigned=np.ones_like(made.assigned),
    )


def content(made, found):
    """Return the labels as sorted rows without ids, indices or order."""
    columns = np.array([np.asarray(c, float) for c in found.geometry.content()]).T
    return sorted(
        (
            made.images[i],
            made.classes[c],
            *columns[n].tolist(),
            round(found.existence[n], 9),
            round(found.class_confidence[n], 9),
            round(np.nan_to_num(found.geometry_confidence[n], nan=-1), 9),
        )
        for n, (i, c) in enumerate(zip(found.image, found.label, strict=True))
    )


def shuffled(made, rng):
    """Return the same with images, raters, classes and rows in another order."""
    order = rng.permutation(len(made))
    names = made.images, made.raters, made.classes
    image, rater, label = (rng.permutation(len(each)) for each in names)
    return Annotations(
        image=image[made.image[order]],
        rater=rater[made.rater[order]],
        label=label[made.label[order]],
        geometry=made.geometry.take(order),
        annotation_id=[f"{n:03}" for n in range(len(made))],
        assigned=made.assigned[np.ix_(np.argsort(image), np.argsort(rater))],
        images=[made.images[n] for n in np.argsort(image)],
        raters=[made.raters[n] for n in np.argsort(rater)],
        classes=[made.classes[n] for n in np.argsort(label)],
    ), rater


MEANS = [("Boxes", "mean"), ("Keypoints", "mean")]


@pytest.mark.parametrize(
    ("kind", "shape"), [*((kind, "medoid") for kind in BY_KIND), *MEANS]
)
@pytest.mark.parametrize("seed", range(6))
def test_no_order_matters(kind, seed, shape):
    rng = np.random.default_rng(seed)
    configuration = Configuration(*BY_KIND[kind])
    made = tied(rng, kind)
    weights = rng.choice([0.1, 0.2, 0.3], 5)  # 0.1 + 0.2 is not 0.3 in floats
    agreement = compute_agreement(made, configuration)
    expected = content(made, consensus(made, agreement, weights=weights, shape=shape))
    for _ in range(3):
        other, rater = shuffled(made, rng)
        found = consensus(
            other,
            compute_agreement(other, configuration),
            weights=weights[np.argsort(rater)],
            shape=shape,
        )
        assert content(other, found) == expected
