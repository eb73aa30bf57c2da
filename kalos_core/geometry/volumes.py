"""Volumes: voxels, or stacks of contours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, IntArray
from .crops import Crops
from .raster import fill

GRID = (128, 128, 128)
"""Depth, height and width of the grid that the reference compares volumes on."""


class Volumes(Crops):
    """Voxel masks, each cropped to its extent in the grid of its scan.

    Parameters
    ----------
    corner : (N, 3) first slice, row and column of each crop.
    crops : (N,) boolean arrays of three axes.
    grid : (N, 3) depth, height and width of each scan's grid.
    """

    __slots__ = ()

    axes: ClassVar[int] = 3
    kind: ClassVar[str] = "volume"

    @classmethod
    def from_contours(
        cls,
        contours: Sequence[npt.ArrayLike],
        z: npt.ArrayLike,
        hole: npt.ArrayLike,
        annotation: npt.ArrayLike,
        n: int,
        grid: tuple[int, int, int] = GRID,
    ) -> Volumes:
        """Return volumes from stacks of contours, rasterised once each.

        Parameters
        ----------
        contours : outlines, (points, 2) x and y relative to the slice.
        z : relative position of the slice of each contour.
        hole : True where the contour is cut out of the slice.
        annotation : for each contour the annotation that it belongs to.
        n : number of annotations.
        grid : depth, height and width of the voxel grid.
        """
        depth, height, width = grid
        slice_of = np.round(np.asarray(z, dtype=float) * (depth - 1)).astype(np.int64)
        holes = np.asarray(hole, dtype=bool)
        parts: list[list[int]] = [[] for _ in range(n)]
        for number, owner in enumerate(np.asarray(annotation, dtype=np.int64)):
            parts[owner].append(number)
        scale = np.array([width - 1, height - 1])
        corners = [
            np.round(np.asarray(points, dtype=float).reshape(-1, 2) * scale)
            .astype(np.int64)
            .clip(0, scale)
            for points in contours
        ]
        corner, crops = np.zeros((n, 3), dtype=np.int64), []
        for owner in range(n):
            own = [part for part in parts[owner] if len(corners[part]) >= 3]
            own.sort(key=lambda part: bool(holes[part]))
            start, crop = _voxels([corners[p] for p in own], slice_of[own], holes[own])
            corner[owner] = start
            crops.append(crop)
        made = np.empty(n, dtype=object)
        made[:] = crops
        return cls(corner, made, np.tile(np.array(grid), (n, 1)))


def _voxels(
    outlines: list[IntArray], slice_of: IntArray, holes: BoolArray
) -> tuple[IntArray, BoolArray]:
    """Return the first voxel of an object and its cropped voxels."""
    if not outlines:
        return np.zeros(3, dtype=np.int64), np.zeros((0, 0, 0), dtype=bool)
    points = np.concatenate(outlines)
    low = np.array([slice_of.min(), points[:, 1].min(), points[:, 0].min()])
    high = np.array([slice_of.max(), points[:, 1].max(), points[:, 0].max()])
    crop = np.zeros(high - low + 1, dtype=bool)
    for outline, z, is_hole in zip(outlines, slice_of, holes, strict=True):
        pixels = fill(outline[:, 1] - low[1], outline[:, 0] - low[2])
        target = crop[z - low[0], : pixels.shape[0], : pixels.shape[1]]
        target[pixels] = not is_hole
    return low, crop
