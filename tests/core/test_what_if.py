"""A what-if is exactly the agreement of the labels that are left."""

import itertools

import numpy as np
import pytest
from random_data import SHAPES, crowd

from kalos_core import (
    COSTS,
    SOLVERS,
    Annotations,
    Boxes,
    Configuration,
    KalosError,
    compute_agreement,
    measure_pairs,
)
from kalos_core.calibration.strata import LIMITS
from kalos_core.what_if import Restriction, keep, restore

D_LOC = {
    "Boxes": "box_iou",
    "Polygons": "polygon_iou",
    "Masks": "mask_iou",
    "Volumes": "volume_iou",
    "Keypoints": "keypoint_mpjpe",
}
WAYS = list(itertools.product(sorted(SOLVERS), sorted(COSTS)))
LESS = [
    Restriction(raters=("r0", "r2", "r3")),
    Restriction(classes=("a", "c")),
    Restriction(sizes=("small", "large")),
    Restriction(("r1", "r2", "r4"), ("b", "c"), ("medium", "large")),
    Restriction(sizes=()),
]


def tied(seed, n=120):
    """Return boxes of a coarse grid, many of them equal and equally far apart."""
    rng = np.random.default_rng(seed)
    assigned = rng.random((4, 5)) < 0.9
    image, rater = rng.integers(0, 4, n), rng.integers(0, 5, n)
    kept = assigned[image, rater]
    corner, side = rng.integers(0, 4, (n, 2)), rng.integers(1, 5, (n, 2))
    return Annotations(
        image=image[kept],
        rater=rater[kept],
        label=rng.integers(0, 3, int(kept.sum())),
        geometry=Boxes(np.hstack([corner, side])[kept] / 10),
        annotation_id=rng.permutation(int(kept.sum())).astype(str),
        assigned=assigned,
        images=["w", "x", "y", "z"],
        raters=["r0", "r1", "r2", "r3", "r4"],
        classes=["a", "b", "c"],
    )


def kept_of(made, d_loc):
    columns = keep(made, measure_pairs(made, d_loc))
    return restore(
        columns, d_loc, made.assigned, made.images, made.raters, made.classes
    )


def restricted(made, only):
    """Return the annotations less what is left out, built anew."""
    raters = made.raters if only.raters is None else only.raters
    classes = made.classes if only.classes is None else only.classes
    limits = [LIMITS[name] for name in (LIMITS if only.sizes is None else only.sizes)]
    area = made.geometry.area()
    here = np.isin(np.array(made.raters), raters)
    kept = here[made.rater] & np.isin(np.array(made.classes)[made.label], classes)
    kept &= np.any([(low <= area) & (area < high) for low, high in limits], axis=0)
    code = np.cumsum(here) - 1
    return Annotations(
        image=made.image[kept],
        rater=code[made.rater[kept]],
        label=made.label[kept],
        geometry=made.geometry.take(np.flatnonzero(kept)),
        annotation_id=made.annotation_id[kept],
        assigned=made.assigned[:, here],
        images=made.images,
        raters=np.array(made.raters)[here].tolist(),
        classes=made.classes,
        asked=made.asked[here],
    )


def check_same(found, expected):
    assert np.array_equal(found.alpha, expected.alpha, equal_nan=True)
    assert found.status.tolist() == expected.status.tolist()
    alphas = [(a.mean_alpha, a.global_alpha) for a in (found, expected)]
    assert np.array_equal(*alphas, equal_nan=True)
    units = [a.reliability.unit_of for a in (found, expected)]
    assert np.array_equal(*units)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize(("solver", "psi"), WAYS)
def test_it_is_the_agreement_of_what_is_left(kind, solver, psi):
    made, d_loc = crowd(3, kind=kind), D_LOC[kind]
    kept = kept_of(made, d_loc)
    for tau in (0.3, 0.8):
        configuration = Configuration(d_loc, tau, solver, psi)
        found = kept.agreement(configuration)
        check_same(found, compute_agreement(made, configuration))
        for only in LESS:
            check_same(
                kept.agreement(configuration, only),
                compute_agreement(restricted(made, only), configuration),
            )


@pytest.mark.parametrize(("solver", "psi"), WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_ties_are_broken_alike(solver, psi, seed):
    made = tied(seed)
    kept = kept_of(made, "box_iou")
    distances = kept.measured.pairs.d_loc
    assert len(np.unique(distances)) < len(distances) / 2
    configuration = Configuration("box_iou", 0.7, solver, psi)
    check_same(kept.agreement(configuration), compute_agreement(made, configuration))
    for only in LESS:
        check_same(
            kept.agreement(configuration, only),
            compute_agreement(restricted(made, only), configuration),
        )


def test_classes_that_a_rater_was_not_asked_for_are_kept():
    made = crowd(5)
    asked = np.ones((5, 3), bool)
    asked[1, 2] = asked[3, 0] = False
    fine = asked[made.rater, made.label]
    columns = ("image", "rater", "label", "annotation_id")
    made = Annotations(
        **{name: getattr(made, name)[fine] for name in columns},
        geometry=made.geometry.take(np.flatnonzero(fine)),
        assigned=made.assigned,
        images=made.images,
        raters=made.raters,
        classes=made.classes,
        asked=asked,
    )
    kept, configuration = kept_of(made, "box_iou"), Configuration()
    check_same(kept.agreement(configuration), compute_agreement(made, configuration))
    check_same(
        kept.agreement(configuration, LESS[0]),
        compute_agreement(restricted(made, LESS[0]), configuration),
    )


def test_nothing_drawn_is_restored(annotations):
    made = annotations("x ana:", "x ben:")
    kept = kept_of(made, "box_iou")
    assert kept.agreement(Configuration()).mean_alpha == 1
    alone = kept.agreement(Configuration(), Restriction(raters=("ana",)))
    assert np.isnan(alone.mean_alpha)


def test_what_was_not_kept_is_refused():
    kept = kept_of(crowd(1), "box_iou")
    with pytest.raises(KalosError, match="tau 1 needs distances that were not"):
        kept.agreement(Configuration(tau=1.0))
    with pytest.raises(KalosError, match="of the same annotations and of 'box_giou'"):
        kept.agreement(Configuration("box_giou"))
    with pytest.raises(KalosError, match="unknown class 'cat'; choose from a, b, c"):
        kept.agreement(Configuration(), Restriction(classes=("cat",)))
    with pytest.raises(KalosError, match="unknown size 'tiny'"):
        kept.agreement(Configuration(), Restriction(sizes=("tiny",)))
