"""Distances that are measured once for calibration, agreement and diagnosis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .annotations import Annotations
from .checks import check_type
from .errors import KalosError
from .model import CandidatePairs, Configuration
from .pairs import BELOW_ONE, candidate_pairs, is_within
from .progress import Progress

CHUNK = 10_000
"""Annotations whose pairs are measured at a time, in whole images."""

MOST = 1 << 23
"""Pairs that are kept, 25 bytes each."""


@dataclass(frozen=True, eq=False, slots=True)
class MeasuredPairs:
    """All pairs of a data set within some tau; other taus are parts of it.

    Parameters
    ----------
    annotations : whose pairs they are.
    d_loc : the distance between them.
    tau : up to which none is left out.
    pairs : in the order of ``k``.
    """

    annotations: Annotations
    d_loc: str
    tau: float
    pairs: CandidatePairs


def measure_pairs(
    annotations: Annotations,
    d_loc: str,
    tau: float = BELOW_ONE,
    progress: Progress | None = None,
) -> MeasuredPairs | None:
    """Measure what calibration, agreement and diagnosis have in common.

    Who needs pairs that are farther apart than ``tau`` measures them anew. None where
    so many pairs are near that keeping them would cost too much memory; everybody who
    is given None measures what is needed, bit by bit.
    """
    check_type("annotations", annotations, Annotations)
    Configuration(d_loc, tau)  # which says what is wrong with a name or threshold
    nothing = candidate_pairs(annotations.between(0, 0), d_loc, tau)
    found, n_found = [nothing], 0
    for start, stop in annotations.chunks(CHUNK):
        near = candidate_pairs(annotations.between(start, stop), d_loc, tau)
        n_found += len(near)
        if n_found * len(annotations) > MOST * stop:
            return None
        found.append(
            CandidatePairs(near.k + start, near.l + start, near.d_loc, near.d_cls)
        )
        if progress is not None:
            progress(stop, len(annotations))
    columns = zip(*((p.k, p.l, p.d_loc, p.d_cls) for p in found), strict=True)
    pairs = CandidatePairs(*map(np.concatenate, columns))
    return MeasuredPairs(annotations, d_loc, tau, pairs)


def pairs_between(
    annotations: Annotations,
    start: int,
    stop: int,
    d_loc: str,
    tau: float,
    measured: MeasuredPairs | None,
) -> CandidatePairs:
    """Return the pairs within ``tau`` of annotations ``start`` to ``stop``.

    They are whole images, and pairs are numbered from ``start``.

    Parameters
    ----------
    measured : of all annotations, where they were.
    """
    if measured is not None:
        check_type("measured", measured, MeasuredPairs)
    if measured is None or measured.tau < tau:
        return candidate_pairs(annotations.between(start, stop), d_loc, tau)
    if measured.annotations is not annotations or measured.d_loc != d_loc:
        raise KalosError(
            f"measured pairs must be of the same annotations and of {d_loc!r}, got "
            f"those of {len(measured.annotations)} annotations by {measured.d_loc!r}"
        )
    pairs = measured.pairs
    if (start, stop, tau) == (0, len(annotations), measured.tau):
        return pairs
    first, last = np.searchsorted(pairs.k, [start, stop])
    near = first + np.flatnonzero(is_within(pairs.d_loc[first:last], tau))
    return CandidatePairs(
        pairs.k[near] - start,
        pairs.l[near] - start,
        pairs.d_loc[near],
        pairs.d_cls[near],
    )
