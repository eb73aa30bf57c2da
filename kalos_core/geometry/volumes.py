"""Volumes: voxels, or stacks of contours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import AnnotationError
from .crops import Crops
from .raster import fill
from .shapes import numbers, owners, point_lists

GRID = (128, 128, 128)
"""Depth, height and width of the grid that the reference compares volumes on."""

ROUNDING = 1e-9
"""What a contour may leave its slice by."""


class Volumes(Crops):
    """Voxel masks, each cropped to its extent in the grid of its scan.

    Parameters
    ----------
    corner : (N, 3) first slice, row and column of each crop.
    crops : (N,) boolean arrays of three axes.
    grid : (N, 3) depth, height and width of each scan's grid.
    """

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
        contours : outlines, (points, 2) x and y relative to the slice, from 0 to 1.
        z : relative position of the slice of each contour.
        hole : True where the contour is cut out of the larger ones of its slice.
        annotation : for each contour the annotation that it belongs to.
        n : number of annotations.
        grid : depth, height and width of the voxel grid.
        """
        depth, height, width = grid
        scale = np.array([height - 1, width - 1])
        cut_out = np.asarray(hole, dtype=bool)
        points = point_lists(contours)
        owner = owners(annotation, len(points), n)
        sizes = np.array([len(p) for p in points], dtype=np.int64)
        # Fewer than three points enclose nothing. Holes come last in each annotation.
        order = np.lexsort((cut_out, owner))
        order = order[sizes[order] >= 3]
        corners = np.concatenate([np.empty((0, 2)), *(points[n] for n in order)])
        if not (np.isfinite(corners).all() and np.isfinite(z).all()):
            raise AnnotationError("contours must have finite coordinates and slices")
        _check_inside(corners, np.repeat(owner[order], sizes[order]))
        corners = np.round(corners[:, ::-1] * scale).astype(np.int64).clip(0, scale)
        slice_of = np.round(np.asarray(z, dtype=float) * (depth - 1)).astype(np.int64)
        first = np.r_[0, np.cumsum(sizes[order])]
        low = np.minimum.reduceat(corners, first[:-1]) if len(order) else corners
        pixels = fill(corners, first)
        slice_of, cut_out = slice_of[order], cut_out[order]
        corner, crops = np.zeros((n, 3), dtype=np.int64), np.empty(n, dtype=object)
        ends = np.searchsorted(owner[order], np.arange(n + 1))
        for number in range(n):
            own = slice(ends[number], ends[number + 1])
            corner[number], crops[number] = _stack(
                slice_of[own], low[own], pixels[own], cut_out[own]
            )
        return cls(corner, crops, np.tile(np.array(grid), (n, 1)))


def _check_inside(corners: FloatArray, owner: IntArray) -> None:
    """Raise for the first corner that is not in its slice, but for its rounding."""
    outside = (np.abs(corners - 0.5) > 0.5 + ROUNDING).any(axis=1)
    if outside.any():
        first = int(outside.argmax())
        raise AnnotationError(
            "contours must have coordinates relative to the slice, from 0 to 1, got "
            f"{numbers(corners[first])} in annotation number {owner[first]}"
        )


def _stack(
    slice_of: IntArray, low: IntArray, pixels: list[BoolArray], cut_out: BoolArray
) -> tuple[IntArray, BoolArray]:
    """Return the first voxel of an object and its voxels, from filled contours."""
    if not pixels:
        return np.zeros(3, dtype=np.int64), np.zeros((0, 0, 0), dtype=bool)
    high = low + np.array([part.shape for part in pixels])
    first = np.r_[slice_of.min(), low.min(axis=0)]
    crop = np.zeros(np.r_[slice_of.max() + 1, high.max(axis=0)] - first, dtype=bool)
    contours = zip(
        (slice_of - first[0]).tolist(),
        (low - first[1:]).tolist(),
        (high - first[1:]).tolist(),
        pixels,
        cut_out.tolist(),
        strict=True,
    )
    # The smaller, the later: holes are cut out of outlines, islands lie in holes.
    by_size = sorted(contours, key=lambda contour: -int(contour[3].sum()))
    for z, (r0, c0), (r1, c1), part, is_hole in by_size:
        if is_hole:
            crop[z, r0:r1, c0:c1] &= ~part
        else:
            crop[z, r0:r1, c0:c1] |= part
    return first, crop
