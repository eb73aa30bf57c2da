"""Candidate pairs: annotations of one image and two raters within tau."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .annotations import Annotations
from .arrays import BoolArray, FloatArray, IntArray, as_array
from .distances import DISTANCES, Distance
from .errors import AnnotationError, KalosError
from .geometry import Keypoints, Shapes
from .model import CandidatePairs
from .ranges import ends_of_runs, ranges

CROWD = 100
"""Annotations of an image from which on a sweep is quicker than all pairs."""

ROUNDING = 1e-9
"""What bounds and windows may be off by before a pair is ruled out."""

BELOW_ONE = float(np.nextafter(1, 0))
"""The largest tau that tells what is near from what is farthest apart."""

FARTHEST = 2
"""Image sizes beyond which a coordinate cannot be relative; the reference's."""


def candidate_pairs(annotations: Annotations, d_loc: str, tau: float) -> CandidatePairs:
    """Return all pairs of one image and two raters at most ``tau`` apart.

    Pairs come in the order of ``k`` and then ``l``.

    Raises
    ------
    KalosError
        If the distance is unknown, does not fit the shapes, or is undefined for a
        pair, which is then named.
    """
    empty = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    found = [empty, *pairs_within(annotations, d_loc, tau)]
    k, l, d = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((l, k))
    k, l = k[order], l[order]
    d_cls = (annotations.label[k] != annotations.label[l]).astype(np.int8)
    return CandidatePairs(k, l, d[order], d_cls)


def pairs_within(
    annotations: Annotations, d_loc: str, tau: float
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield the same pairs as (k, l, d_loc), in chunks and in no order."""
    distance, shapes = distance_for(annotations, d_loc), annotations.geometry
    window = checked(distance.window(shapes, tau), annotations, d_loc)
    raw = _all(annotations) if window is None else touching_pairs(annotations, window)
    for k, l in raw:
        if distance.bound is not None:
            possible = distance.bound(shapes, k, l) <= tau + ROUNDING
            k, l = k[possible], l[possible]
        d = measured(annotations, d_loc, shapes, k, l)
        near = is_within(d, tau)
        yield k[near], l[near], d[near]


def is_within(d: FloatArray, tau: float) -> BoolArray:
    """Return (P,) whether d <= tau, told by similarities as in the reference.

    So 1 - 0.7, which is a little more than 0.3, is within 0.3.
    """
    within: BoolArray = 1 - d >= 1 - tau
    return within


def distance_for(annotations: Annotations, d_loc: str) -> Distance:
    """Return the distance of that name if it measures the annotations' shapes."""
    distance = DISTANCES[d_loc]
    if not isinstance(annotations.geometry, distance.shapes):
        have = type(annotations.geometry).__name__
        fit = [n for n, d in DISTANCES.items() if d.shapes.__name__ == have]
        raise KalosError(
            f"distance {d_loc!r} is for {distance.shapes.__name__}, the annotations "
            f"are {have}; choose from {', '.join(sorted(fit)) or 'none: register one'}"
        )
    if distance.relative:
        check_relative(annotations, repr(d_loc))
    return distance


def check_relative(annotations: Annotations, purpose: str) -> None:
    """Raise for the first annotation with coordinates that must be pixels."""
    bounds = annotations.geometry.bounds()
    outside = np.isfinite(bounds) & (np.abs(bounds) > FARTHEST)  # no joint: infinite
    far: BoolArray = outside.sum(axis=1) > 0
    if far.any():
        annotations.refuse(
            far,
            f"must have coordinates relative to its image for {purpose}, got "
            f"{annotations.geometry.describe(int(far.argmax()))}; divide pixels by "
            "width and height",
        )


def _all(annotations: Annotations) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs of one image and two raters."""
    yield from ranges(*_partners(annotations))


def _partners(annotations: Annotations) -> tuple[IntArray, IntArray]:
    """Return (N,) the first partner after each annotation, and how many follow it.

    In canonical order these are a range: from the end of the annotation's block of one
    rater to the end of its image.
    """
    first = ends_of_runs(annotations.block)
    return first, ends_of_runs(annotations.image) - first


def touching_pairs(
    annotations: Annotations, window: FloatArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs of one image and two raters whose windows touch.

    In images of a few annotations all pairs are looked at, crowded ones are swept.
    """
    first, count = _partners(annotations)
    n_drawn = np.bincount(annotations.image, minlength=annotations.n_images)
    crowded = (n_drawn > CROWD)[annotations.image]
    window = widened(window)
    coarse = Coarse(window)
    for k, l in ranges(first, np.where(crowded, 0, count)):
        yield coarse.touching(k, l)
    if crowded.any():
        within = np.flatnonzero(crowded)
        image, rater = annotations.image[within], annotations.rater[within]
        for one, other in swept(image, rater, window[within]):
            yield within[np.minimum(one, other)], within[np.maximum(one, other)]


def checked(
    window: FloatArray | None, annotations: Annotations, d_loc: str
) -> FloatArray | None:
    """Return the windows of a distance if there is one for each annotation."""
    if window is not None and window.shape != (len(annotations), 4):
        raise KalosError(
            f"the window of {d_loc!r} must have shape ({len(annotations)}, 4), got "
            f"{window.shape}"
        )
    return window


def widened(window: FloatArray) -> FloatArray:
    """Return windows (N, 4), a little wider; what has no end goes beyond all others."""
    if not np.isfinite(window).all():
        inner = np.where(np.isfinite(window), window, 0)
        window = window.clip(inner.min() - 1, inner.max() + 1)
    return window + ROUNDING * np.array([-1, -1, 1, 1])


class Coarse:
    """Windows (N, 4) in steps of a fine grid, for looking at many pairs quickly.

    All four edges are numbers of 15 bits in one word, each with a guard bit before it.
    A subtraction compares them all, as no guard is lost where none is exceeded.
    """

    MOST = (1 << 15) - 1
    GUARDS = np.uint64(0x8000_8000_8000_8000)

    def __init__(self, window: FloatArray) -> None:
        edges, most = np.ascontiguousarray(window.T), self.MOST
        start, end = _usual_range(edges)
        edges -= start
        edges *= most / ((end - start) or 1)
        left, top = np.floor(edges[:2]).clip(0, most)
        right, bottom = np.ceil(edges[2:]).clip(0, most)
        self.reach = _packed(right, bottom, most - left, most - top) | self.GUARDS
        self.begin = _packed(left, top, most - right, most - bottom)

    def touching(self, k: IntArray, l: IntArray) -> tuple[IntArray, IntArray]:
        """Return the pairs whose windows touch, and few that fall short by a step."""
        left = self.reach[k]
        left -= self.begin[l]
        left &= self.GUARDS
        near = np.flatnonzero(left == self.GUARDS)
        return k[near], l[near]


def _usual_range(edges: FloatArray) -> tuple[float, float]:
    """Return a range that holds most edges; a few far away would make steps coarse."""
    some = np.sort(edges[:, :: max(edges.shape[1] // 1000, 1)], axis=None)
    if not len(some):
        return 0.0, 0.0
    cut_off = len(some) // 50
    low, high = float(some[cut_off]), float(some[len(some) - 1 - cut_off])
    return low - (high - low), high + (high - low)


def _packed(*edges: FloatArray) -> npt.NDArray[np.uint64]:
    """Return (N,) words of four whole numbers each."""
    numbers = np.empty((len(edges[0]), len(edges)), dtype=np.uint16)
    for n, edge in enumerate(edges):
        numbers[:, n] = edge
    words: npt.NDArray[np.uint64] = numbers.view(np.uint64)[:, 0]
    return words


def swept(
    image: IntArray, rater: IntArray, window: FloatArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs of one image and two raters whose windows touch.

    All images are swept at once, each along the axis on which fewer windows overlap.
    """
    n_overlaps = [
        np.bincount(image, count)
        for axis in (0, 1)
        for _, _, count in [_sweep(image, window, axis)]
    ]
    upright = (n_overlaps[1] < n_overlaps[0])[image]
    window = np.where(upright[:, None], window[:, [1, 0, 3, 2]], window)
    order, first, count = _sweep(image, window, 0)
    of, (_, top, _, bottom) = rater[order], np.ascontiguousarray(window[order].T)
    for i, j in ranges(first[order], count[order]):
        touch = (top[i] <= bottom[j]) & (top[j] <= bottom[i]) & (of[i] != of[j])
        yield order[i[touch]], order[j[touch]]


def _sweep(
    image: IntArray, window: FloatArray, axis: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the order of a sweep, and for each window the ones that it meets.

    Sorted by image and lower edge, a window meets the following ones up to its upper
    edge: ``count`` places of the order from ``first``.
    """
    low, high = window[:, axis], window[:, axis + 2]
    image = image - image.min(initial=0)  # small numbers keep their last bits
    order = np.lexsort((low, image))
    span = float(high.max(initial=0) - low.min(initial=0)) + 1
    start = (image * span + low)[order]
    end = np.minimum(
        np.searchsorted(start, (image * span + high)[order], side="right"),
        np.searchsorted(image[order], image[order], side="right"),
    )
    first, count = np.empty_like(order), np.empty_like(order)
    first[order] = np.arange(1, len(order) + 1)
    count[order] = np.maximum(end - np.arange(1, len(order) + 1), 0)
    return order, first, count


def measured(
    annotations: Annotations, d_loc: str, shapes: Shapes, k: IntArray, l: IntArray
) -> FloatArray:
    """Return (P,) distances, each a number from 0 to 1, or raise for the first other.

    ``shapes`` are those of the annotations, or the same on a common grid.
    """
    d: FloatArray = as_array(
        DISTANCES[d_loc].measure(shapes, k, l), np.float64, f"distances {d_loc!r}"
    )
    if d.shape != k.shape:
        raise KalosError(
            f"distance {d_loc!r} must return one number for each of {len(k)} pairs, "
            f"got shape {d.shape}"
        )
    bad = ~((d >= 0) & (d <= 1))
    if not bad.any():
        return d
    pair = int(bad.argmax())
    ids = [str(annotations.annotation_id[n]) for n in (k[pair], l[pair])]
    names = [annotations.images[annotations.image[n]] for n in (k[pair], l[pair])]
    image = " and ".join(map(repr, dict.fromkeys(names)))
    blind = isinstance(shapes, Keypoints) and np.isnan(d[pair])
    raise AnnotationError(
        f"distance {d_loc!r} between annotations {ids[0]!r} and {ids[1]!r} (image "
        f"{image}) must be a number from 0 to 1, got {d[pair]:g}"
        + (": no joint is visible in either" if blind else ""),
        source=annotations.source,
        image=names[0],
        annotation_id=ids[0],
    )
