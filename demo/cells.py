"""How each kind of blood cell looks after a Wright-Giemsa stain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .painting import Array, bow, cloud, cover, dye, ridge, smooth, union

_MARGIN = 8  # pixels around a cell that its soft edge and halo may reach

# Optical density (red, green, blue) of each dyed material at full strength.
_HAEMOGLOBIN = (0.17, 0.45, 0.41)
_DENSE_CHROMATIN = (0.82, 1.36, 0.48)
_LACY_CHROMATIN = (0.54, 0.86, 0.28)
_PINK_PLASM = (0.07, 0.20, 0.08)
_BLUE_PLASM = (0.29, 0.20, 0.03)
_GREY_PLASM = (0.29, 0.29, 0.14)
_GRANULE = (0.30, 0.62, 0.22)
_HYALOMERE = (0.24, 0.36, 0.12)
_GRANULOMERE = (0.48, 0.78, 0.26)


@dataclass(frozen=True)
class Cell:
    """One cell: its class and its outline, a circle bent by a few harmonics."""

    label: str
    x: float  # centre, in pixels
    y: float
    radius: float
    waves: tuple[tuple[float, float], ...]  # amplitude, phase of harmonics 2, 3, ...
    group: int = -1

    def reach(self, angle: Array) -> Array:
        """Distance in pixels from the centre to the outline in direction `angle`."""
        bent = np.ones_like(angle)
        for order, (amplitude, phase) in enumerate(self.waves, start=2):
            bent += amplitude * np.cos(order * angle + phase)
        return self.radius * bent

    @cached_property
    def farthest(self) -> float:
        """Radius in pixels of a circle that surely holds the cell."""
        return self.radius * (1 + sum(amplitude for amplitude, _ in self.waves))


@dataclass(frozen=True)
class Stain:
    """How strongly one slide took the dyes, and how it tilts their colours."""

    eosin: float
    azure: float
    tilt: Array  # (3,)

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Stain:
        """Stain of a random slide."""
        eosin, azure = rng.uniform(0.80, 1.25), rng.uniform(0.85, 1.15)
        tilt = 1 + rng.uniform(-0.11, 0.11, 3)
        return cls(eosin, azure, tilt.astype(np.float32))


@dataclass(frozen=True)
class Patch:
    """Pixel coordinates around one cell; all fields are (h, w)."""

    x: Array  # from the centre, in units of the cell's radius
    y: Array
    depth: Array  # pixels inside the outline, negative outside
    scale: float  # pixels per unit
    rng: np.random.Generator

    def noise(self, grain: float) -> Array:
        """Smooth noise in about [-1, 1], its blobs `grain` pixels wide."""
        return cloud(self.x.shape, grain, self.rng)

    def chromatin(self, grain: float) -> Array:
        """Clumped texture of a nucleus in about [-1, 1]."""
        clumps = self.noise(grain) + 0.6 * self.noise(grain * 0.45)
        return np.tanh(1.5 * clumps) * 0.8 + 0.25 * self.noise(2.5)

    def spot(self, near: float, far: float) -> Array:
        """Distance in pixels to a random spot, `near` to `far` off the centre."""
        angle, off = self.rng.uniform(0, 2 * math.pi), self.rng.uniform(near, far)
        x, y = off * math.cos(angle), off * math.sin(angle)
        return self.scale * np.hypot(self.x - x, self.y - y)


def stain_cell(
    density: Array, cell: Cell, stain: Stain, rng: np.random.Generator
) -> None:
    """Add one cell to the optical density (3, h, w) of a slide, in place."""
    height, width = density.shape[1:]
    size = int(cell.farthest) + _MARGIN
    left, top = int(cell.x) - size, int(cell.y) - size
    y, x = np.mgrid[-size:size, -size:size].astype(np.float32)
    x, y = x + (left + size + 0.5 - cell.x), y + (top + size + 0.5 - cell.y)
    depth = cell.reach(np.arctan2(y, x)) - np.hypot(x, y)
    patch = Patch(x / cell.radius, y / cell.radius, depth, cell.radius, rng)
    painted = _PAINTERS[cell.label](patch, stain) * stain.tilt[:, None, None]
    rows = slice(max(top, 0), min(top + 2 * size, height))
    columns = slice(max(left, 0), min(left + 2 * size, width))
    painted = painted[:, rows.start - top : rows.stop - top]
    density[:, rows, columns] += painted[
        ..., columns.start - left : columns.stop - left
    ]


def _red_cell(patch: Patch, stain: Stain) -> Array:
    rng = patch.rng
    shift_x, shift_y = rng.uniform(-0.10, 0.10, 2).tolist()
    inner = np.hypot(patch.x - shift_x, patch.y - shift_y) + 0.06 * patch.noise(18)
    start, stop = rng.uniform(0.0, 0.25), rng.uniform(0.52, 0.80)
    pallor = rng.uniform(0.20, 0.58)
    thickness = pallor + (1 - pallor) * smooth((inner - start) / (stop - start))
    lean_x, lean_y = rng.uniform(-0.12, 0.12, 2).tolist()
    thickness *= 1 + lean_x * patch.x + lean_y * patch.y
    thickness *= 1 + 0.06 * patch.noise(13) + 0.03 * patch.noise(4)
    body = thickness * cover(patch.depth, rng.uniform(1.2, 2.8))
    rim = rng.uniform(0.14, 0.34) * ridge(patch.depth, 1.8, 1.8)
    halo = rng.uniform(0.03, 0.10) * ridge(patch.depth, -2.8, 2.0)
    return dye(body + rim - halo, _HAEMOGLOBIN, stain.eosin * rng.uniform(0.85, 1.1))


def _platelet(patch: Patch, stain: Stain) -> Array:
    rng = patch.rng
    body = cover(patch.depth, 2.0)
    granules = np.zeros_like(patch.x)
    for _ in range(rng.integers(10, 19)):
        granules += ridge(patch.spot(0.0, 0.62), 0, rng.uniform(1.2, 2.4))
    centre = np.clip(patch.depth / patch.scale, 0, 1)
    core = body * (0.5 * centre + 0.75 * np.tanh(0.8 * granules))
    veil = body * (0.8 + 0.3 * patch.noise(5)) + 0.25 * ridge(patch.depth, 1, 1.5)
    azure = stain.azure * rng.uniform(0.8, 1.1)
    return dye(veil, _HYALOMERE, azure) + dye(core, _GRANULOMERE, azure)


def _nucleus(patch: Patch, depth: Array, texture: Array) -> tuple[Array, Array]:
    """Mask and amount of chromatin of a nucleus; all arrays are (h, w)."""
    inside = cover(depth, 2.4) * cover(patch.depth - 1.5, 2)
    amount = inside * (0.92 + 0.24 * texture + 0.10 * ridge(depth, 1.5, 2.0))
    return inside, amount


def _neutrophil(patch: Patch, stain: Stain) -> Array:
    rng = patch.rng
    count = int(rng.integers(3, 6))
    # The lobes never close into a ring, however many there are.
    centres = bow(count, 0.48, min(rng.uniform(1.2, 1.5), 4.1 / (count - 1)), rng)
    sizes = rng.uniform(0.72, 0.98, count) / (count**0.5 + 1.3)
    lobes = np.column_stack((centres, sizes))
    # Small discs halfway make the thin threads that hold the lobes together.
    threads = np.insert((centres[1:] + centres[:-1]) / 2, 2, 0.08, axis=1)
    depth = patch.scale * union(patch.x, patch.y, np.vstack((lobes, threads)), 0.12)
    depth += 3.0 * patch.noise(18) + 1.0 * patch.noise(7)
    body = cover(patch.depth, 2.8) * (0.85 + 0.15 * patch.noise(16))
    grains = body * np.clip(patch.noise(2.6) + 0.5 * patch.noise(5), 0, 1)
    plasm = dye(body + 0.4 * ridge(patch.depth, 1.5, 2), _PINK_PLASM, stain.eosin)
    plasm += dye(grains, _GRANULE, 0.33 * stain.eosin)
    inside, amount = _nucleus(patch, depth, patch.chromatin(9))
    return plasm * (1 - 0.7 * inside) + dye(amount, _DENSE_CHROMATIN, stain.azure)


def _lymphocyte(patch: Patch, stain: Stain) -> Array:
    rng = patch.rng
    disc = np.append(rng.uniform(-0.09, 0.09, 2), rng.uniform(0.79, 0.87))
    depth = patch.scale * union(patch.x, patch.y, disc[None], 0.1)
    depth += 3.2 * patch.noise(30) + 0.7 * patch.noise(9)
    body = cover(patch.depth, 2.8) * (0.85 + 0.25 * patch.noise(10))
    plasm = dye(body + 0.2 * ridge(patch.depth, 2, 2), _BLUE_PLASM, stain.azure)
    inside, amount = _nucleus(patch, depth, 0.9 * patch.chromatin(15))
    return plasm * (1 - 0.7 * inside) + dye(amount, _DENSE_CHROMATIN, stain.azure)


def _monocyte(patch: Patch, stain: Stain) -> Array:
    rng = patch.rng
    centres = bow(5, 0.42, rng.uniform(0.62, 0.80), rng)
    lobes = np.column_stack((centres, rng.uniform(0.29, 0.36, 5)))
    depth = patch.scale * union(patch.x, patch.y, lobes, 0.2)
    depth += 4.0 * patch.noise(34) + 1.3 * patch.noise(10)
    body = cover(patch.depth, 3.4) * (0.9 + 0.16 * patch.noise(7))
    body *= 1 + 0.14 * patch.noise(24) + 0.14 * patch.noise(3)
    for _ in range(rng.integers(12, 24)):
        vacuole = rng.uniform(1.8, 5.5) - patch.spot(0.40, 0.90)
        body *= 1 - rng.uniform(0.4, 0.85) * cover(vacuole, 1.6)
    plasm = dye(body + 0.1 * ridge(patch.depth, 2, 3), _GREY_PLASM, stain.azure)
    inside, amount = _nucleus(patch, depth, 1.4 * patch.chromatin(12))
    return plasm * (1 - 0.7 * inside) + dye(amount, _LACY_CHROMATIN, stain.azure)


_PAINTERS: dict[str, Callable[[Patch, Stain], Array]] = {
    "lymphocyte": _lymphocyte,
    "monocyte": _monocyte,
    "neutrophil": _neutrophil,
    "platelet": _platelet,
    "red cell": _red_cell,
}
