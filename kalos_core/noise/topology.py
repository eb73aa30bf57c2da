"""Errors of topology: one object drawn as two, or two as one."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..ranges import dense_rank, ranges, runs
from .laws import TAILS
from .parameters import Topology
from .sampling import best_of
from .scene import Scene
from .shift import areas, headings, placed


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
    shrunk = [law.shift.width.draw(area, rng), law.shift.height.draw(area, rng)]
    log_ratio = -(np.stack(shrunk, axis=1) - law.kappa).clip(0)
    return placed(bounds, length[:, None] * towards, log_ratio)


def partners(
    scene: Scene, law: Topology, wanted: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return (m, 2) labels to combine, the first of each being one of the wanted.

    The other has the same class in the same image. It is drawn in proportion to the
    likelihood, where the paper only says that likely pairs are merged. Labels that are
    alone with their class are left out.
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
        score = combination_score(one, other, law)
        found.append(pair[best_of(k, score, rng)])
    return np.concatenate(found)


def combination_score(one: FloatArray, other: FloatArray, law: Topology) -> FloatArray:
    """Return (P,) the log likelihood that two boxes (P, 4) are children of one parent.

    The paper's S, with the box around both as the parent and the densities of both
    children. Densities of angles may be infinite at their ends, which are winsorised.
    """
    low, high = np.minimum(one, other)[:, :2], np.maximum(one, other)[:, 2:]
    around = np.hstack([low, high])
    area, middle, side = areas(around), (low + high) / 2, high - low
    score: FloatArray = np.zeros(len(area))
    angles = []
    for child in (one, other):
        step = (child[:, :2] + child[:, 2:]) / 2 - middle
        shrunk = np.log(side / (child[:, 2:] - child[:, :2])) + law.kappa
        score += law.shift.translation.log_density(np.hypot(*step.T), area)
        score += law.shift.width.log_density(shrunk[:, 0], area)
        score += law.shift.height.log_density(shrunk[:, 1], area)
        angles.append(np.arctan2(step[:, 1], step[:, 0]))
    between = np.abs(np.angle(np.exp(1j * (angles[0] - angles[1])))) / np.pi
    score += law.angle.log_density(between.clip(*TAILS))
    return np.where(np.isnan(score), -np.inf, score)
