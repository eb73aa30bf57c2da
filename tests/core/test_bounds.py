"""Work grows with candidates and memory stays bounded, counted instead of timed."""

import tracemalloc

import numpy as np
import pytest

from kalos_core import (
    DISTANCES,
    Annotations,
    Boxes,
    Configuration,
    Polygons,
    compute_agreement,
    pairs,
)


def scattered(n, n_images=1, size=None, kind=Boxes):
    """Return n boxes of two raters in each image; the more, the smaller."""
    rng = np.random.default_rng(0)
    size = size or 0.5 / np.sqrt(n)
    total = n * n_images
    xywh = np.c_[rng.random((total, 2)), np.full((total, 2), size)]
    if kind is Polygons:
        x, y = xywh[:, 0], xywh[:, 1]
        corners = np.stack([[x, y], [x + size, y], [x + size / 9, y + size]], axis=0)
        shapes = Polygons.from_rings(corners.transpose(2, 0, 1), range(total), total)
    else:
        shapes = Boxes(xywh)
    return Annotations(
        image=np.repeat(np.arange(n_images), n),
        rater=np.arange(total) % 2,
        label=np.zeros(total, int),
        geometry=shapes,
        annotation_id=np.arange(total).astype("U7"),
        assigned=np.ones((n_images, 2), bool),
        images=[f"i{i}" for i in range(n_images)],
        raters=["ana", "ben"],
        classes=["cat"],
    )


def looked_at(made, monkeypatch, d_loc="box_iou", tau=0.5):
    """Return how many pairs of indices were made, and how many distances measured."""
    made_pairs, measured = [], []
    entry = DISTANCES[d_loc]
    ranges = pairs.ranges

    def counted_ranges(first, count):
        for i, j in ranges(first, count):
            made_pairs.append(len(i))
            yield i, j

    def counted_measure(shapes, k, l):
        measured.append(len(k))
        return entry.measure(shapes, k, l)

    counted = type(entry)(
        counted_measure, entry.shapes, entry.window, entry.bound, entry.relative
    )
    with monkeypatch.context() as patch:
        patch.setattr(pairs, "ranges", counted_ranges)
        patch.setitem(DISTANCES, d_loc, counted)
        pairs.candidate_pairs(made, d_loc, tau)
    return sum(made_pairs), sum(measured)


@pytest.mark.parametrize("d_loc", ["box_iou", "box_giou", "box_centroid_l2"])
def test_a_crowded_image_costs_what_is_near_and_not_all_pairs(d_loc, monkeypatch):
    (few, near_few), (many, near_many) = (
        looked_at(scattered(n), monkeypatch, d_loc, tau)
        for n, closer in ((2000, 0.010), (8000, 0.005))
        for tau in [closer if d_loc == "box_centroid_l2" else 0.6]
    )
    # Four times the boxes: sixteen times the pairs, eight times those of a sweep.
    assert many < 11 * few
    assert many < 4000 * 4000 / 8
    assert near_many < 6 * near_few


def test_bounds_spare_the_costly_distances(monkeypatch):
    made = scattered(2000, kind=Polygons)
    _, with_bound = looked_at(made, monkeypatch, "polygon_iou", 0.3)
    _, lenient = looked_at(made, monkeypatch, "polygon_iou", 0.99)
    assert 0 < with_bound < lenient / 3
    _, hulls = looked_at(made, monkeypatch, "polygon_giou", 0.6)
    assert hulls < 1000 * 1000 / 20


def test_memory_is_that_of_a_chunk(monkeypatch):
    made = scattered(40, 1500, size=0.9)  # all overlap: 400 pairs an image

    def peak(chunk):
        monkeypatch.setattr("kalos_core.agreement.CHUNK", chunk)
        tracemalloc.start()
        compute_agreement(made, Configuration(tau=0.9))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(2000) < peak(10**9) / 4


def test_chunks_are_no_larger_than_they_should_be():
    from kalos_core import agreement, ranges, rematch
    from kalos_core.calibration import disagreement

    for module in (agreement, rematch, disagreement):
        assert module.CHUNK <= 200_000
    assert ranges.CHUNK <= 1 << 20
