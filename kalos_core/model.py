"""The nouns of the paper as frozen arrays: from annotations to agreement.

Arrays are flat, read-only and checked once, on construction. Absences are integer
codes, so that equality is exact and the two kinds cannot be confused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from .arrays import BoolArray, FloatArray, IntArray, StrArray, read_only
from .errors import AnnotationError, KalosError
from .geometry import Shapes

NO_OBJECT = -1
"""A rater was assigned to the image and drew nothing for the unit."""

UNASSIGNED = -2
"""A rater was never asked: missing data."""

COMPUTED = "computed"
UNIFORM = "uniform"
EMPTY_AGREED = "empty_agreed"
UNDEFINED = "undefined"
STATUSES = (COMPUTED, UNIFORM, EMPTY_AGREED, UNDEFINED)
"""How an image's alpha came about: from the formula; by convention because only one
value occurs; by convention because all assigned raters left the image empty; or not
at all, because fewer than two raters were assigned or no value could be paired."""

INDEXED_NAMES = (("image", "images"), ("rater", "raters"), ("label", "classes"))


def _freeze(owner: object, name: str, dtype: npt.DTypeLike, *shape: int | None) -> None:
    """Replace the array ``name`` of ``owner`` by a read-only one of that shape.

    ``None`` in ``shape`` admits any length.
    """
    array = read_only(getattr(owner, name), dtype)
    if len(array.shape) != len(shape) or any(
        want not in (None, got) for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise KalosError(f"{name} must have shape ({wanted}), got {array.shape}")
    object.__setattr__(owner, name, array)


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

    def __post_init__(self) -> None:
        n = len(self.geometry)
        for index, names in INDEXED_NAMES:
            self._check_names(names)
            _freeze(self, index, np.int64, n)
            self._check_index(index, len(getattr(self, names)))
        _freeze(self, "annotation_id", np.str_, n)
        object.__setattr__(self, "assigned", np.array(self.assigned))
        _freeze(self, "assigned", np.bool_, self.n_images, self.n_raters)
        self._set_defaults()
        self._sort()
        self._check()

    def _set_defaults(self) -> None:
        identity = tuple(self.identity) or self.raters
        if len(identity) != self.n_raters:
            raise KalosError(
                f"identity must name {self.n_raters} persons, got {len(identity)}"
            )
        object.__setattr__(self, "identity", identity)
        shape = self.n_raters, len(self.classes)
        asked = np.array(self.asked)
        object.__setattr__(self, "asked", asked if asked.size else np.ones(shape))
        _freeze(self, "asked", np.bool_, *shape)

    def _check_names(self, names: str) -> None:
        values = tuple(getattr(self, names))
        if len(set(values)) < len(values):
            twice = next(name for name in values if values.count(name) > 1)
            raise AnnotationError(f"{names} must be unique, got {twice!r} twice")
        object.__setattr__(self, names, values)

    def _check_index(self, name: str, bound: int) -> None:
        index = getattr(self, name)
        if len(index) and not 0 <= int(index.min()) <= int(index.max()) < bound:
            raise AnnotationError(
                f"{name} must index {bound} names, "
                f"got values from {index.min()} to {index.max()}"
            )

    def _sort(self) -> None:
        order = np.lexsort((self.annotation_id, self.rater, self.image))
        for name in ("image", "rater", "label", "annotation_id"):
            array = getattr(self, name)[order]
            object.__setattr__(self, name, array)
            _freeze(self, name, array.dtype, len(order))
        object.__setattr__(self, "geometry", self.geometry.take(order))

    def _check(self) -> None:
        repeated = np.zeros(len(self), dtype=bool)
        repeated[1:] = (
            (self.annotation_id[1:] == self.annotation_id[:-1])
            & (self.rater[1:] == self.rater[:-1])
            & (self.image[1:] == self.image[:-1])
        )
        if repeated.any():
            self._refuse(repeated, "has the id of another one by the same rater")
        for bad, expected in self.geometry.faults():
            if bad.any():
                got = self.geometry.describe(int(bad.argmax()))
                self._refuse(bad, f"must have {expected}, got {got}")
        stray: BoolArray = ~self.assigned[self.image, self.rater]
        if stray.any():
            k = int(stray.argmax())
            who = np.flatnonzero(self.assigned[self.image[k]])
            self._refuse(
                stray,
                f"is by rater {self.raters[self.rater[k]]!r}, who is not assigned to "
                f"that image; assigned are {[self.raters[r] for r in who]}",
            )

        beyond: BoolArray = ~self.asked[self.rater, self.label]
        if beyond.any():
            k = int(beyond.argmax())
            self._refuse(
                beyond,
                f"has class {self.classes[self.label[k]]!r}, for which rater "
                f"{self.raters[self.rater[k]]!r} was not asked",
            )

    def _refuse(self, bad: BoolArray, problem: str) -> NoReturn:
        """Raise for the first ``bad`` annotation, saying how many there are."""
        k, more = int(bad.argmax()), int(bad.sum()) - 1
        image, annotation_id = self.images[self.image[k]], str(self.annotation_id[k])
        raise AnnotationError(
            f"annotation {annotation_id!r} (image {image!r}) {problem}"
            + (f" (and {more} more like it)" if more else ""),
            image=image,
            annotation_id=annotation_id,
        )

    def __len__(self) -> int:
        return len(self.geometry)

    def between(self, start: int, stop: int) -> Annotations:
        """Return annotations ``start`` to ``stop`` of the same images and raters.

        They are in order and checked already, so this costs next to nothing.
        """
        part = object.__new__(Annotations)
        for name in self.__slots__:
            object.__setattr__(part, name, getattr(self, name))
        for name in ("image", "rater", "label", "annotation_id"):
            object.__setattr__(part, name, getattr(self, name)[start:stop])
        chosen = np.arange(start, stop)
        object.__setattr__(part, "geometry", self.geometry.take(chosen))
        return part

    @property
    def n_images(self) -> int:
        """Number of images, annotated or not."""
        return len(self.images)

    @property
    def n_raters(self) -> int:
        """Number of raters in the whole data set."""
        return len(self.raters)


@dataclass(frozen=True, slots=True)
class Configuration:
    """What KαLOS is run with; plain JSON values, resolved by the registries.

    Examples
    --------
    >>> print(Configuration())
    KαLOS(box_iou, τ=0.5, S=Greedy, ψ_soft)
    """

    d_loc: str = "box_iou"
    tau: float = 0.5
    solver: str = "greedy"
    psi: str = "soft"

    def __post_init__(self) -> None:
        number = isinstance(self.tau, (int, float)) and not isinstance(self.tau, bool)
        if not number or not 0 <= self.tau <= 1:  # also refuses nan
            raise KalosError(f"tau is a distance between 0 and 1, got {self.tau!r}")

    def __str__(self) -> str:
        solver = "Greedy" if self.solver == "greedy" else self.solver.upper()
        return f"KαLOS({self.d_loc}, τ={self.tau:g}, S={solver}, ψ_{self.psi})"


@dataclass(frozen=True, eq=False, slots=True)
class CandidatePairs:
    """Pairs of annotations that may be the same object.

    Both lie in one image, come from two raters and are at most tau apart.

    Parameters
    ----------
    k, l : (P,) indices of annotations, ``k < l``.
    d_loc : (P,) localization distance.
    d_cls : (P,) 0 where the classes are equal, else 1.
    """

    k: IntArray
    l: IntArray
    d_loc: FloatArray
    d_cls: npt.NDArray[np.int8]

    def __post_init__(self) -> None:
        n = len(self.k)
        _freeze(self, "k", np.int64, n)
        _freeze(self, "l", np.int64, n)
        _freeze(self, "d_loc", np.float64, n)
        _freeze(self, "d_cls", np.int8, n)

    def __len__(self) -> int:
        return len(self.k)


@dataclass(frozen=True, eq=False, slots=True)
class ReliabilityMatrix:
    """What every rater said about every unit.

    Parameters
    ----------
    values : (R, U) class codes, ``NO_OBJECT`` or ``UNASSIGNED``.
    image_of : (U,) the image that each unit lies in, ascending.
    unit_of : (N,) the unit that each annotation belongs to.
    """

    values: npt.NDArray[np.int32]
    image_of: IntArray
    unit_of: IntArray

    def __post_init__(self) -> None:
        _freeze(self, "values", np.int32, None, None)
        _freeze(self, "image_of", np.int64, self.values.shape[1])
        _freeze(self, "unit_of", np.int64, None)
        if self.values.size and self.values.min() < UNASSIGNED:
            raise KalosError(f"values must be at least {UNASSIGNED}, unassigned")

    @property
    def n_units(self) -> int:
        """Number of columns, virtual units of empty images included."""
        return len(self.image_of)


@dataclass(frozen=True, eq=False, slots=True)
class Agreement:
    """Krippendorff's alpha per image and for the data set.

    Parameters
    ----------
    alpha : (I,) agreement per image, nan where ``status`` is undefined.
    status : (I,) one of ``STATUSES`` per image.
    mean_alpha : mean of the defined ``alpha``; nan where none is.
    global_alpha : alpha of the concatenated matrix; nan where undefined.
    reliability : the matrix that all of it comes from.
    configuration : what it was computed with.
    """

    alpha: FloatArray
    status: StrArray
    mean_alpha: float
    global_alpha: float
    reliability: ReliabilityMatrix
    configuration: Configuration

    def __post_init__(self) -> None:
        _freeze(self, "alpha", np.float64, None)
        _freeze(self, "status", np.str_, len(self.alpha))
