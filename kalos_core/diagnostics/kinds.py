"""Kinds of disagreement: what is wrong with each unit, and who stands alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..annotations import Annotations
from ..arrays import BoolArray, FloatArray, IntArray, StrArray, freeze
from ..estimates import Estimates, with_intervals
from ..model import NO_OBJECT, UNASSIGNED, Agreement, ReliabilityMatrix
from ..plain import AsJson
from ..resampling import Resampling
from .dissent import NOBODY, lone_dissent
from .loose import far_apart
from .repair import repair_gain
from .split_merge import Splits, find_splits, split_units

SPLIT_MERGE, MISSED, CLASS, LOOSE = "split_merge", "missed", "class", "loose"
DISAGREEMENTS = (SPLIT_MERGE, MISSED, CLASS, LOOSE)
"""What can be wrong with a unit, gravest first."""

AGREED, UNDEFINED = "agreed", "undefined"
KINDS = (*DISAGREEMENTS, AGREED, UNDEFINED)
"""What a unit can be; undefined where fewer than two raters were asked."""


@dataclass(frozen=True, eq=False, slots=True)
class UnitKinds(AsJson):
    """What is wrong with each unit of the reliability matrix.

    Parameters
    ----------
    kind : (U,) the gravest of what holds, one of ``KINDS``.
    holds : (4, U) whether each of ``DISAGREEMENTS`` holds.
    outlier : (U,) the one rater who, in what ``kind`` says, stands against all others,
        at least two who agree; else ``NOBODY``.
    gain : (U,) by how much the image's alpha would rise were the unit agreed.
    strict_tau : the distance from which on labels are loose.
    splits : the labels behind every split_merge.
    """

    kind: StrArray
    holds: BoolArray
    outlier: IntArray
    gain: FloatArray
    strict_tau: float
    splits: Splits

    def __post_init__(self) -> None:
        n_units = len(self.kind)
        freeze(self, "kind", np.str_, n_units)
        freeze(self, "holds", np.bool_, len(DISAGREEMENTS), n_units)
        freeze(self, "outlier", np.int64, n_units)
        freeze(self, "gain", np.float64, n_units)


def unit_kinds(
    annotations: Annotations,
    agreement: Agreement,
    strict_tau: float | None = None,
) -> UnitKinds:
    """Return what is wrong with each unit, with whom, and what it costs.

    missed: some rater saw nothing. class: the classes differ. loose: they do not, but
    some two labels are more than ``strict_tau`` apart, by default half of tau.
    split_merge: one rater's label covers several of another's. A virtual unit of an
    empty image is agreed.
    """
    reliability = agreement.reliability
    values = reliability.values
    if strict_tau is None:
        strict_tau = agreement.configuration.tau / 2
    splits = find_splits(annotations, reliability)
    split_merge, merger = split_units(annotations, reliability, splits)
    missed, classes_differ = _told_by_values(values)
    far, far_rater = far_apart(annotations, agreement, strict_tau)
    holds = np.stack([split_merge, missed, classes_differ, far & ~classes_differ])
    dissent = lone_dissent(values)
    alone = np.full(reliability.n_units, NOBODY)
    alone[dissent.unit] = dissent.rater
    asked = (values != UNASSIGNED).sum(axis=0) >= 2
    return UnitKinds(
        kind=np.select([*holds, asked], [*DISAGREEMENTS, AGREED], UNDEFINED),
        holds=holds,
        outlier=np.select([*holds], [merger, alone, alone, far_rater], NOBODY),
        gain=repair_gain(reliability, annotations.n_images),
        strict_tau=strict_tau,
        splits=splits,
    )


def _told_by_values(values: npt.NDArray[np.int32]) -> tuple[BoolArray, BoolArray]:
    """Return (U,) whether a rater missed the object, and whether classes differ."""
    drawn = values >= 0
    largest = values.max(axis=0, initial=UNASSIGNED)
    smallest = values.min(axis=0, initial=np.iinfo(np.int32).max, where=drawn)
    some = drawn.any(axis=0)
    return some & (values == NO_OBJECT).any(axis=0), some & (smallest < largest)


@dataclass(frozen=True, eq=False, slots=True)
class KindCounts:
    """How many units are of each kind.

    Parameters
    ----------
    kind : ``KINDS``.
    n_units : (6,) units of each kind.
    n_empty : virtual units of empty images, which are among the agreed.
    share : (6,) part of the units in which two raters or more were asked; nan for
        undefined.
    """

    kind: tuple[str, ...]
    n_units: IntArray
    n_empty: int
    share: Estimates


def count_kinds(
    kinds: UnitKinds, reliability: ReliabilityMatrix, resampling: Resampling
) -> KindCounts:
    """Return how many units are of each kind, with intervals over images."""
    is_kind = np.stack([kinds.kind == kind for kind in KINDS])
    return KindCounts(
        kind=KINDS,
        n_units=is_kind.sum(axis=1),
        n_empty=int((is_kind[-2] & (reliability.values < 0).all(axis=0)).sum()),
        share=_shares(is_kind[:-1], reliability.image_of, resampling).within(0, 1),
    )


def _shares(
    is_kind: BoolArray, image_of: IntArray, resampling: Resampling
) -> Estimates:
    """Return the part of the units that each kind (K, U) has, and nan for the others.

    From sums of images, of which there are far fewer than units.
    """
    n_kinds, n_images = len(is_kind), len(resampling.drawn_from)
    n_own = np.stack(
        [np.bincount(image_of[own], minlength=n_images) for own in is_kind]
    )
    n_units = n_own.sum(axis=0)
    some = np.flatnonzero(n_units)
    column, image = np.repeat(np.arange(n_kinds), len(some)), np.tile(some, n_kinds)
    total = n_own[:, some].ravel().astype(np.float64)
    count = n_units[image].astype(np.float64)
    with np.errstate(invalid="ignore"):
        share = np.append(n_own.sum(axis=1) / n_units.sum(), np.nan)
    rounds = resampling.means(total, count, image, column, n_kinds + 1)
    return with_intervals(share, rounds, np.append(np.full(n_kinds, len(some)), 0))
