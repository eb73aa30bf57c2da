"""Brushes that paint dye, and the microscope that photographs it.

Cells are painted as optical density, not as colour. Light passes through every
layer, so densities add and overlapping cells darken as they do on a real slide.
Channels come first until the last step: numpy is slow at an inner axis of three.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

Array = NDArray[Any]


def cloud(shape: tuple[int, ...], grain: float, rng: np.random.Generator) -> Array:
    """Smooth noise in about [-1, 1] whose blobs are `grain` pixels wide, (h, w)."""
    height, width = shape
    rows, columns = height / grain, width / grain
    coarse = rng.random((int(rows) + 4, int(columns) + 4), dtype=np.float32)
    # Beyond the centres of the outer grid cells there is nothing to interpolate.
    box = (1.5, 1.5, 1.5 + columns, 1.5 + rows)
    image = Image.fromarray(coarse * 3.2 - 1.6)
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC, box))


def cover(depth: Array, softness: float) -> Array:
    """Antialiased mask: 0 outside, 1 inside, blending over `softness` pixels."""
    return smooth(depth / (2 * softness) + 0.5)


def smooth(t: Array) -> Array:
    """Step from 0 to 1 without a corner while `t` runs from 0 to 1."""
    t = np.clip(t, 0, 1)
    step: Array = t * t * (3 - 2 * t)
    return step


def ridge(depth: Array, centre: float, width: float) -> Array:
    """Line along an outline: 1 where `depth` equals `centre`, fading over `width`."""
    return np.exp(-np.square((depth - centre) / width))


def dye(amount: Array, colour: ArrayLike, strength: float) -> Array:
    """Density (3, h, w) of a material spread by `amount` (h, w)."""
    per_channel = np.asarray(colour, np.float32)[:, None, None] * np.float32(strength)
    density: Array = per_channel * amount
    return density


def union(x: Array, y: Array, discs: Array, blend: float) -> Array:
    """Depth (h, w) inside the smooth union of `discs` (n, 3) of x, y, radius."""
    depth = np.full_like(x, -9)
    for disc_x, disc_y, radius in discs.tolist():
        disc = radius - np.hypot(x - disc_x, y - disc_y)
        # A polynomial smooth maximum: necks between discs are rounded, not creased.
        mix = np.clip(1 - np.abs(depth - disc) / blend, 0, 1)
        depth = np.maximum(depth, disc) + mix * mix * (blend / 4)
    return depth


def bow(count: int, radius: float, step: float, rng: np.random.Generator) -> Array:
    """Points (count, 2) along an uneven arc, about `step` radians apart."""
    angles = rng.uniform(0, 2 * np.pi) + step * np.arange(count)
    angles += rng.uniform(-0.12, 0.12, count)
    radii = radius * rng.uniform(0.8, 1.2, count)
    points = np.stack((radii * np.cos(angles), radii * np.sin(angles)), axis=1)
    centred: Array = points - 0.4 * points.mean(axis=0)
    return centred


def blur(image: Array, sigma: float) -> Array:
    """Blur (c, h, w) with a Gaussian, repeating the border."""
    reach = int(2.5 * sigma + 0.5)
    kernel = np.exp(-0.5 * np.square(np.arange(-reach, reach + 1) / sigma))
    kernel /= kernel.sum()
    for axis in (1, 2):
        padding = [(reach, reach) if a == axis else (0, 0) for a in range(3)]
        padded = np.pad(image, padding, mode="edge")
        image = np.zeros_like(image)
        for start, weight in enumerate(kernel.tolist()):
            window = slice(start, start + image.shape[axis])
            shifted = padded[:, window] if axis == 1 else padded[:, :, window]
            image += weight * shifted
    return image


def illuminate(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Light of the empty slide in [0, 1], (3, h, w): uneven, warm, darker corners."""
    height, width = shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    lamp_x, lamp_y = rng.uniform(-0.3, 0.3, 2).tolist()
    distance = np.square(x - lamp_x) + np.square(y - lamp_y)
    level = 1 - rng.uniform(0.035, 0.075) * distance + 0.016 * cloud(shape, 170, rng)
    tint = np.array((0.925, 0.893, 0.880)) * rng.uniform(0.97, 1.025)
    light = dye(level, tint * (1 + rng.uniform(-0.02, 0.02, 3)), 1)
    # Dried plasma stains unevenly, most visibly in the channel that eosin absorbs.
    plasma = 0.010 * cloud(shape, 46, rng) + 0.006 * cloud(shape, 11, rng)
    light *= 1 - dye(plasma, (0.45, 1.0, 0.75), 1)
    return light


def scatter_dust(density: Array, rng: np.random.Generator) -> None:
    """Add specks that lie far out of focus to `density` (3, h, w), in place."""
    height, width = density.shape[1:]
    for _ in range(rng.integers(2, 7)):
        radius, strength = rng.uniform(4, 16), rng.uniform(0.015, 0.06)
        stretch, shear = rng.uniform(0.8, 1.25), rng.uniform(-0.3, 0.3)
        size = int(2 * radius)
        left = int(rng.integers(0, width - 2 * size))
        top = int(rng.integers(0, height - 2 * size))
        y, x = np.mgrid[-size:size, -size:size].astype(np.float32)
        depth = radius - np.hypot(x * stretch + shear * y, y)
        # A defocused speck is a faint disc with a slightly stronger border.
        speck = cover(depth, radius * 0.6) + 0.4 * ridge(depth, 0, radius * 0.3)
        density[:, top : top + 2 * size, left : left + 2 * size] += dye(
            speck, (0.9, 1.0, 1.15), strength
        )


def develop(density: Array, rng: np.random.Generator) -> Array:
    """Photograph a slide of optical density (3, h, w) as uint8 pixels (h, w, 3)."""
    shape = density.shape[1:]
    scatter_dust(density, rng)
    image = illuminate(shape, rng) * np.exp(-density)
    image = blur(image, rng.uniform(0.75, 1.25))
    # Demosaicing correlates neighbouring pixels, so colour noise is blurred as well.
    image += 0.009 * blur(rng.standard_normal((3, *shape), dtype=np.float32), 0.7)
    image += 0.006 * rng.standard_normal(shape, dtype=np.float32)
    pixels = np.clip(image * 255 + 0.5, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(pixels.transpose(1, 2, 0))
