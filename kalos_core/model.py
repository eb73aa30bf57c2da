"""The nouns of the paper as frozen arrays: from candidate pairs to agreement.

Arrays are flat, read-only and checked once, on construction. Absences are integer
codes, so that equality is exact and the two kinds cannot be confused.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray, IntArray, StrArray, freeze
from .errors import KalosError
from .plain import AsJson

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


@dataclass(frozen=True, slots=True)
class Configuration(AsJson):
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
        for name in ("d_loc", "solver", "psi"):
            if not isinstance(getattr(self, name), str):
                got = repr(getattr(self, name))
                raise KalosError(f"{name} must be a name as text, got {got}")
        number = isinstance(self.tau, Real) and not isinstance(self.tau, bool)
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
        freeze(self, "k", np.int64, n)
        freeze(self, "l", np.int64, n)
        freeze(self, "d_loc", np.float64, n)
        freeze(self, "d_cls", np.int8, n)

    def __len__(self) -> int:
        return len(self.k)


@dataclass(frozen=True, eq=False, slots=True)
class ReliabilityMatrix(AsJson):
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
        freeze(self, "values", np.int32, None, None)
        freeze(self, "image_of", np.int64, self.values.shape[1])
        freeze(self, "unit_of", np.int64, None)
        if self.values.size and self.values.min() < UNASSIGNED:
            raise KalosError(f"values must be at least {UNASSIGNED}, unassigned")

    @property
    def n_units(self) -> int:
        """Number of columns, virtual units of empty images included."""
        return len(self.image_of)


@dataclass(frozen=True, eq=False, slots=True)
class Agreement(AsJson):
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
        freeze(self, "alpha", np.float64, None)
        freeze(self, "status", np.str_, len(self.alpha))
