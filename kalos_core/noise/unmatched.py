"""Errors of existence: objects that are missed, or seen where there is none."""

from __future__ import annotations

import numpy as np

from ..arrays import IntArray
from .confusable import Confusable
from .parameters import Unmatched
from .sampling import in_turn, leaders, race
from .scene import Scene
from .shift import areas


def unmatched_events(
    scene: Scene, law: Unmatched, magnitude: float, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return (J,) how many labels are deleted and how many added in each image.

    Where more are to be deleted than there are labels, the others are added, so that
    there are as many events as were counted. If nobody ever adds any, they are lost, as
    are those that find no place.
    """
    expected = law.rate.expected(scene.n_drawn, magnitude)
    n_events = rng.poisson(np.where(scene.asked, expected, 0))
    n_added = rng.binomial(n_events, law.added)
    if law.added > 0:
        n_added = np.maximum(n_added, n_events - scene.n_drawn)
    return n_events - n_added, n_added


def missed(
    scene: Scene, law: Unmatched, n_deleted: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return which labels are deleted: the most susceptible rather than others.

    They are drawn by their odds rather than their chances, where the paper says
    "weighted": given how many there are, odds are what a logistic law leaves, and with
    chances a steep one would come back too flat.
    """
    order = race(scene.image, law.susceptibility.odds(scene.area), rng)
    return np.sort(order[leaders(scene.image, n_deleted)])


def imagined(
    scene: Scene, law: Unmatched, n_added: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return which of the pool are added, clear of each other.

    They are chosen by size as deleted ones are; fewer where there are too few.
    """
    pool = scene.pool
    order = race(pool.image, law.susceptibility.odds(areas(pool.bounds)), rng)
    turn = np.empty_like(order)
    turn[order] = np.arange(len(order))
    order = order[in_turn(len(order), turn[pool.k], turn[pool.l])]
    return np.sort(order[leaders(pool.image[order] - scene.start, n_added)])


def imagined_class(
    scene: Scene,
    image: IntArray,
    otherwise: IntArray,
    confusable: Confusable,
    rng: np.random.Generator,
) -> IntArray:
    """Return (m,) classes of labels that are added to images.

    Each is what a random label of the image may be mistaken for, as objects keep
    company. In an empty image it is (m,) ``otherwise`` that is mistaken.
    """
    count = scene.n_drawn[image - scene.start]
    some = np.flatnonzero(count > 0)
    first = np.searchsorted(scene.drawn.image, image[some])
    context = otherwise.copy()
    context[some] = scene.drawn.label[first + rng.integers(0, count[some])]
    return confusable.draw(context, rng)
