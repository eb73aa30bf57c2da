"""Polygons: of several parts, with holes, repaired once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import InitVar, dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import shapely

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, read_only
from ..errors import AnnotationError
from ..ranges import dense_rank
from .digest import digests
from .edges import shared_area
from .shapes import numbers, owners, point_lists

AREA_ROUNDING = 1e-12
"""Part of the smaller polygon below which a difference of areas is rounding."""


@dataclass(frozen=True, eq=False)
class Polygons:
    """Areas bounded by rings, in coordinates relative to the image.

    Invalid ones (self-intersecting, say) are repaired on construction as the
    reference does, by ``buffer(0)`` and, if that is not enough, ``make_valid``. All
    are normalised, so that equal ones are equal to the last bit.

    Parameters
    ----------
    shapes : (N,) shapely polygons or multi-polygons.
    repaired : True if all are known to be valid and normalised.
    """

    shapes: AnyArray
    repaired: InitVar[bool] = False

    def __post_init__(self, repaired: bool) -> None:
        shapes = np.array(self.shapes, dtype=object).reshape(-1)
        if not repaired:
            _check(shapes)
            _repair(shapes)
        object.__setattr__(self, "shapes", read_only(shapes, object))

    @classmethod
    def from_rings(
        cls, rings: Sequence[npt.ArrayLike], annotation: npt.ArrayLike, n: int
    ) -> Polygons:
        """Return polygons from their outlines; parts of one annotation are united.

        Parameters
        ----------
        rings : outlines, (points, 2) each.
        annotation : for each ring the annotation that it is a part of.
        n : number of annotations.
        """
        points = point_lists(rings)
        sizes = np.array([len(ring) for ring in points], dtype=np.int64)
        owner = owners(annotation, len(points), n)
        if (sizes < 3).any():
            short = int((sizes < 3).argmax())
            raise AnnotationError(
                f"a polygon needs at least three points, got {sizes[short]} in part "
                f"{int((owner[:short] == owner[short]).sum())} of annotation number "
                f"{owner[short]}"
            )
        shapes = np.full(n, shapely.Polygon(), dtype=object)
        if len(points):
            flat = np.concatenate(points)
            ring_of = np.repeat(np.arange(len(points)), sizes)
            parts = shapely.polygons(shapely.linearrings(flat, indices=ring_of))
            parts = cls(parts).shapes
            shapes[owner] = parts
            order = np.argsort(owner, kind="stable")
            ends = np.searchsorted(owner[order], np.arange(n + 1))
            for several in np.flatnonzero(np.diff(ends) > 1):
                own = parts[order[ends[several] : ends[several + 1]]]
                shapes[several] = shapely.normalize(shapely.union_all(own))
        return cls(shapes, repaired=True)

    def __len__(self) -> int:
        return len(self.shapes)

    def take(self, index: IntArray) -> Polygons:
        """Return the polygons at ``index``, in that order."""
        return Polygons(self.shapes[index], repaired=True)

    @cached_property
    def _bounds(self) -> FloatArray:
        return read_only(shapely.bounds(self.shapes).reshape(-1, 4), np.float64)

    @cached_property
    def _area(self) -> FloatArray:
        return read_only(shapely.area(self.shapes), np.float64)

    @cached_property
    def _rank(self) -> IntArray:
        """(N,) ranks by area, bounds and outline; equal polygons share one."""
        rank = dense_rank([*self.bounds().T, self.area()])
        alike = np.flatnonzero(np.bincount(rank)[rank] > 1)
        outline = np.zeros(len(rank), dtype=np.uint64)
        outline[alike] = digests(shapely.to_wkb(self.shapes[alike]))
        return read_only(dense_rank([outline, rank]), np.int64)

    def bounds(self) -> FloatArray:
        """Return (N, 4) left, top, right and bottom of each polygon."""
        return self._bounds

    def area(self) -> FloatArray:
        """Return (N,) the area of each polygon."""
        return self._area

    def extent(self) -> FloatArray:
        """Return (N,) areas, to compare ``overlap`` with."""
        return self.area()

    def overlap(self, k: IntArray, l: IntArray) -> FloatArray:
        """Return (P,) the area polygons ``k`` and ``l`` share; none and all exactly."""
        k, l = self.in_order(k, l)
        area = self.area()
        overlap, smaller = shared_area(self.shapes, k, l), np.minimum(area[k], area[l])
        slack = AREA_ROUNDING * smaller
        overlap = np.where(overlap < slack, 0, overlap)
        # Of tiny polygons the rounding is larger, but not for equal ones.
        same = self._rank[k] == self._rank[l]
        return np.where(same | (overlap > smaller - slack), smaller, overlap)

    def most_overlap(self, k: IntArray, l: IntArray) -> FloatArray:
        """Return (P,) an area that ``overlap`` does not exceed, and quickly found."""
        area, bounds = self.area(), self.bounds()
        low = np.maximum(bounds[k, :2], bounds[l, :2])
        high = np.minimum(bounds[k, 2:], bounds[l, 2:])
        common = (high - low).clip(0).prod(axis=1)
        most: FloatArray = np.minimum(common, np.minimum(area[k], area[l]))
        return most

    def in_order(self, k: IntArray, l: IntArray) -> tuple[IntArray, IntArray]:
        """Return both polygons of each pair, in an order that only they decide.

        What two polygons share differs in its last bits with their order, and these
        would make the order of raters decide a tie.
        """
        swap = self._rank[k] > self._rank[l]
        return np.where(swap, l, k), np.where(swap, k, l)

    def content(self) -> list[AnyArray]:
        """Return the bounds and a digest of the coordinates."""
        return [*self.bounds().T, digests(shapely.to_wkb(self.shapes))]

    def faults(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield what is wrong with which polygons."""
        yield _endless(self.shapes), "a polygon with points of finite numbers"
        yield ~(self.area() > 0), "a polygon with an area"

    def describe(self, k: int) -> str:
        """Return the first points of polygon ``k`` as text."""
        points = shapely.get_coordinates(self.shapes[k])
        # Where the points enclose nothing, the repair has left none.
        return numbers(points) if len(points) else "one that encloses nothing"


def _check(shapes: AnyArray) -> None:
    """Raise for the first that is no shape; None is one without an area."""
    wrong = ~(shapely.is_geometry(shapes) | shapely.is_missing(shapes))
    if wrong.any():
        first = int(wrong.argmax())
        raise AnnotationError(
            f"polygons must be shapely polygons, got {shapes[first]!r} as number "
            f"{first}; Polygons.from_rings takes outlines"
        )


def _repair(shapes: AnyArray) -> None:
    """Replace invalid shapes by valid ones and normalise all, in place.

    Wherever a ring starts and which way it runs, equal shapes then have equal bits.
    """
    finite = ~_endless(shapes)
    broken = np.flatnonzero(~shapely.is_valid(shapes) & finite)
    shapes[broken] = shapely.buffer(shapes[broken], 0)
    still = broken[~shapely.is_valid(shapes[broken])]
    shapes[still] = shapely.make_valid(shapes[still])
    shapes[finite] = shapely.normalize(shapes[finite])


def _endless(shapes: AnyArray) -> BoolArray:
    """Return (N,) True where a point is not finite; bounds would leave it out."""
    points, owner = shapely.get_coordinates(shapes, return_index=True)
    wrong = np.isfinite(points).sum(axis=1) < 2
    return np.bincount(owner[wrong], minlength=len(shapes)) > 0
