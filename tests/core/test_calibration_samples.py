"""Observed and expected disagreement by hand, and what a calibration says of them."""

from dataclasses import replace

import numpy as np
import pytest
from random_data import rated_boxes

from kalos_core import (
    DISTANCES,
    Annotations,
    Boxes,
    CalibrationError,
    KalosError,
    Masks,
    bootstrap_calibration,
    calibrate,
    rank_distances,
    register_distance,
)
from kalos_core.calibration import disagreement
from kalos_core.calibration.disagreement import Draws, draw, expected, observed

# ben's first box is half of ana's. cho saw image 1 and drew nothing, dee did not see
# it. ana alone saw image 2, dee alone image 3.
LINES = (
    "1 ana: cat 0 0 10 10",
    "1 ben: cat 0 0 10 5",
    "1 ben: cat 50 50 10 10",
    "1 cho:",
    "2 ana: cat 0 0 10 10",
    "3 dee:",
)
ANA, BEN, CHO, DEE = range(4)


def test_observed_is_the_nearest_of_every_other_rater(annotations):
    d_o, of = observed(annotations(*LINES), "box_iou")
    # ana's box is 0.5 from ben and, as he drew nothing, 1 from cho; ben's first one
    # the same the other way round; his second one is 1 from both. Image 2: nobody else.
    assert d_o == pytest.approx([0.5, 1, 0.5, 1, 1, 1])
    assert of.tolist() == [0, 0, 1, 1, 2, 2]


def test_chunks_of_images_make_no_difference(monkeypatch):
    made = rated_boxes(np.random.default_rng(0), n_images=5)
    d_o, of = observed(made, "box_iou")
    monkeypatch.setattr(disagreement, "CHUNK", 1)
    in_parts, of_parts = observed(made, "box_iou")
    assert np.array_equal(in_parts, d_o)
    assert np.array_equal(of_parts, of)


def test_the_nearest_of_several_counts(annotations):
    boxes = "cat 0 0 10 10", "cat 0 0 10 8", "cat 0 0 10 5"
    lines = [
        f"1 {who}: {box}" for who, box in zip(("ana", "ben", "ben"), boxes, strict=True)
    ]
    d_o, _ = observed(annotations(*lines), "box_iou")
    assert d_o == pytest.approx([0.2, 0.2, 0.5])
    lines = [f"{n} ana: {box}" for n, box in zip("122", boxes, strict=True)]
    draws = Draws(np.array([0, 1, 1]), np.array([[1, 0]]), np.array([[0, 0]]))
    d_e, _ = expected(annotations(*lines), "box_iou", draws)
    assert d_e == pytest.approx([0.2, 0.2, 0.5])


def test_expected_is_the_nearest_of_the_rater_that_was_drawn(annotations):
    # ana in 1 with ana in 2: equal boxes. ben in 1 with dee in 3, who drew nothing: 1
    # for both of his boxes. ana in 2 with ben in 1: 0.5, the nearer of his.
    image, rater = np.array([[1, 2, 0]]), np.array([[ANA, DEE, BEN]])
    draws = Draws(np.array([0, 1, 1, 2]), image, rater)
    d_e, of = expected(annotations(*LINES), "box_iou", draws)
    assert d_e == pytest.approx([0, 1, 1, 0.5])
    assert of.tolist() == [0, 1, 2, 3]


def test_other_images_and_their_raters_are_drawn_evenly(annotations):
    draws = draw(annotations(*LINES), np.random.default_rng(0), 3000)
    assert draws.block.tolist() == [0, 1, 1, 2]
    own = np.array([0, 0, 1])
    assert (draws.image != own).all()
    assert (draws.image[:, 0] == 1).mean() == pytest.approx(0.5, abs=0.03)
    # Image 1 has three raters, and the one without annotations is drawn as often.
    of_first = draws.rater[:, 2][draws.image[:, 2] == 0]
    share = np.bincount(of_first, minlength=4) / len(of_first)
    assert share == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.05)
    assert (draws.rater[draws.image == 1] == ANA).all()
    assert (draws.rater[draws.image == 2] == DEE).all()


def test_more_draws_lengthen_expected_only():
    made, rng = rated_boxes(np.random.default_rng(0)), np.random.default_rng(1)
    once, often = (calibrate(made, "box_iou", rng=rng, n_draws=n) for n in (1, 5))
    assert (once.n_draws, often.n_draws) == (1, 5)
    assert len(often.d_e) == 5 * len(once.d_e) == 5 * len(made)
    assert np.array_equal(often.d_o, once.d_o)
    assert np.array_equal(np.bincount(often.annotation_e), np.full(len(made), 5))
    assert (often.n_images, often.n_annotations) == (30, 540)


def renamed(made, rng):
    """Return the same data set as a file in another order would give it."""
    images, raters = rng.permutation(made.n_images), rng.permutation(made.n_raters)
    return Annotations(
        image=np.argsort(images)[made.image],
        rater=np.argsort(raters)[made.rater],
        label=made.label,
        geometry=made.geometry,
        annotation_id=made.annotation_id,
        assigned=made.assigned[np.ix_(images, raters)],
        images=[made.images[n] for n in images],
        raters=[made.raters[n] for n in raters],
        classes=made.classes,
    )


def test_the_seed_decides_and_the_order_of_files_does_not():
    made = rated_boxes(np.random.default_rng(0))
    other = renamed(made, np.random.default_rng(1))

    def run(annotations, seed):
        rng = np.random.default_rng(seed)
        found = calibrate(annotations, "box_iou", rng=rng)
        again = bootstrap_calibration(annotations, found, rng=rng, n_boot=20)
        return np.sort(found.d_e).tolist(), found.tau_star, found.ks, again

    assert run(made, 7) == run(made, 7)
    *numbers, bootstrap = run(made, 7)
    *others, other_bootstrap = run(other, 7)
    assert others == numbers
    assert other_bootstrap.tau_interval == bootstrap.tau_interval
    assert other_bootstrap.ks == pytest.approx(bootstrap.ks)
    assert run(made, 8)[0] != numbers[0]


def test_distances_are_ranked_on_the_same_draws_and_invalid_ones_are_last():
    @register_distance("box_jumble", Boxes)
    def jumble(boxes, k, l):
        # Chance is nearer than raters of one image, as nobody would want it.
        return 1 - DISTANCES["box_iou"].measure(boxes, k, l) / 2

    made = rated_boxes(np.random.default_rng(0), n_objects=1)
    names = ["box_jumble", "box_centroid_l2", "box_iou"]
    try:
        found = rank_distances(made, names, rng=np.random.default_rng(3))
        alone = calibrate(made, "box_iou", rng=np.random.default_rng(3))
    finally:
        del DISTANCES["box_jumble"]
    assert [one.d_loc for one in found][-1] == "box_jumble"
    assert [one.valid for one in found] == [True, True, False]
    assert found[0].ks >= found[1].ks > 0 > found[2].ks
    (iou,) = [one for one in found if one.d_loc == "box_iou"]
    assert np.array_equal(iou.d_e, alone.d_e)


def test_masks_of_images_with_different_grids_are_compared():
    # Left halves of two images of 4 and 8 pixels, and the left quarter of the second.
    crops = [np.ones((4, 2), bool), np.ones((8, 4), bool), np.ones((8, 2), bool)]
    made = Annotations(
        image=[0, 1, 1],
        rater=[0, 0, 1],
        label=[0, 0, 0],
        geometry=Masks(np.zeros((3, 2)), crops, [[4, 4], [8, 8], [8, 8]]),
        annotation_id=["a", "b", "c"],
        assigned=np.ones((2, 2), bool),
        images=["1", "2"],
        raters=["ana", "ben"],
        classes=["x"],
    )
    block = np.arange(3)
    for rater, distances in ((0, [0, 0, 0.5]), (1, [0.5, 1, 1])):
        draws = Draws(block, np.array([[1, 0, 0]]), np.full((1, 3), rater))
        d_e, _ = expected(made, "mask_iou", draws)
        assert d_e == pytest.approx(distances)


def refused(made, match, error=CalibrationError, **options):
    with pytest.raises(error, match=match):
        calibrate(made, "box_iou", rng=np.random.default_rng(0), **options)


def test_one_image_only(annotations):
    made = annotations("ana: cat 0 0 10 10", "ben: cat 0 0 10 5")
    refused(made, "needs two images with assigned raters, got 1")


def test_one_rater_only(annotations):
    made = annotations("1 ana: cat 0 0 10 10", "2 ana: cat 0 0 10 5")
    refused(made, "at least two assigned raters, got none among 2 images and 1 raters")


def test_no_image_of_two_raters(annotations):
    made = annotations("1 ana: cat 0 0 10 10", "2 ben: cat 0 0 10 5")
    refused(made, "at least two assigned raters, got none among 2 images and 2 raters")


def test_all_images_empty(annotations):
    made = annotations("1 ana: cat 0 0 1 1", "1 ben:", "2 ana:", "2 ben:")
    empty = replace(
        made,
        **{name: [] for name in ("image", "rater", "label", "annotation_id")},
        geometry=Boxes(np.empty((0, 4))),
    )
    refused(empty, "needs an annotated image with at least two")


def test_all_distances_equal(annotations):
    made = annotations("1 ana: cat 0 0 1 1", "1 ben: cat 5 5 1 1", "2 ana:", "2 ben:")
    refused(made, "every distance 'box_iou'.* is 1: .* try another distance")


def test_no_draws(annotations):
    refused(annotations(*LINES), "n_draws must be at least 1", KalosError, n_draws=0)
    made = rated_boxes(np.random.default_rng(0), n_images=3)
    found = calibrate(made, "box_iou", rng=np.random.default_rng(0))
    with pytest.raises(KalosError, match="n_boot must be at least 1, got 0"):
        bootstrap_calibration(made, found, rng=np.random.default_rng(0), n_boot=0)


def test_chance_that_is_one_value_determines_nothing(annotations):
    made = annotations(*LINES[:4], "2 ana:", "2 ben:")
    found = calibrate(made, "box_iou", rng=np.random.default_rng(0))
    assert (found.tau_star, found.status) == (None, "undetermined")
    assert np.isnan(found.density_e).all()
    assert not np.isnan(found.density_o).any()
    assert (found.ks, found.ks_at) == pytest.approx((1 / 3, 0.5))
    again = bootstrap_calibration(made, found, rng=np.random.default_rng(0))
    assert (again.tau_star, again.tau_interval, again.n_determined) == (None, None, 0)
    assert again.ks == pytest.approx(1 / 3)


@pytest.mark.parametrize("d_loc", ["box_iou", "box_centroid_l2"])
def test_a_sweep_finds_what_looking_at_all_finds(d_loc, monkeypatch):
    made = rated_boxes(np.random.default_rng(3), n_images=8, n_objects=9)
    draws = draw(made, np.random.default_rng(4), 2)
    looked_at, _ = expected(made, d_loc, draws)
    assert 20 < (looked_at < 1).sum()
    monkeypatch.setattr(disagreement, "CROWD", 0)
    swept, _ = expected(made, d_loc, draws)
    assert np.array_equal(swept, looked_at)


def test_a_distance_that_is_the_same_everywhere_is_ranked_last(annotations):
    made = annotations(
        *(
            f"i{image} {rater}: cat {x + 8 * (rater == 'ben')} {10 * image} 5 5"
            for image in range(4)
            for rater in ("ana", "ben")
            for x in (10, 50)
        )
    )
    with pytest.raises(CalibrationError, match=r"every distance 'box_iou'.* is 1"):
        calibrate(made, "box_iou", rng=np.random.default_rng(0))
    best, last = rank_distances(
        made, ["box_iou", "box_centroid_l2"], rng=np.random.default_rng(0)
    )
    assert best.d_loc == "box_centroid_l2"
    assert (last.ks, last.status, last.valid) == (0, "undetermined", False)


def test_a_bootstrap_of_other_annotations_is_refused():
    made, other = (rated_boxes(np.random.default_rng(0), n_images=n) for n in (30, 20))
    found = calibrate(made, "box_iou", rng=np.random.default_rng(0))
    with pytest.raises(KalosError, match="is of 540 annotations, and these are 360"):
        bootstrap_calibration(other, found, rng=np.random.default_rng(0))
