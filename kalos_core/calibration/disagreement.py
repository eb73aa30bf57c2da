"""Observed and expected disagreement, D_o and D_e (paper, Step 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, by_name
from ..checks import at_least_one, check_generator, check_type
from ..distances import Distance
from ..errors import CalibrationError
from ..geometry import Shapes
from ..geometry.crops import Crops
from ..measured import MeasuredPairs, pairs_between
from ..pairs import (
    BELOW_ONE,
    CROWD,
    ROUNDING,
    Coarse,
    checked,
    distance_for,
    measured,
    pairs_within,
    swept,
    widened,
)
from ..ranges import cells, ranges, runs

CHUNK = 100_000
"""Annotations looked at at a time, in whole images, which bounds the memory."""

Sample = tuple[FloatArray, IntArray]
"""(M,) distances, and (M,) the annotation whose distance each is."""

NOTHING: Sample = (np.empty(0), np.empty(0, np.int64))


def observed(
    annotations: Annotations, d_loc: str, measured: MeasuredPairs | None = None
) -> Sample:
    """Return D_o: how far every other rater of an image is from each annotation.

    That is the distance to the nearest of the other's annotations, and 1 where the
    other was assigned and drew nothing.
    """
    found: list[Sample] = []
    for start, stop in annotations.chunks(CHUNK):
        rater, image = annotations.rater[start:stop], annotations.image[start:stop]
        nearest = np.ones((stop - start, annotations.n_raters))
        flat = nearest.ravel()
        for k, l, d in _near(annotations, start, stop, d_loc, measured):
            np.minimum.at(flat, k * annotations.n_raters + rater[l], d)
            np.minimum.at(flat, l * annotations.n_raters + rater[k], d)
        other = annotations.assigned[image]
        other[np.arange(stop - start), rater] = False
        annotation, _ = cells(other)
        found.append((nearest[other], annotation + start))
    return _joined(found)


def _near(
    annotations: Annotations,
    start: int,
    stop: int,
    d_loc: str,
    measured: MeasuredPairs | None,
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield the pairs (k, l, d_loc) of some annotations that are nearer than 1."""
    if measured is None:  # never all at a time
        yield from pairs_within(annotations.between(start, stop), d_loc, BELOW_ONE)
    else:
        near = pairs_between(annotations, start, stop, d_loc, BELOW_ONE, measured)
        yield near.k, near.l, near.d_loc


@dataclass(frozen=True, eq=False, slots=True)
class Draws:
    """Whom each block, the annotations of one rater in one image, is compared with.

    Parameters
    ----------
    block : (N,) the block of each annotation.
    image, rater : (n_draws, B) another image, and one of the raters assigned to it.
    """

    block: IntArray
    image: IntArray
    rater: IntArray


def draw(annotations: Annotations, rng: np.random.Generator, n_draws: int) -> Draws:
    """Draw for every block a random rater of a random other image, ``n_draws`` times.

    Images and raters are drawn evenly, in the order of their names; that rater may have
    drawn nothing there.
    """
    check_type("annotations", annotations, Annotations)
    check_generator(rng)
    at_least_one("n_draws", n_draws)
    images, raters = by_name(annotations.images), by_name(annotations.raters)
    assigned = annotations.assigned[np.ix_(images, raters)]
    blocks, block = np.unique(
        np.argsort(images)[annotations.image] * annotations.n_raters
        + np.argsort(raters)[annotations.rater],
        return_inverse=True,
    )
    n_assigned = assigned.sum(axis=1)
    seen = np.flatnonzero(n_assigned)
    if len(seen) < 2:
        raise CalibrationError(
            "expected disagreement compares raters across images and needs two images "
            f"with assigned raters, got {len(seen)}"
        )
    nth = rng.integers(0, len(seen) - 1, (n_draws, len(blocks)))
    nth += nth >= np.searchsorted(seen, blocks // annotations.n_raters)
    image = seen[nth]
    of, rater = cells(assigned)
    first = np.searchsorted(of, np.arange(annotations.n_images))
    rater = rater[first[image] + rng.integers(0, n_assigned[image])]
    return Draws(block, images[image], raters[rater])


def expected(annotations: Annotations, d_loc: str, draws: Draws) -> Sample:
    """Return D_e: how far each annotation is from what was drawn in another image.

    That is the distance to the nearest annotation of the rater that was drawn for its
    block, and 1 where that rater drew nothing there.
    """
    distance, shapes = distance_for(annotations, d_loc), annotations.geometry
    if isinstance(shapes, Crops):
        shapes = shapes.on_one_grid()
    window = checked(distance.window(shapes, BELOW_ONE), annotations, d_loc)
    window = None if window is None else widened(window)
    drawn = runs(annotations.block, annotations.assigned.size)
    found: list[Sample] = []
    for image, rater in zip(draws.image, draws.rater, strict=True):
        partner = image * annotations.n_raters + rater
        first, count = (of_block[partner] for of_block in drawn)
        nearest = np.ones(len(annotations))
        for near in _across(draws.block, first, count, window):
            for k, l in _promising(nearest, distance, shapes, *near):
                np.minimum.at(nearest, k, measured(annotations, d_loc, shapes, k, l))
        found.append((nearest, np.arange(len(annotations))))
    return _joined(found)


def _promising(
    nearest: FloatArray, distance: Distance, shapes: Shapes, k: IntArray, l: IntArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield first the pair of each annotation with the least bound, then what is left.

    Of the others, only those are left whose bound is below what is ``nearest`` by then.
    """
    if distance.bound is None:
        yield k, l
        return
    bound = distance.bound(shapes, k, l)
    order = np.lexsort((bound, k))
    k, l, bound = k[order], l[order], bound[order]
    first = np.ones(len(k), dtype=bool)
    first[1:] = k[1:] != k[:-1]
    yield k[first], l[first]
    left = ~first & (bound < nearest[k] + ROUNDING)
    yield k[left], l[left]


def _across(
    block: IntArray, first: IntArray, count: IntArray, window: FloatArray | None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield annotations k with those of their block's partner that may be near.

    Parameters
    ----------
    block : (N,) the block of each annotation.
    first, count : (B,) where the annotations of each block's partner are.
    window : outside of which nothing is near, or None.
    """
    if window is None:
        yield from ranges(first[block], count[block])
        return
    crowded, coarse = count > CROWD, Coarse(window)
    for k, l in ranges(first[block], np.where(crowded, 0, count)[block]):
        yield coarse.touching(k, l)
    if not crowded.any():
        return
    # Of a crowded block and its partner, both become raters of an image to sweep.
    own = np.flatnonzero(crowded[block])
    pieces = ranges(first, np.where(crowded, count, 0))
    of, theirs = (np.concatenate(column) for column in zip(*pieces, strict=True))
    index = np.concatenate([own, theirs])
    is_theirs = np.arange(len(index)) >= len(own)
    for one, other in swept(
        np.concatenate([block[own], of]), is_theirs.astype(np.int64), window[index]
    ):
        k, l = np.where(is_theirs[one], (other, one), (one, other))
        yield index[k], index[l]


def _joined(parts: list[Sample]) -> Sample:
    if len(parts) == 1:
        return parts[0]
    distances, annotations = zip(*(NOTHING, *parts), strict=True)
    return np.concatenate(distances), np.concatenate(annotations)
