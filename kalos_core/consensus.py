"""Consensus: one label for each unit, and how sure it is in three respects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from .annotations import Annotations
from .arrays import FloatArray, IntArray, freeze
from .checks import at_least_one
from .errors import KalosError
from .geometry import Shapes
from .mean_shape import distances_to, mean_shapes
from .medoid import medoids
from .model import Agreement
from .votes import Votes, count_votes, exact_weights

SHAPES = ("medoid", "mean")
"""How the shape of a unit is made."""

NO_ANNOTATION = -1
"""In place of an annotation: the shape is not that of any."""


@dataclass(frozen=True, eq=False, slots=True)
class Consensus:
    """K labels, one for each unit that enough raters drew, in the order of units.

    Parameters
    ----------
    unit, image, label : (K,) the unit, its image and the class with most votes.
    geometry : K shapes.
    annotation : (K,) the annotation that each shape is of; ``NO_ANNOTATION`` for means.
    existence : (K,) part of those asked who drew the object, by weight; nan where none
        of them has any.
    class_confidence : (K,) part of those who drew it that gave it the class, by weight.
    geometry_confidence : (K,) 1 less the mean distance d_loc of the shape to the others
        that were drawn, by weight; nan where there is no other.
    n_drawn, n_asked : (K,) raters who drew it, and who were asked.
    n_left_out : units that were drawn by too few.
    """

    unit: IntArray
    image: IntArray
    label: IntArray
    geometry: Shapes
    annotation: IntArray
    existence: FloatArray
    class_confidence: FloatArray
    geometry_confidence: FloatArray
    n_drawn: IntArray
    n_asked: IntArray
    n_left_out: int

    def __post_init__(self) -> None:
        n = len(self.unit)
        for name in ("unit", "image", "label", "annotation", "n_drawn", "n_asked"):
            freeze(self, name, np.int64, n)
        for name in ("existence", "class_confidence", "geometry_confidence"):
            freeze(self, name, np.float64, n)

    def __len__(self) -> int:
        return len(self.unit)


def consensus(
    annotations: Annotations,
    agreement: Agreement,
    *,
    weights: npt.ArrayLike | None = None,
    shape: Literal["medoid", "mean"] = "medoid",
    min_votes: int | None = None,
    min_existence: float | None = None,
) -> Consensus:
    """Return one label for each unit that somebody drew.

    The class is that of most votes, ties being broken by content: see ``count_votes``.
    The shape is the medoid, a label that somebody drew, or for boxes and keypoints the
    mean. A consensus is what the raters say together and not the truth.

    Parameters
    ----------
    agreement : of these annotations.
    weights : (R,) the say of each rater, from ``rater_weights``; by default all alike.
        Who has weight 0 is as if they were not there, except in units that nobody
        else drew.
    shape : one of ``SHAPES``.
    min_votes : raters who have to draw a unit; others are left out.
    min_existence : the least existence of a unit, likewise.
    """
    _check(annotations, agreement, shape, min_votes, min_existence)
    reliability = agreement.reliability
    exact = exact_weights(weights, annotations.n_raters)
    votes = count_votes(annotations, reliability, exact)
    chosen = votes.n_drawn >= max(min_votes or 1, 1)
    if min_existence is not None:
        chosen &= votes.existence >= min_existence - 1e-12
    unit = np.flatnonzero(chosen)
    geometry, annotation, d = _shapes(annotations, agreement, votes, unit, shape)
    return Consensus(
        unit=unit,
        image=reliability.image_of[unit],
        label=votes.label[unit],
        geometry=geometry,
        annotation=annotation,
        existence=votes.existence[unit],
        class_confidence=votes.class_confidence[unit],
        geometry_confidence=1 - d,
        n_drawn=votes.n_drawn[unit],
        n_asked=votes.n_asked[unit],
        n_left_out=int((votes.n_drawn > 0).sum()) - len(unit),
    )


def _shapes(
    annotations: Annotations,
    agreement: Agreement,
    votes: Votes,
    unit: IntArray,
    shape: str,
) -> tuple[Shapes, IntArray, FloatArray]:
    """Return the shape of each unit (K,), whose it is, and its mean distance."""
    unit_of, d_loc = agreement.reliability.unit_of, agreement.configuration.d_loc
    if shape == "mean":
        # Units without a label have no mean, so those that were drawn are numbered.
        drawn = votes.n_drawn > 0
        nth = np.cumsum(drawn) - 1
        numbered = nth[unit_of]
        means = mean_shapes(annotations, numbered, votes.share, int(drawn.sum()))
        d = distances_to(means, annotations, numbered, d_loc, votes.share)
        place = nth[unit]
        return means.take(place), np.full(len(unit), NO_ANNOTATION), d[place]
    preferred = annotations.label == votes.label[unit_of]
    found, d = medoids(annotations, unit_of, d_loc, votes.share, preferred)
    place = np.searchsorted(unit_of[found], unit)
    return annotations.geometry.take(found[place]), found[place], d[place]


def _check(
    annotations: Annotations,
    agreement: Agreement,
    shape: str,
    min_votes: int | None,
    min_existence: float | None,
) -> None:
    """Raise for arguments that make no sense, before any work."""
    reliability = agreement.reliability
    if len(reliability.unit_of) != len(annotations) or (
        len(reliability.values) != annotations.n_raters
    ):
        raise KalosError(
            f"the agreement is that of {len(reliability.unit_of)} annotations by "
            f"{len(reliability.values)} raters, got {len(annotations)} by "
            f"{annotations.n_raters}; compute it for these"
        )
    if shape not in SHAPES:
        raise KalosError(f"unknown shape {shape!r}; choose from {', '.join(SHAPES)}")
    if min_votes is not None:
        at_least_one("min_votes", min_votes)
    if min_existence is not None and not 0 <= min_existence <= 1:
        raise KalosError(f"min_existence must be from 0 to 1, got {min_existence!r}")
