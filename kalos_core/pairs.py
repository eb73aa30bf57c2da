"""Candidate pairs: annotations of one image and two raters within tau."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .annotations import Annotations
from .arrays import FloatArray, IntArray
from .distances import DISTANCES
from .errors import AnnotationError, KalosError
from .model import CandidatePairs

CHUNK = 1 << 17
"""Raw pairs looked at at a time, which bounds the memory of this stage."""

ROUNDING = 1e-9
"""What a bound may exceed tau by before a pair is ruled out."""


def candidate_pairs(annotations: Annotations, d_loc: str, tau: float) -> CandidatePairs:
    """Return all pairs of one image and two raters at most ``tau`` apart.

    Pairs come in the order of ``k`` and then ``l``.

    Raises
    ------
    KalosError
        If the distance is unknown, does not fit the shapes, or is undefined for a
        pair, which is then named.
    """
    distance = DISTANCES[d_loc]
    if not isinstance(annotations.geometry, distance.shapes):
        have = type(annotations.geometry).__name__
        fit = [n for n, d in DISTANCES.items() if d.shapes.__name__ == have]
        raise KalosError(
            f"distance {d_loc!r} is for {distance.shapes.__name__}, the annotations "
            f"are {have}; choose from {', '.join(sorted(fit))}"
        )
    window = distance.window(annotations.geometry, tau)
    raw = _all(annotations) if window is None else _touching(annotations, window)
    found: list[tuple[IntArray, IntArray, FloatArray]] = [
        (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    ]
    for k, l in raw:
        if distance.bound is not None:
            possible = distance.bound(annotations.geometry, k, l) <= tau + ROUNDING
            k, l = k[possible], l[possible]
        d = distance.measure(annotations.geometry, k, l)
        _check(annotations, d_loc, k, l, d)
        near = d <= tau
        found.append((k[near], l[near], d[near]))
    k, l, d = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((l, k))
    k, l = k[order], l[order]
    d_cls = (annotations.label[k] != annotations.label[l]).astype(np.int8)
    return CandidatePairs(k, l, d[order], d_cls)


def _all(annotations: Annotations) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs of one image and two raters.

    In canonical order the partners of an annotation that come after it are a range:
    from the end of its rater's block to the end of its image.
    """
    block = annotations.image * annotations.n_raters + annotations.rater
    first = np.searchsorted(block, block, side="right")
    end = np.searchsorted(annotations.image, annotations.image, side="right")
    yield from _ranges(first, end - first)


def _touching(
    annotations: Annotations, window: FloatArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs of one image and two raters whose windows touch.

    All images are swept at once, each along the axis on which fewer windows overlap.
    """
    n_overlaps = [
        np.bincount(annotations.image, count, minlength=annotations.n_images)
        for axis in (0, 1)
        for _, _, count in [_sweep(annotations.image, window, axis)]
    ]
    upright = (n_overlaps[1] < n_overlaps[0])[annotations.image]
    window = np.where(upright[:, None], window[:, [1, 0, 3, 2]], window)
    order, first, count = _sweep(annotations.image, window, 0)
    rater, (_, top, _, bottom) = annotations.rater[order], window[order].T
    for i, j in _ranges(first[order], count[order]):
        touch = (top[i] <= bottom[j]) & (top[j] <= bottom[i]) & (rater[i] != rater[j])
        one, other = order[i[touch]], order[j[touch]]
        yield np.minimum(one, other), np.maximum(one, other)


def _sweep(
    image: IntArray, window: FloatArray, axis: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the order of a sweep, and for each window the ones that it meets.

    Sorted by image and lower edge, a window meets the following ones up to its upper
    edge: ``count`` places of the order from ``first``.
    """
    low, high = window[:, axis], window[:, axis + 2]
    order = np.lexsort((low, image))
    span = float(high.max(initial=0) - low.min(initial=0)) + 1
    start = (image * span + low)[order]
    slack = np.spacing(np.abs(start).max(initial=0)) * 4  # rounding must lose no pair
    end = np.minimum(
        np.searchsorted(start, (image * span + high)[order] + slack, side="right"),
        np.searchsorted(image[order], image[order], side="right"),
    )
    first, count = np.empty_like(order), np.empty_like(order)
    first[order] = np.arange(1, len(order) + 1)
    count[order] = np.maximum(end - np.arange(1, len(order) + 1), 0)
    return order, first, count


def _ranges(first: IntArray, count: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield ``(i, j)`` for j in first[i] ... first[i] + count[i] - 1, in chunks."""
    end = np.cumsum(count)
    start = 0
    while start < len(first):
        done = end[start - 1] if start else 0
        stop = max(int(np.searchsorted(end, done + CHUNK, side="right")), start + 1)
        i = np.repeat(np.arange(start, stop), count[start:stop])
        nth = np.arange(len(i)) - (end - count)[i] + done
        yield i, first[i] + nth
        start = stop


def _check(
    annotations: Annotations, d_loc: str, k: IntArray, l: IntArray, d: FloatArray
) -> None:
    """Raise for the first distance that is not a number from 0 to 1."""
    bad = ~((d >= 0) & (d <= 1))
    if not bad.any():
        return
    pair = int(bad.argmax())
    ids = [str(annotations.annotation_id[n]) for n in (k[pair], l[pair])]
    image = annotations.images[annotations.image[k[pair]]]
    raise AnnotationError(
        f"distance {d_loc!r} between annotations {ids[0]!r} and {ids[1]!r} (image "
        f"{image!r}) must be a number from 0 to 1, got {d[pair]:g}",
        source=annotations.source,
        image=image,
        annotation_id=ids[0],
    )
