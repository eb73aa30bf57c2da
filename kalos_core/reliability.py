"""Units to the reliability matrix; the completeness assumption lives here only."""

from __future__ import annotations

import numpy as np

from .annotations import Annotations
from .arrays import BoolArray, IntArray
from .model import NO_OBJECT, UNASSIGNED, ReliabilityMatrix


def reliability_matrix(
    annotations: Annotations, unit_of: IntArray
) -> ReliabilityMatrix:
    """Return what each rater said about each unit (paper, Step 2).

    A rater assigned to the image who drew nothing for a unit said ``NO_OBJECT``; one
    who was not assigned is missing data, and so is one who was not asked for any of
    the classes that others gave the unit, or for any class at all. An image that all
    assigned raters left empty gets one virtual unit of ``NO_OBJECT``, so that its
    agreement counts.

    Parameters
    ----------
    unit_of : (N,) consecutive unit numbers from 0.
    """
    n_units = int(unit_of.max(initial=-1)) + 1
    image_of: IntArray = np.zeros(n_units, dtype=np.int64)
    image_of[unit_of] = annotations.image
    empty = annotations.assigned.sum(axis=1) > 0
    empty[annotations.image] = False
    image_of = np.concatenate([image_of, np.flatnonzero(empty)])
    order = np.argsort(image_of, kind="stable")
    column = np.empty_like(order)
    column[order] = np.arange(len(order))
    image_of, unit_of = image_of[order], column[unit_of]
    nothing = np.where(annotations.assigned, np.int32(NO_OBJECT), np.int32(UNASSIGNED))
    by_unit = nothing.take(image_of, axis=0)
    by_unit.ravel()[unit_of * annotations.n_raters + annotations.rater] = (
        annotations.label
    )
    values = by_unit.T
    if not annotations.asked.all():
        values[_beyond(annotations, unit_of, len(image_of))] = UNASSIGNED
    return ReliabilityMatrix(values, image_of, unit_of)


def _beyond(annotations: Annotations, unit_of: IntArray, n_units: int) -> BoolArray:
    """Return (R, U) True where the rater was asked for no class of the unit."""
    beyond = np.zeros((annotations.n_raters, n_units), dtype=bool)
    for rater, asked in enumerate(annotations.asked):
        if not asked.all():
            # Who was asked for nothing says nothing of an empty image either.
            beyond[rater, unit_of if asked.any() else slice(None)] = True
            beyond[rater, unit_of[asked[annotations.label]]] = False
    return beyond
