"""The relabel queue: what to label again so that mean alpha rises most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, by_name, freeze, sum_by
from ..checks import at_least_one
from ..errors import KalosError
from ..model import Agreement, ReliabilityMatrix
from ..plain import AsJson
from ..ranges import dense_rank, places, runs
from .kinds import UnitKinds
from .reasons import together, unit_reasons
from .repair import RepairSteps, repair_steps
from .within_budget import within_budget

MINUTES_PER_IMAGE, MINUTES_PER_UNIT = 0.5, 0.5
"""What opening an image and settling one disputed unit take: a guess, and better
replaced by one's own."""

BY = ("image", "unit")
"""What a queue is made of."""


@dataclass(frozen=True, eq=False, slots=True)
class Queue(AsJson):
    """E images or units to label again, in order.

    Parameters
    ----------
    by : one of ``BY``.
    image : (E,) the image of each entry.
    unit : (M,) the units to settle, those of an entry together, best first.
    first : (E + 1,) where the units of each entry start; it ends where the next starts.
    gain : (E,) by how much mean alpha rises with the entry, all before it being done.
    minutes : (E,) what the entry takes.
    expected : (E,) mean alpha once this entry and all before it are done.
    reason : E sentences, in the names of raters and classes as they are.
    mean_alpha : before any of it.
    n_candidates : how many images or units are disputed at all.
    """

    by: str
    image: IntArray
    unit: IntArray
    first: IntArray
    gain: FloatArray
    minutes: FloatArray
    expected: FloatArray
    reason: tuple[str, ...]
    mean_alpha: float
    n_candidates: int

    def __post_init__(self) -> None:
        n = len(self.reason)
        freeze(self, "image", np.int64, n)
        freeze(self, "first", np.int64, n + 1)
        freeze(self, "unit", np.int64, None)
        for name in ("gain", "minutes", "expected"):
            freeze(self, name, np.float64, n)

    def __len__(self) -> int:
        return len(self.reason)

    def units(self, entry: int) -> IntArray:
        """Return the units of one entry."""
        return self.unit[self.first[entry] : self.first[entry + 1]]


def relabel_queue(
    annotations: Annotations,
    agreement: Agreement,
    kinds: UnitKinds,
    *,
    by: Literal["image", "unit"] = "image",
    n: int | None = None,
    minutes: float | None = None,
    minutes_per_image: float = MINUTES_PER_IMAGE,
    minutes_per_unit: float = MINUTES_PER_UNIT,
) -> Queue:
    """Return what to label again, within a budget of entries or of minutes.

    A unit that is settled counts as agreed, as in ``repair_gain``; an image all of
    whose disputed units are settled has alpha 1. Opening an image takes time once, and
    each of its disputed units some more. Entries go by gain, or by gain per minute
    where minutes are the budget: ``within_budget`` says how near that is to the best
    choice. What the raters would really say a second time nobody knows; the gain is
    the most that can be hoped for.

    Parameters
    ----------
    agreement, kinds : of these annotations.
    by : whether entries are whole images or single units.
    n : how many entries at most.
    minutes : how long all entries may take together; not together with ``n``.
    minutes_per_image, minutes_per_unit : for opening an image, and for each unit.
    """
    check_budget(by, n, minutes, (minutes_per_image, minutes_per_unit))
    if len(kinds.kind) != agreement.reliability.n_units:
        raise KalosError(
            f"kinds must be of the {agreement.reliability.n_units} units of the "
            f"agreement, got {len(kinds.kind)}"
        )
    reliability = agreement.reliability
    steps = repair_steps(
        _by_name_of_class(annotations, reliability),
        annotations.n_images,
        _content_rank(annotations, agreement),
    )
    steps = _by_name_of_image(annotations, steps)
    start = np.append(True, steps.image[1:] != steps.image[:-1])[: len(steps)]
    cost = minutes_per_unit + minutes_per_image * start
    if by == "image":
        entry = np.cumsum(start) - 1
    else:
        entry = np.arange(len(steps))
    n_entries = int(entry.max(initial=-1)) + 1
    first, length = runs(entry, n_entries)
    gain, taken = (sum_by(entry, x, n_entries) for x in (steps.gain, cost))
    image = steps.image[first]
    chain = np.cumsum(start)[first]
    order = within_budget(
        chain,
        gain,
        taken if minutes is not None else np.ones(n_entries),
        minutes if minutes is not None else np.inf if n is None else n,
    )
    unit = steps.unit[places(first[order], length[order])]
    n_defined = max(int((~np.isnan(agreement.alpha)).sum()), 1)
    rise = gain[order] / n_defined
    ends = np.append(0, np.cumsum(length[order]))
    parts = unit_reasons(annotations, reliability, kinds, unit)
    return Queue(
        by=by,
        image=image[order],
        unit=unit,
        first=ends,
        gain=rise,
        minutes=taken[order],
        expected=agreement.mean_alpha + np.cumsum(rise),
        reason=tuple(
            together(parts[a:b])
            for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        ),
        mean_alpha=agreement.mean_alpha,
        n_candidates=n_entries,
    )


def _by_name_of_class(
    annotations: Annotations, reliability: ReliabilityMatrix
) -> ReliabilityMatrix:
    """Return the matrix with classes numbered backwards by name.

    Of classes that are equally frequent the largest number is agreed on, which is then
    the first by name in whatever order the classes are.
    """
    values = reliability.values
    if not len(annotations.classes):
        return reliability
    number = np.argsort(by_name(annotations.classes)[::-1])
    again = np.where(values >= 0, number[values.clip(0)], values)
    return ReliabilityMatrix(again, reliability.image_of, reliability.unit_of)


def _content_rank(annotations: Annotations, agreement: Agreement) -> IntArray:
    """Return (U,) ranks of units by the first of their shapes, whoever drew it."""
    unit_of, n_units = agreement.reliability.unit_of, agreement.reliability.n_units
    shape = dense_rank(annotations.geometry.content())
    lowest = np.full(n_units, len(annotations))
    np.minimum.at(lowest, unit_of, shape)
    return dense_rank([sum_by(unit_of, shape.astype(np.float64), n_units), lowest])


def _by_name_of_image(annotations: Annotations, steps: RepairSteps) -> RepairSteps:
    """Return the steps with images in the order of their names."""
    place = np.argsort(by_name(annotations.images))
    order = np.argsort(place[steps.image], kind="stable")
    return RepairSteps(steps.image[order], steps.unit[order], steps.gain[order])


def check_budget(
    by: str, n: int | None, minutes: float | None, each: tuple[float, float]
) -> None:
    """Raise for arguments that make no sense, before any work."""
    if by not in BY:
        raise KalosError(f"by must be one of {', '.join(BY)}; got {by!r}")
    if n is not None and minutes is not None:
        raise KalosError("give a budget as n or as minutes, not both")
    if n is not None:
        at_least_one("n", n)
    if minutes is not None and not minutes > 0:
        raise KalosError(f"minutes must be above 0, got {minutes!r}")
    if not all(np.isfinite(own) and own >= 0 for own in each) or not any(each):
        raise KalosError(
            "minutes_per_image and minutes_per_unit must not be below 0, and one of "
            f"them above, got {each[0]!r} and {each[1]!r}"
        )
