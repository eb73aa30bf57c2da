"""The six raters of the demo, their known habits and who saw which scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Box = tuple[float, float, float, float]
Annotation = tuple[str, Box]


@dataclass(frozen=True)
class Rater:
    """One rater: a habit told to people and the numbers that produce it."""

    name: str
    habit: str
    jitter: float = 0.02  # sigma of each side of a box, relative to the box
    miss: float = 0.01  # chance to overlook any object
    miss_platelet: float = 0.0  # chance to overlook a platelet
    miss_small: float = 0.0  # chance to overlook another object below SMALL
    stretch: tuple[float, float] = (1.0, 1.0)  # range of the growth of width, height
    swap: float = 0.0  # chance to confuse the classes of SWAPPED
    merges: bool = False  # draws one box around red cells that touch
    every: int = 1  # is assigned to every n-th scene


RATERS: tuple[Rater, ...] = (
    Rater("ana", "Careful: finds nearly every cell and draws tight boxes."),
    Rater("ben", "Careful: finds nearly every cell and draws tight boxes."),
    Rater(
        "cho",
        "Misses small objects: seven platelets in ten, a quarter of the small cells.",
        miss_platelet=0.7,
        miss_small=0.25,
    ),
    Rater(
        "dee",
        "Draws loose boxes: a quarter to a half wider and higher than the cell.",
        stretch=(1.22, 1.48),
    ),
    Rater(
        "eli",
        "Follows another guideline: swaps lymphocyte and monocyte and draws one box"
        " around red cells that touch.",
        swap=0.95,
        merges=True,
    ),
    Rater(
        "fay",
        "Follows the same other guideline as eli, and saw only half of the scenes.",
        swap=0.95,
        merges=True,
        every=2,
    ),
)
SMALL = 0.016  # share of the image's area below which an object counts as small
SWAPPED = {"lymphocyte": "monocyte", "monocyte": "lymphocyte"}


def is_empty(index: int) -> bool:
    """Whether a scene shows no cell; these scenes are even, so fay sees them too."""
    return index % 16 == 6


def assigned_raters(index: int, n_scenes: int) -> tuple[str, ...]:
    """Names of the raters who saw scene `index` of a data set of `n_scenes`."""
    if not 0 <= index < n_scenes:
        raise ValueError(f"scene {index} is not one of {n_scenes} scenes")
    # Odd scenes only, so that neither fay's half nor an empty scene is touched.
    if index % 26 == 9:
        return ("ana",)
    return tuple(rater.name for rater in RATERS if index % rater.every == 0)


def annotate(
    scene_boxes: Array,
    scene_labels: Sequence[str],
    scene_group: Array,
    rater: Rater,
    rng: np.random.Generator,
) -> list[Annotation]:
    """Label one scene as a rater would.

    Parameters
    ----------
    scene_boxes
        True boxes (n, 4): x, y, width, height relative to the image.
    scene_labels
        True classes of the n objects.
    scene_group
        Number of the touching group of each object (n,), -1 without one.
    rater
        Whose habits to follow.
    rng
        Source of the rater's chance for this scene.

    Returns
    -------
    list of (str, (float, float, float, float))
        Class and box of every object the rater drew.
    """
    corners = _corners(scene_boxes)
    objects = list(zip(scene_labels, corners, scene_group, strict=True))
    if rater.merges:
        objects = _merge(objects)
    return [
        (_name(label, rater, rng), _draw(extent, rater, rng))
        for label, extent, _ in objects
        if not _overlooks(label, extent, rater, rng)
    ]


def _corners(boxes: Array) -> Array:
    """Left, top, right and bottom (n, 4) of boxes x, y, w, h (n, 4)."""
    boxes = np.asarray(boxes, dtype=float).reshape(-1, 4)
    return np.hstack((boxes[:, :2], boxes[:, :2] + boxes[:, 2:]))


def _merge(objects: list[tuple[str, Array, int]]) -> list[tuple[str, Array, int]]:
    """Replace the members of each group by one object that encloses them."""
    merged = [item for item in objects if item[2] < 0]
    for number in sorted({group for *_, group in objects if group >= 0}):
        members = [item for item in objects if item[2] == number]
        corners = np.stack([corners for _, corners, _ in members])
        around = np.append(corners[:, :2].min(axis=0), corners[:, 2:].max(axis=0))
        merged.append((members[0][0], around, number))
    return merged


def _overlooks(
    label: str, corners: Array, rater: Rater, rng: np.random.Generator
) -> bool:
    width, height = corners[2:] - corners[:2]
    chance = rater.miss
    if label == "platelet":
        chance = max(chance, rater.miss_platelet)
    elif width * height < SMALL:
        chance = max(chance, rater.miss_small)
    return bool(rng.random() < chance)


def _name(label: str, rater: Rater, rng: np.random.Generator) -> str:
    return SWAPPED.get(label, label) if rng.random() < rater.swap else label


def _draw(corners: Array, rater: Rater, rng: np.random.Generator) -> Box:
    """Box x, y, w, h a rater draws around an object, clipped to the image."""
    size = corners[2:] - corners[:2]
    growth = size * (rng.uniform(*rater.stretch, 2) - 1) / 2
    slip = np.tile(size, 2) * rng.normal(0, rater.jitter, 4)
    drawn = np.clip(corners + np.append(-growth, growth) + slip, 0, 1)
    left, top, right, bottom = drawn.tolist()
    return left, top, right - left, bottom - top
