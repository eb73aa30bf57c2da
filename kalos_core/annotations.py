"""What all raters drew, where and of which class: the input of KαLOS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NoReturn

import numpy as np

from .arrays import BoolArray, IntArray, StrArray, as_array, freeze
from .checks import as_names, check_type
from .errors import AnnotationError, KalosError
from .geometry import Shapes
from .geometry.crops import Crops

INDEXED_NAMES = (("image", "images"), ("rater", "raters"), ("label", "classes"))

FARTHEST = 1e100
"""Larger coordinates have areas and squares that no float holds."""


@dataclass(frozen=True, eq=False, slots=True)
class Annotations:
    """All raters' annotations of a data set, in canonical order.

    The order is image, rater, annotation id, whatever order they are given in: the
    annotations of one rater in one image are then a contiguous block.

    Parameters
    ----------
    image, rater, label : (N,) indices into ``images``, ``raters`` and ``classes``.
    geometry : N shapes.
    annotation_id : (N,) names of the annotations, unique per image and rater.
    assigned : (I, R) True where the rater was asked to annotate the image.
    images, raters, classes : unique names.
    identity : (R,) the person behind each rater; rows of one person are that person's
        sessions. By default each rater is somebody else.
    asked : (R, C) True where the rater was asked for the class. By default everyone
        was asked for all classes.
    source : where they were read from, "file 'x.json'" say, for errors to begin with.
    """

    image: IntArray
    rater: IntArray
    label: IntArray
    geometry: Shapes
    annotation_id: StrArray
    assigned: BoolArray
    images: tuple[str, ...]
    raters: tuple[str, ...]
    classes: tuple[str, ...]
    identity: tuple[str, ...] = ()
    asked: BoolArray = field(default_factory=lambda: np.empty((0, 0), dtype=bool))
    source: str = ""

    def __post_init__(self) -> None:
        check_type("geometry", self.geometry, Shapes, "shapes such as Boxes")
        n = len(self.geometry)
        for index, names in INDEXED_NAMES:
            self._check_names(names)
            freeze(self, index, np.int64, n)
        freeze(self, "annotation_id", np.str_, n)
        for index, names in INDEXED_NAMES:
            self._check_index(index, len(getattr(self, names)))
        assigned = as_array(self.assigned, np.bool_, "assigned")
        object.__setattr__(self, "assigned", assigned.copy())
        freeze(self, "assigned", np.bool_, self.n_images, self.n_raters)
        self._set_defaults()
        self._sort()
        with np.errstate(over="ignore"):  # of what is refused for it
            self._check_shapes()
        self._check_grids()
        self._check()

    def _set_defaults(self) -> None:
        identity = as_names(self.identity, "identity") or self.raters
        if len(identity) != self.n_raters:
            raise KalosError(
                f"identity must name {self.n_raters} persons, got {len(identity)}"
            )
        object.__setattr__(self, "identity", identity)
        shape = self.n_raters, len(self.classes)
        asked = as_array(self.asked, np.bool_, "asked").copy()
        object.__setattr__(self, "asked", asked if asked.size else np.ones(shape))
        freeze(self, "asked", np.bool_, *shape)

    def _check_names(self, names: str) -> None:
        values = as_names(getattr(self, names), names)
        if len(set(values)) < len(values):
            twice, _ = Counter(values).most_common(1)[0]
            raise AnnotationError(f"{names} must be unique, got {twice!r} twice")
        object.__setattr__(self, names, values)

    def _check_index(self, name: str, bound: int) -> None:
        index = getattr(self, name)
        wrong = (index < 0) | (index >= bound)
        if wrong.any():
            k = int(wrong.argmax())
            annotation_id = str(self.annotation_id[k])
            # The image is checked first, so that the others' errors can name it.
            image = None if name == "image" else self.images[self.image[k]]
            raise AnnotationError(
                f"{name} must index {bound} names, "
                f"got values from {index.min()} to {index.max()}, the first in "
                f"annotation {annotation_id!r}"
                + (f" (image {image!r})" if image else ""),
                source=self.source,
                image=image,
                annotation_id=annotation_id,
            )

    def _sort(self) -> None:
        order = np.lexsort((self.annotation_id, self.rater, self.image))
        for name in ("image", "rater", "label", "annotation_id"):
            array = getattr(self, name)[order]
            object.__setattr__(self, name, array)
            freeze(self, name, array.dtype, len(order))
        object.__setattr__(self, "geometry", self.geometry.take(order))

    def _check(self) -> None:
        repeated = np.zeros(len(self), dtype=bool)
        repeated[1:] = (
            (self.annotation_id[1:] == self.annotation_id[:-1])
            & (self.rater[1:] == self.rater[:-1])
            & (self.image[1:] == self.image[:-1])
        )
        if repeated.any():
            self.refuse(repeated, "has the id of another one by the same rater")
        stray: BoolArray = ~self.assigned[self.image, self.rater]
        if stray.any():
            k = int(stray.argmax())
            who = np.flatnonzero(self.assigned[self.image[k]])
            self.refuse(
                stray,
                f"is by rater {self.raters[self.rater[k]]!r}, who is not assigned to "
                f"that image; assigned are {[self.raters[r] for r in who]}",
            )

        beyond: BoolArray = ~self.asked[self.rater, self.label]
        if beyond.any():
            k = int(beyond.argmax())
            self.refuse(
                beyond,
                f"has class {self.classes[self.label[k]]!r}, for which rater "
                f"{self.raters[self.rater[k]]!r} was not asked",
            )

    def _check_shapes(self) -> None:
        for bad, expected in chain(self.geometry.faults(), self._far()):
            if bad.any():
                got = self.geometry.describe(int(bad.argmax()))
                self.refuse(bad, f"must have {expected}, got {got}")

    def _far(self) -> Iterator[tuple[BoolArray, str]]:
        """Yield where coordinates are too large to compute with."""
        bounds = self.geometry.bounds()
        far = np.isfinite(bounds) & (np.abs(bounds) > FARTHEST)  # no joint: infinite
        yield far.sum(axis=1) > 0, f"coordinates of at most {FARTHEST:g} image sizes"

    def _check_grids(self) -> None:
        """Raise where the cells of an image's shapes lie in two grids."""
        if not isinstance(self.geometry, Crops):
            return
        grid = self.geometry.grid
        first = np.searchsorted(self.image, self.image)
        other = (grid != grid[first]).any(axis=1)
        if other.any():
            k = int(other.argmax())
            expected, got = (tuple(grid[n].tolist()) for n in (first[k], k))
            self.refuse(
                other,
                f"must have the grid {expected} that annotation "
                f"{str(self.annotation_id[first[k]])!r} of that image has, got {got}",
            )

    def refuse(self, bad: BoolArray, problem: str) -> NoReturn:
        """Raise for the first ``bad`` annotation, saying how many there are."""
        k, more = int(bad.argmax()), int(bad.sum()) - 1
        image, annotation_id = self.images[self.image[k]], str(self.annotation_id[k])
        raise AnnotationError(
            f"annotation {annotation_id!r} (image {image!r}) {problem}"
            + (f" (and {more} more like it)" if more else ""),
            source=self.source,
            image=image,
            annotation_id=annotation_id,
        )

    def __len__(self) -> int:
        return len(self.geometry)

    def between(self, start: int, stop: int) -> Annotations:
        """Return annotations ``start`` to ``stop`` of the same images and raters.

        They are in order and checked already, so this costs next to nothing.
        """
        if (start, stop) == (0, len(self)):
            return self
        part = object.__new__(Annotations)
        for name in self.__slots__:
            value = getattr(self, name)
            if name == "geometry":
                value = value.take(np.arange(start, stop))
            elif name in ("image", "rater", "label", "annotation_id"):
                value = value[start:stop]
            object.__setattr__(part, name, value)
        return part

    def in_order(self, order: IntArray) -> tuple[Annotations, IntArray]:
        """Return the same with image ``order[i]`` in place i, and where each was.

        They are checked already and stay in order in each image.
        """
        if (np.diff(order) > 0).all():
            return self, np.arange(len(self))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        origin: IntArray = np.argsort(place[self.image], kind="stable")
        other = object.__new__(Annotations)
        for name in self.__slots__:
            value = getattr(self, name)
            if name in ("rater", "label", "annotation_id"):
                value = value[origin]
            object.__setattr__(other, name, value)
        object.__setattr__(other, "image", place[self.image][origin])
        object.__setattr__(other, "geometry", self.geometry.take(origin))
        object.__setattr__(other, "assigned", self.assigned[order])
        object.__setattr__(other, "images", tuple(self.images[i] for i in order))
        return other, origin

    def chunks(self, size: int) -> Iterator[tuple[int, int]]:
        """Yield start and stop of at least ``size`` annotations, in whole images."""
        start = 0
        while start < len(self):
            last = self.image[min(start + size, len(self)) - 1]
            stop = int(np.searchsorted(self.image, last, side="right"))
            yield start, stop
            start = stop

    @property
    def block(self) -> IntArray:
        """(N,) image and rater of each annotation as one number, ascending."""
        return self.image * self.n_raters + self.rater

    @property
    def n_images(self) -> int:
        """Number of images, annotated or not."""
        return len(self.images)

    @property
    def n_raters(self) -> int:
        """Number of raters in the whole data set."""
        return len(self.raters)
