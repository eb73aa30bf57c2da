"""Candidate pairs: annotations of one image and two raters within tau."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .distances import Distance
from .model import Annotations, CandidatePairs, IntArray

CHUNK = 1 << 20
"""Raw pairs measured at a time, which bounds the memory of this stage."""


def candidate_pairs(
    annotations: Annotations, distance: Distance, tau: float
) -> CandidatePairs:
    """Return all pairs of one image and two raters with d_loc <= ``tau``.

    Pairs come in the order of ``k`` and then ``l``.
    """
    kept_k, kept_l, kept_d = [], [], []
    for k, l in _raw_pairs(annotations):
        d_loc = distance(annotations.geometry, k, l)
        near = d_loc <= tau
        kept_k.append(k[near])
        kept_l.append(l[near])
        kept_d.append(d_loc[near])
    k = np.concatenate(kept_k or [np.empty(0, np.int64)])
    l = np.concatenate(kept_l or [np.empty(0, np.int64)])
    d_loc = np.concatenate(kept_d or [np.empty(0)])
    d_cls = (annotations.label[k] != annotations.label[l]).astype(np.int8)
    return CandidatePairs(k, l, d_loc, d_cls)


def _raw_pairs(annotations: Annotations) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs of one image and two raters, about ``CHUNK`` at a time.

    In canonical order the partners of an annotation that come after it are a range:
    from the end of its rater's block to the end of its image.
    """
    image, n_raters = annotations.image, annotations.n_raters
    block = image * n_raters + annotations.rater
    first = np.searchsorted(block, block, side="right")
    n_partners = np.searchsorted(image, image, side="right") - first
    end = np.cumsum(n_partners)
    start = 0
    while start < len(block):
        done = end[start - 1] if start else 0
        stop = max(int(np.searchsorted(end, done + CHUNK, side="right")), start + 1)
        k = np.repeat(np.arange(start, stop), n_partners[start:stop])
        nth = np.arange(len(k)) - (end - n_partners)[k] + done
        yield k, first[k] + nth
        start = stop
