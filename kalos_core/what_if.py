"""What if: agreement again in another way or of fewer labels, without their shapes.

Matching asks shapes for two things only: how far apart they are, which was measured
once, and which of two goes first in a tie, for which their ranks will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .agreement import compute_agreement
from .annotations import Annotations
from .arrays import AnyArray, BoolArray, IntArray
from .calibration.strata import LIMITS, size_of
from .copies import Copies
from .errors import KalosError
from .geometry import Features
from .measured import MeasuredPairs
from .model import Agreement, CandidatePairs, Configuration
from .solvers.greedy import shape_rank

MOST = 2_000_000
"""Pairs that a run keeps at most; as text about 11 bytes each, read with the run."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Whose labels are compared, and which; None compares all.

    What is left out counts as never drawn, and raters as never assigned.
    """

    raters: tuple[str, ...] | None = None
    classes: tuple[str, ...] | None = None
    sizes: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Kept:
    """What is kept of annotations and their distances.

    Parameters
    ----------
    annotations : with ranks in place of shapes.
    size : (N,) places among the ``LIMITS`` of sizes, -1 where there is none.
    measured : their distances.
    """

    annotations: Annotations
    size: IntArray
    measured: MeasuredPairs

    def agreement(
        self, configuration: Configuration, only: Restriction | None = None
    ) -> Agreement:
        """Return what ``compute_agreement`` does of the labels that are not left out.

        Rows and codes are those of all raters and classes, whoever is left out.
        """
        if configuration.tau > self.measured.tau:
            raise KalosError(
                f"tau {configuration.tau:g} needs distances that were not kept"
            )
        annotations, measured = self._restricted(only or Restriction())
        return compute_agreement(annotations, configuration, measured=measured)

    def _restricted(self, only: Restriction) -> tuple[Annotations, MeasuredPairs]:
        of, measured = self.annotations, self.measured
        if only == Restriction():
            return of, measured
        rater = _chosen("rater", only.raters, of.raters)
        label = _chosen("class", only.classes, of.classes)
        kept = rater[of.rater] & label[of.label]
        if only.sizes is not None:
            # The last place is that of no size, which -1 finds.
            size = np.append(_chosen("size", only.sizes, tuple(LIMITS)), False)
            kept &= size[self.size]
        index, place = np.flatnonzero(kept), np.cumsum(kept) - 1
        some = Copies(
            of, index, of.image[index], of.rater[index], of.assigned & rater[None]
        )
        pairs = measured.pairs
        near = np.flatnonzero(kept[pairs.k] & kept[pairs.l])
        left = CandidatePairs(
            place[pairs.k[near]],
            place[pairs.l[near]],
            pairs.d_loc[near],
            pairs.d_cls[near],
        )
        return some, MeasuredPairs(some, measured.d_loc, measured.tau, left)


def _chosen(
    what: str, names: Sequence[str] | None, known: tuple[str, ...]
) -> BoolArray:
    """Return which of the known names are chosen; all where it does not matter."""
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise KalosError(
            f"unknown {what} {unknown[0]!r}; choose from {', '.join(known)}"
        )
    return np.array([names is None or name in names for name in known], dtype=bool)


def keep(annotations: Annotations, measured: MeasuredPairs) -> dict[str, AnyArray]:
    """Return columns from which ``restore`` makes a `Kept`, small when compressed."""
    pairs = measured.pairs
    return {
        "image": _small(np.diff(annotations.image, prepend=0)),
        "rater": _small(annotations.rater),
        "label": _small(annotations.label),
        "rank": _small(shape_rank(annotations)),
        "size": size_of(annotations.geometry.area()).astype(np.int8),
        "asked": annotations.asked,
        "k": _small(np.diff(pairs.k, prepend=0)),
        "l": _small(pairs.l - pairs.k),
        "d_loc": pairs.d_loc,
        "tau": np.array([measured.tau]),
    }


def restore(
    columns: dict[str, AnyArray],
    d_loc: str,
    assigned: BoolArray,
    images: Sequence[str],
    raters: Sequence[str],
    classes: Sequence[str],
) -> Kept:
    """Return what ``keep`` made columns of, given what is known anyway."""
    size = columns["size"].astype(np.int64)
    label = columns["label"].astype(np.int64)
    annotations = Annotations(
        image=np.cumsum(columns["image"], dtype=np.int64),
        rater=columns["rater"],
        label=label,
        geometry=Features(columns["rank"][:, None]),
        annotation_id=_numbers(len(label)),
        assigned=assigned,
        images=tuple(images),
        raters=tuple(raters),
        classes=tuple(classes),
        asked=columns["asked"],
    )
    k = np.cumsum(columns["k"], dtype=np.int64)
    l = k + columns["l"].astype(np.int64)
    d_cls = (label[k] != label[l]).astype(np.int8)
    pairs = CandidatePairs(k, l, columns["d_loc"], d_cls)
    measured = MeasuredPairs(annotations, d_loc, float(columns["tau"][0]), pairs)
    return Kept(annotations, size, measured)


def _small(column: IntArray) -> AnyArray:
    """Return numbers from 0 in the smallest type that holds them."""
    return column.astype(np.min_scalar_type(int(column.max(initial=0))))


def _numbers(n: int) -> AnyArray:
    """Return names in the order of their numbers: all have as many digits."""
    return (10**9 + np.arange(n)).astype("U10")
