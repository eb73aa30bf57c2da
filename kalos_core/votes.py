"""Votes of raters on units: whether there is an object, and of which class."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np
import numpy.typing as npt

from .annotations import Annotations
from .arrays import FloatArray, IntArray, by_name, freeze, sum_by
from .errors import KalosError
from .model import UNASSIGNED, ReliabilityMatrix
from .ranges import grouped

BITS = 40
"""Weights are whole numbers whose sum has this many bits, so that sums are exact and
no order of raters can break a tie."""

ROUNDING = 1 << 10
"""Votes that differ by less are a tie, as 0.1 + 0.2 against 0.3 is."""


@dataclass(frozen=True, eq=False, slots=True)
class Votes:
    """What the raters of each unit (U,) voted; nan or -1 where nobody drew it.

    Parameters
    ----------
    label : the class with most votes; -1 where nobody drew the unit.
    class_confidence : its part of the votes of those who drew the unit.
    existence : part of the votes of those asked that says that there is an object.
    n_drawn, n_asked : raters who drew it, and who were asked.
    share : (N,) part of the votes on its unit that each annotation has.
    """

    label: IntArray
    class_confidence: FloatArray
    existence: FloatArray
    n_drawn: IntArray
    n_asked: IntArray
    share: FloatArray

    def __post_init__(self) -> None:
        n_units = len(self.label)
        for name in ("label", "n_drawn", "n_asked"):
            freeze(self, name, np.int64, n_units)
        for name in ("class_confidence", "existence"):
            freeze(self, name, np.float64, n_units)
        freeze(self, "share", np.float64, None)


def exact_weights(weights: npt.ArrayLike | None, n_raters: int) -> FloatArray:
    """Return (R,) whole numbers in proportion to the weights; without any, equal ones.

    Examples
    --------
    >>> one, other = exact_weights([0.3, 0.1], 2).tolist()
    >>> round(one / other, 9)
    3.0
    """
    if weights is None:
        weights = np.ones(n_raters)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n_raters,):
        raise KalosError(
            f"weights must be {n_raters} numbers, one for each rater, got shape "
            f"{given.shape}"
        )
    if not np.isfinite(given).all() or (given < 0).any():
        raise KalosError(f"weights must be finite and not below 0, got {given}")
    if n_raters and not given.any():
        raise KalosError("weights must not all be 0: nobody would have a vote")
    # By powers of two, which change no ratio; first so that the sum is a float at all.
    _, exponent = np.frexp(given.max(initial=0))
    given = np.ldexp(given, -exponent)
    _, exponent = np.frexp(fsum(given))
    whole: FloatArray = np.rint(np.ldexp(given, BITS - exponent))
    return whole


def count_votes(
    annotations: Annotations, reliability: ReliabilityMatrix, weights: FloatArray
) -> Votes:
    """Count votes on every unit; ``NO_OBJECT`` is one against its existence.

    Of classes with equal votes that one is taken which is the more frequent in the
    image, then in the data set, then the first by name. Where none of those who drew
    a unit has any weight, they weigh alike for class and shape.

    Parameters
    ----------
    weights : (R,) from ``exact_weights``.
    """
    unit_of, n_units = reliability.unit_of, reliability.n_units
    weight = weights[annotations.rater]
    drawn = sum_by(unit_of, weight, n_units)
    asked, n_asked = np.zeros(n_units), np.zeros(n_units, dtype=np.int64)
    for own, said in zip(weights, reliability.values, strict=True):
        asked += own * (said != UNASSIGNED)
        n_asked += said != UNASSIGNED
    n_drawn = np.bincount(unit_of, minlength=n_units)
    weight = np.where(drawn[unit_of] > 0, weight, 1.0)
    total = sum_by(unit_of, weight, n_units)
    label = np.full(n_units, -1)
    votes = np.full(n_units, np.nan)
    unit, value, most = _winners(annotations, unit_of, weight)
    label[unit], votes[unit] = value, most
    with np.errstate(invalid="ignore"):
        return Votes(
            label=label,
            class_confidence=votes / total,
            existence=drawn / asked,
            n_drawn=n_drawn,
            n_asked=n_asked,
            share=weight / total[unit_of],
        )


def _winners(
    annotations: Annotations, unit_of: IntArray, weight: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the units that were drawn, the class of each, and its votes."""
    n_classes = max(len(annotations.classes), 1)
    n_units = int(unit_of.max(initial=-1)) + 1
    key, place = grouped(unit_of * n_classes + annotations.label, n_units * n_classes)
    unit, value = np.divmod(key, n_classes)
    votes = sum_by(place, weight, len(key))
    cell = annotations.image * n_classes + annotations.label
    cells, of = grouped(cell, annotations.n_images * n_classes)
    in_image = np.zeros(len(key))
    in_image[place] = np.bincount(of, minlength=len(cells))[of]
    in_data = np.bincount(annotations.label, minlength=n_classes)[value]
    name = np.argsort(by_name(annotations.classes))[value]
    most = np.rint(votes / ROUNDING)
    order = np.lexsort((name, -in_data, -in_image, -most, unit))
    first = np.ones(len(order), dtype=bool)
    first[1:] = unit[order[1:]] != unit[order[:-1]]
    won = order[first]
    return unit[won], value[won], votes[won]
