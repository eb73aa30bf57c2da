"""Shapes as cropped arrays of pixels or voxels in the grid of their image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, as_array, read_only
from ..errors import AnnotationError
from .digest import digests

Self = TypeVar("Self", bound="Crops")


@dataclass(frozen=True, eq=False)
class Crops:
    """N boolean arrays of D axes, each at its place in a grid.

    Parameters
    ----------
    corner : (N, D) index of the first cell of each crop, slowest axis first.
    crops : (N,) boolean arrays.
    grid : (N, D) size of the grid that each crop lies in.
    """

    corner: IntArray
    crops: AnyArray
    grid: IntArray

    axes: ClassVar[int] = 0
    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        n, d = len(self.crops), self.axes
        crops = np.empty(n, dtype=object)
        crops[:] = [_frozen(crop) for crop in self.crops]
        for name in ("corner", "grid"):
            array = as_array(getattr(self, name), np.int64, name).copy()
            if array.size != n * d:
                raise AnnotationError(
                    f"{name} must have shape ({n}, {d}), got {array.shape}"
                )
            array = array.reshape(n, d)
            object.__setattr__(self, name, read_only(array, np.int64))
        object.__setattr__(self, "crops", read_only(crops, object))

    def __len__(self) -> int:
        return len(self.crops)

    def take(self: Self, index: IntArray) -> Self:
        """Return the shapes at ``index``, in that order."""
        return type(self)(self.corner[index], self.crops[index], self.grid[index])

    def on_one_grid(self: Self) -> Self:
        """Return all shapes on the largest grid, where grids differ.

        Shapes of different images can then be compared; each cell takes the value of
        the cell that its centre lies in, and no shape vanishes.
        """
        grid = self.grid.max(axis=0, initial=1)
        if (self.grid == grid).all():
            return self
        corner, crops = np.empty_like(self.corner), np.empty_like(self.crops)
        for n, (low, crop, own) in enumerate(
            zip(self.corner, self.crops, self.grid, strict=True)
        ):
            # Cells of the large grid whose centres lie in the crop, on each axis.
            start = np.ceil(low * grid / own - 0.5).astype(np.int64)
            stop = np.ceil((low + crop.shape) * grid / own - 0.5).astype(np.int64)
            source = [
                ((np.arange(a, b) + 0.5) * old / new).astype(np.int64) - first
                for a, b, old, new, first in zip(
                    start, stop, own, grid, low, strict=True
                )
            ]
            corner[n], crops[n] = start, crop[np.ix_(*source)]
        return type(self)(corner, crops, np.tile(grid, (len(self), 1)))

    @cached_property
    def _sizes(self) -> IntArray:
        shapes = [crop.shape for crop in self.crops]
        wrong = [shape for shape in shapes if len(shape) != self.axes]
        if wrong:
            raise AnnotationError(
                f"a {self.kind} must have {self.axes} axes, got a crop of {wrong[0]}"
            )
        return read_only(np.array(shapes, np.int64).reshape(-1, self.axes), np.int64)

    def sizes(self) -> IntArray:
        """Return (N, D) the shape of each crop."""
        return self._sizes

    def bounds(self) -> FloatArray:
        """Return (N, 4) left, top, right and bottom relative to the image."""
        low, high = self.corner / self.grid, (self.corner + self.sizes()) / self.grid
        return np.stack([low[:, -1], low[:, -2], high[:, -1], high[:, -2]], axis=1)

    def area(self) -> FloatArray:
        """Return (N,) the part of the grid that is set; a volume's as seen along z."""
        seen = [
            np.count_nonzero(crop.reshape(-1, *crop.shape[-2:]).any(axis=0))
            for crop in self.crops
        ]
        area: FloatArray = np.array(seen) / self.grid[:, -2:].prod(axis=1)
        return area

    def content(self) -> list[AnyArray]:
        """Return place, size and a digest of the cells."""
        packed = digests(np.packbits(crop).tobytes() for crop in self.crops)
        return [*self.corner.T, *self.sizes().T, packed]

    def faults(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield what is wrong with which shapes."""
        flat = [crop.ndim != self.axes for crop in self.crops]
        yield np.array(flat, dtype=bool), f"a {self.kind} of {self.axes} axes"
        beyond = (self.corner < 0) | (self.corner + self.sizes() > self.grid)
        yield beyond.sum(axis=1) > 0, f"a {self.kind} inside its grid"
        empty = [not crop.any() for crop in self.crops]
        yield np.array(empty, dtype=bool), f"a {self.kind} with at least one cell set"

    def describe(self, k: int) -> str:
        """Return the size of shape ``k`` as text."""
        return f"{self.crops[k].sum()} cells in a crop of {self.crops[k].shape}"

    @cached_property
    def _cells(self) -> FloatArray:
        cells = [np.count_nonzero(crop) for crop in self.crops]
        return read_only(cells, np.float64)

    def extent(self) -> FloatArray:
        """Return (N,) the number of cells set, to compare ``overlap`` with."""
        return self._cells

    def overlap(self, k: IntArray, l: IntArray) -> FloatArray:
        """Return (P,) the number of cells that shapes ``k`` and ``l`` share."""
        end = self.corner + self.sizes()
        low = np.maximum(self.corner[k], self.corner[l])
        high = np.minimum(end[k], end[l])
        shared = np.zeros(len(k))
        for pair in np.flatnonzero((high > low).all(axis=1)):
            here, there = (
                self.crops[n][
                    tuple(map(slice, low[pair] - corner, high[pair] - corner))
                ]
                for n in (k[pair], l[pair])
                for corner in [self.corner[n]]
            )
            shared[pair] = np.count_nonzero(here & there)
        return shared


def _frozen(crop: npt.ArrayLike) -> BoolArray:
    """Return a crop as a read-only array; one that is, as it is."""
    array = np.asarray(crop, dtype=bool)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array
