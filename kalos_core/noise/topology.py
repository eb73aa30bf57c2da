"""Errors of topology: one object drawn as two, or two as one."""

from __future__ import annotations

from functools import cache

import numpy as np

from ..arrays import FloatArray, IntArray
from ..ranges import dense_rank, ranges, runs
from .laws import TAILS
from .parameters import Topology
from .sampling import best_of
from .scene import Scene
from .shift import areas, headings, placed

UNLIKELY = 0.01
"""Part of the children of one parent that would not be combined again."""

N_MODEL, N_BINS, SMALLEST = 20_000, 20, 1e-4
"""Parents whose children tell what is likely, in groups of like areas, and the smallest
area among them."""


def ruptured(
    scene: Scene, law: Topology, magnitude: float, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return which labels are to be split and which want to be combined."""
    chance = magnitude * law.susceptibility.chance(scene.area)
    wanted = np.flatnonzero(rng.random(len(scene.drawn)) < chance)
    split = rng.random(len(wanted)) < law.fragmented
    return wanted[split], wanted[~split]


def fragments(
    bounds: FloatArray, law: Topology, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return (n, 4) boxes of the first and of the second child of each parent (n, 4).

    No magnitude scales them: they are what a split is.
    """
    angle = law.direction.draw(len(bounds), rng)
    between = np.pi * law.angle.draw(len(bounds), rng)
    other = angle + between * rng.choice((-1.0, 1.0), len(bounds))
    return _child(bounds, law, angle, rng), _child(bounds, law, other, rng)


def _child(
    bounds: FloatArray, law: Topology, angle: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return children towards the angles, never larger than their parents.

    The step ends at the edge of the parent: beyond, it would be no part of it. It is
    cut rather than its end moved, so that the angle stays.
    """
    area, towards = areas(bounds), headings(angle)
    with np.errstate(divide="ignore"):  # along an axis the other edges are never met
        room = ((bounds[:, 2:] - bounds[:, :2]) / 2 / np.abs(towards)).min(axis=1)
    length = np.minimum(law.shift.translation.draw(area, rng), room)
    shrunk = np.stack([side.draw(area, rng) for side in law.sides], axis=1)
    return placed(bounds, length[:, None] * towards, -shrunk)


def partners(
    scene: Scene, law: Topology, wanted: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return (m, 2) labels to combine, the first of each being one of the wanted.

    The other has the same class in the same image. It is drawn in proportion to the
    likelihood, where the paper only says that likely pairs are merged. What has no
    partner as likely as nearly all children of one parent are is left out.
    """
    kind = dense_rank([scene.drawn.label, scene.image])
    by_kind = np.argsort(kind, kind="stable")
    first, count = runs(kind[by_kind], int(kind.max(initial=-1)) + 1)
    found: list[IntArray] = [np.empty((0, 2), np.int64)]
    for k, place in ranges(first[kind[wanted]], count[kind[wanted]]):
        pair = np.stack([wanted[k], by_kind[place]], axis=1)
        differ = pair[:, 0] != pair[:, 1]
        k, pair = k[differ], pair[differ]
        one, other = (scene.bounds[end] for end in pair.T)
        found.append(pair[best_of(k, likely(one, other, law), rng)])
    return np.concatenate(found)


def likely(one: FloatArray, other: FloatArray, law: Topology) -> FloatArray:
    """Return (P,) the score of pairs, minus infinity for what is no pair of parts.

    That is what scores less than 99 % of the law's own children of one parent do, of
    those with a box around both of about that area.
    """
    score, least = combination_score(one, other, law), least_score(law)
    low = score < np.interp(np.log(areas(_around(one, other))), *least)
    return np.where(low, -np.inf, score)


@cache
def least_score(law: Topology) -> tuple[FloatArray, FloatArray]:
    """Return logarithms of areas around children, and what nearly all there reach."""
    rng = np.random.default_rng(0)
    smallest, largest = np.clip(law.shift.translation.areas, SMALLEST, 1)
    half = np.sqrt(np.geomspace(smallest, largest, N_MODEL)) / 2
    parent = 0.5 + half[:, None] * np.array([-1.0, -1.0, 1.0, 1.0])
    one, other = fragments(parent, law, rng)
    area = np.log(areas(_around(one, other)))
    score = combination_score(one, other, law)
    bins = np.array_split(np.argsort(area, kind="stable"), N_BINS)
    middle = np.array([area[some].mean() for some in bins])
    return middle, np.array([np.quantile(score[some], UNLIKELY) for some in bins])


def _around(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return (P, 4) the boxes around two boxes (P, 4)."""
    low, high = np.minimum(one, other)[:, :2], np.maximum(one, other)[:, 2:]
    return np.hstack([low, high])


def combination_score(one: FloatArray, other: FloatArray, law: Topology) -> FloatArray:
    """Return (P,) the log likelihood that two boxes (P, 4) are children of one parent.

    The paper's S, with the box around both as the parent and the densities of both
    children. Densities of angles may be infinite at their ends, which are winsorised.
    """
    around = _around(one, other)
    low, high = np.split(around, 2, axis=1)
    area, middle, side = areas(around), (low + high) / 2, high - low
    score: FloatArray = np.zeros(len(area))
    angles = []
    for child in (one, other):
        step = (child[:, :2] + child[:, 2:]) / 2 - middle
        shrunk = np.log(side / (child[:, 2:] - child[:, :2]))
        score += law.shift.translation.log_density(np.hypot(*step.T), area)
        for own, by in zip(law.sides, shrunk.T, strict=True):
            score += own.log_density(by, area)
        angles.append(np.arctan2(step[:, 1], step[:, 0]))
    between = np.abs(np.angle(np.exp(1j * (angles[0] - angles[1])))) / np.pi
    score += law.angle.log_density(between.clip(*TAILS))
    return np.where(np.isnan(score), -np.inf, score)
