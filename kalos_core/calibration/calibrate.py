"""Calibrate a distance from the data, and rank distances (paper, Step 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, freeze
from ..errors import CalibrationError
from ..measured import MeasuredPairs
from .disagreement import Draws, draw, expected, observed
from .separation import Separation, separate


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Calibration(Separation):
    """A distance on a data set: what separates raters from chance, and where.

    Parameters
    ----------
    d_loc : the distance.
    d_o, d_e : samples of observed and expected disagreement, from 0 to 1.
    annotation_o, annotation_e : whose distance each of them is.
    n_images : images of at least two raters, in which disagreement was observed.
    n_annotations : annotations of the data set.
    n_draws : how often each of them was compared with another image.
    """

    d_loc: str
    d_o: FloatArray
    d_e: FloatArray
    annotation_o: IntArray
    annotation_e: IntArray
    n_images: int
    n_annotations: int
    n_draws: int

    def __post_init__(self) -> None:
        super(Calibration, self).__post_init__()
        freeze(self, "d_o", np.float64, None)
        freeze(self, "d_e", np.float64, None)
        freeze(self, "annotation_o", np.int64, len(self.d_o))
        freeze(self, "annotation_e", np.int64, len(self.d_e))


def calibrate(
    annotations: Annotations,
    d_loc: str,
    *,
    rng: np.random.Generator,
    n_draws: int = 1,
    measured: MeasuredPairs | None = None,
) -> Calibration:
    """Return how well ``d_loc`` tells raters of one image from chance, and tau*.

    Parameters
    ----------
    rng : draws the images that stand for chance.
    n_draws : how often; more shrink the variance of D_e.
    measured : pairs from ``measure_pairs``, where they are at hand.

    Raises
    ------
    CalibrationError
        If there is nothing to compare, which it says.
    """
    found = _calibrate(annotations, d_loc, draw(annotations, rng, n_draws), measured)
    if found.d_o.min() == found.d_o.max() == found.d_e.min() == found.d_e.max():
        raise CalibrationError(
            f"every distance {d_loc!r}, between raters and to other images, is "
            f"{found.d_o[0]:g}: there is nothing to tell apart; try another distance"
        )
    return found


def rank_distances(
    annotations: Annotations,
    names: Sequence[str],
    *,
    rng: np.random.Generator,
    n_draws: int = 1,
) -> list[Calibration]:
    """Return calibrations of several distances, the best separating one first.

    All are compared on the same draws. Where chance is nearer than the raters are
    (``valid`` is False) a distance does not measure what they agree on; such ones
    come last, as do those that are the same everywhere and have a KS of 0.
    """
    if isinstance(names, str):
        raise CalibrationError(f"names must be a list of distances, got {names!r}")
    draws = draw(annotations, rng, n_draws)
    found = [_calibrate(annotations, name, draws) for name in names]
    return sorted(found, key=lambda calibration: -calibration.ks)


def _calibrate(
    annotations: Annotations,
    d_loc: str,
    draws: Draws,
    measured: MeasuredPairs | None = None,
) -> Calibration:
    d_o, of_o = observed(annotations, d_loc, measured)
    if not len(d_o):
        raise CalibrationError(
            "observed disagreement needs an annotated image with at least two assigned "
            f"raters, got none among {annotations.n_images} images and "
            f"{annotations.n_raters} raters"
        )
    d_e, of_e = expected(annotations, d_loc, draws)
    found = separate(d_o, d_e)
    return Calibration(
        **{field.name: getattr(found, field.name) for field in fields(found)},
        d_loc=d_loc,
        d_o=d_o,
        d_e=d_e,
        annotation_o=of_o,
        annotation_e=of_e,
        n_images=int(np.count_nonzero(np.bincount(annotations.image[of_o]))),
        n_annotations=len(annotations),
        n_draws=len(draws.image),
    )
