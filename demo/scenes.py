"""Rendered fields of a stained blood smear, each with its hidden truth.

Geometry and labels come from one generator and paint from another, so a change
of the painting, or of Pillow, never alters the truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .cells import Cell, Stain, stain_cell
from .painting import Array, develop

CLASSES: tuple[str, ...] = (
    "lymphocyte",
    "monocyte",
    "neutrophil",
    "platelet",
    "red cell",
)
WIDTH, HEIGHT = 640, 480

_RADIUS = {
    "lymphocyte": (54.0, 64.0),
    "monocyte": (80.0, 96.0),
    "neutrophil": (67.0, 80.0),
    "platelet": (9.0, 16.0),
    "red cell": (32.0, 48.0),
}
# Largest relative amplitude of harmonics 2, 3, 4 and 5 of the outline.
_BEND = {
    "lymphocyte": (0.045, 0.020, 0.010, 0.006),
    "monocyte": (0.070, 0.045, 0.025, 0.018),
    "neutrophil": (0.055, 0.035, 0.018, 0.010),
    "platelet": (0.160, 0.090, 0.050, 0.030),
    "red cell": (0.085, 0.030, 0.014, 0.010),
}
_WHITE = ("lymphocyte", "monocyte", "neutrophil")
_GAP = 7.0  # pixels kept free between cells that do not belong together
_VISIBLE = 0.45  # share of a cell that must lie inside the image
_ATTEMPTS = 80
_ANGLES = np.linspace(0, 2 * np.pi, 360, endpoint=False)


@dataclass(frozen=True)
class Scene:
    """One rendered field of view and its hidden truth."""

    pixels: Array  # (H, W, 3) uint8
    boxes: Array  # (n, 4) x, y, w, h relative to the image, tight around each cell
    labels: tuple[str, ...]  # n class names
    group: Array  # (n,) touching red cells share a number >= 0, -1 stands alone


def is_hard(index: int) -> bool:
    """Whether a scene is crowded with touching cells and platelets."""
    return index % 11 == 1


def render_scene(index: int, *, empty: bool = False, seed: int = 0) -> Scene:
    """Render one scene; the result depends on the arguments only."""
    cells = lay_out(index, empty=empty, seed=seed)
    paint = np.random.default_rng([seed, index, 1])
    stain = Stain.draw(paint)
    density = np.zeros((3, HEIGHT, WIDTH), np.float32)
    for cell in cells:
        stain_cell(density, cell, stain, paint)
    boxes, labels, group = truth(cells)
    return Scene(develop(density, paint), boxes, labels, group)


def truth(cells: list[Cell]) -> tuple[Array, tuple[str, ...], Array]:
    """Boxes (n, 4), n labels and groups (n,) of the cells of one scene."""
    boxes = np.array([_box(cell) for cell in cells]).reshape(-1, 4)
    group = np.array([cell.group for cell in cells], dtype=np.int64)
    return boxes, tuple(cell.label for cell in cells), group


def lay_out(index: int, *, empty: bool = False, seed: int = 0) -> list[Cell]:
    """Place the cells of one scene without painting them."""
    if empty:
        return []
    rng = np.random.default_rng([seed, index])
    white, groups, single, platelets = _census(is_hard(index), rng)
    cells: list[Cell] = []
    for _ in range(white):
        _place(_WHITE[rng.integers(len(_WHITE))], 1, cells, rng)
    for size in groups:
        _place("red cell", size, cells, rng)
    for label, count in (("red cell", single), ("platelet", platelets)):
        for _ in range(count):
            _place(label, 1, cells, rng)
    return cells


def _census(hard: bool, rng: np.random.Generator) -> tuple[int, list[int], int, int]:
    """Draw the white cells, sizes of red groups, single red cells and platelets."""
    if hard:
        ranges = (1, 4), (3, 5), (0, 3), (5, 8)
    elif rng.random() < 0.3:
        ranges = (0, 2), (0, 1), (6, 10), (0, 2)
    else:
        ranges = (1, 4), (1, 3), (4, 8), (1, 5)
    white, n_groups, single, platelets = (int(rng.integers(*r)) for r in ranges)
    sizes = [int(rng.integers(3 if hard else 2, 5)) for _ in range(n_groups)]
    return white, sizes, single, platelets


def _place(label: str, size: int, cells: list[Cell], rng: np.random.Generator) -> None:
    """Append a cell, or `size` touching ones, where there is room."""
    group = 1 + max((cell.group for cell in cells), default=-1) if size > 1 else -1
    for _ in range(_ATTEMPTS):
        x, y = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
        members = [_grow(label, x, y, group, rng)]
        while len(members) < size:
            members.append(_attach(members, rng))
        if not _crushed(members) and all(_fits(m, cells) for m in members):
            cells.extend(members)
            return


def _grow(label: str, x: float, y: float, group: int, rng: np.random.Generator) -> Cell:
    """Cell of a class with a random size and outline, centred on x, y."""
    waves = tuple(
        (bend * rng.uniform(0.2, 1), rng.uniform(0, 2 * np.pi)) for bend in _BEND[label]
    )
    return Cell(label, x, y, rng.uniform(*_RADIUS[label]), waves, group)


def _attach(members: list[Cell], rng: np.random.Generator) -> Cell:
    """Cell that overlaps a random member of a group a little."""
    host = members[rng.integers(len(members))]
    guest = _grow(host.label, host.x, host.y, host.group, rng)
    angle = rng.uniform(0, 2 * np.pi)
    facing = host.reach(np.array([angle])) + guest.reach(np.array([angle + np.pi]))
    distance = float(facing[0]) * rng.uniform(0.80, 0.97)
    x, y = host.x + distance * math.cos(angle), host.y + distance * math.sin(angle)
    return replace(guest, x=x, y=y)


def _crushed(members: list[Cell]) -> bool:
    """Whether two members of a group overlap so far that one hides the other."""
    return any(
        _distance(a, b) < 0.75 * (a.radius + b.radius)
        for i, a in enumerate(members)
        for b in members[:i]
    )


def _fits(cell: Cell, others: list[Cell]) -> bool:
    """Whether a cell keeps clear of the others and enough of it is in the image."""
    # Two centres in the image put the place where their cells touch there as well.
    if not (0 <= cell.x <= WIDTH and 0 <= cell.y <= HEIGHT):
        return False
    reach = cell.farthest + _GAP
    if any(_distance(cell, other) < reach + other.farthest for other in others):
        return False
    # Rings of equal area, so that the share of points is the share of the cell.
    x, y = _outline(cell, np.sqrt((np.arange(8) + 0.5) / 8)[:, None])
    return bool(_inside(x, y).mean() >= _VISIBLE)


def _distance(a: Cell, b: Cell) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


def _inside(x: Array, y: Array) -> Array:
    """Whether pixel coordinates lie in the image."""
    return (x >= 0) & (x <= WIDTH) & (y >= 0) & (y <= HEIGHT)


def _outline(cell: Cell, shrink: Array | float = 1.0) -> tuple[Array, Array]:
    """Pixel coordinates along the outline, drawn towards the centre by `shrink`."""
    reach = cell.reach(_ANGLES) * shrink
    return cell.x + reach * np.cos(_ANGLES), cell.y + reach * np.sin(_ANGLES)


def _box(cell: Cell) -> tuple[float, float, float, float]:
    """Tight relative box x, y, w, h of the part of a cell inside the image."""
    x, y = _outline(cell)
    seen = _inside(x, y)
    sides = []
    for values, limit in ((x, WIDTH), (y, HEIGHT)):
        # Where the image cuts the cell, its box ends on the border exactly.
        low = 0.0 if values.min() < 0 else values[seen].min()
        high = limit if values.max() > limit else values[seen].max()
        sides.append((low / limit, (high - low) / limit))
    (left, width), (top, height) = sides
    return float(left), float(top), float(width), float(height)
