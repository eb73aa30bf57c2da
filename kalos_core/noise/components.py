"""The components of the noise generator, each fitted or left at its default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import FitError
from .differences import Differences
from .error_types import Children, Shifts
from .fit_table import Row
from .fitting.beta import fit_beta
from .fitting.children import fit_kappa
from .fitting.direction import fit_axial, fit_cardinal
from .fitting.estimate import Fit
from .fitting.folded_t import fit_folded_t
from .fitting.logistic import fit_logistic
from .fitting.poisson import fit_poisson
from .fitting.poisson_sampling import sample_poisson
from .fitting.proportion import fit_proportion
from .fitting.selection import fit_selection
from .fitting.temperature import fit_temperature
from .laws import Logistic
from .parameters import Category, Localization, Shift, Topology, Unmatched
from .transition import nearest_classes

LEAST_PAIRS = 50
"""Matched pairs for the rate of category mistakes: with fewer, none among them would
leave rates of 7 % as likely as the paper's 2.6 %."""

LEAST_EVENTS = 10
"""Events for the part of them that adds a label, or that splits one."""

SLACK = 1.5
"""Times as many shifts beyond the threshold as there are that a law may have."""

FEWER = "; simulated raters combine less often, as not all labels have a likely partner"
"""Of events that happened; what a rater meant to combine and did not is not seen."""

Law = TypeVar("Law")


class Components:
    """The differences, and the rows of the table so far."""

    def __init__(self, found: Differences, rng: np.random.Generator) -> None:
        self.found, self.rng = found, rng
        self.rows: list[Row] = []

    def use(
        self,
        component: str,
        default: Law,
        n: float,
        fit: Callable[..., Fit[Law]],
        *arguments: Any,
        **options: Any,
    ) -> Law:
        """Return the law that ``fit`` finds, or the default, of n observations."""
        try:
            fitted = fit(*arguments, **options)
        except FitError as error:
            self.rows.append(Row.default(component, str(error), n))
            return default
        self.rows.append(Row.of(component, fitted))
        return fitted.law

    def unmatched(self, default: Unmatched, bayesian: bool) -> Unmatched:
        """Return how many labels only one of two raters has, and of which size.

        Labels of both that overlap, but too little to be matched, are not among them:
        the law of shifts has them in its tail.
        """
        counts, labels = self.found.counts, self.found.labels
        # Without a reference either way has labels of its own.
        own = labels.of_source
        n_alone = counts.n_unmatched - counts.n_stray
        alone = labels.unmatched & ~labels.stray
        regression = [n_alone, counts.n_source, counts.weight]
        # Where there are fewer labels, some are added since none is left to be missed.
        weight = counts.weight * (n_alone <= counts.n_source)
        n_either = float(weight @ n_alone)
        n_added = n_either - float(weight @ counts.n_missed)
        return Unmatched(
            self.use(
                "unmatched.rate",
                default.rate,
                counts.weight.sum(),
                sample_poisson if bayesian else fit_poisson,
                *regression,
                *([self.rng] if bayesian else []),
            ),
            self.use(
                "unmatched.susceptibility",
                default.susceptibility,
                int((alone & own).sum()),
                _selection,
                labels.area[own],
                alone[own],
                labels.block[own],
            ),
            self.part(
                "unmatched.added",
                default.added,
                n_added,
                n_either,
                "unmatched labels",
            ),
        )

    def topology(self, default: Topology) -> Topology:
        """Return which labels split or combine, and where the children lie."""
        labels, children = self.found.labels, self.found.children
        # What may split is a label of the source, what combined one of the target.
        # What one rater does not have at all cannot be in parts.
        prone = (labels.of_source & ~labels.unmatched) | labels.parent
        n_events, n_children = children.n_events, len(children)
        n_splits = float(labels.weight @ labels.fragmented)
        n_all = float(labels.weight @ labels.parent)
        shift = self.shift("topology", default.shift, children)
        return Topology(
            self.use(
                "topology.susceptibility",
                default.susceptibility,
                n_events,
                fit_logistic,
                labels.area[prone],
                labels.parent[prone],
                labels.weight[prone],
                "parents of splits",
            ),
            shift,
            self.use(
                "topology.direction",
                default.direction,
                n_events,
                fit_cardinal,
                _known(children.angle[children.leading]),
                both_ways=False,
            ),
            self.use(
                "topology.angle", default.angle, n_events, fit_beta, *children.apart()
            ),
            self.use(
                "topology.kappa",
                default.kappa,
                n_children,
                fit_kappa,
                children.width + children.height,
                children.area,
                shift.width,
                shift.height,
                self.rng,
            ),
            self.part(
                "topology.fragmented",
                default.fragmented,
                n_splits,
                n_all,
                "splits",
                "" if self.found.known or n_splits == n_all else FEWER,
            ),
        )

    def category(self, default: Category, similarity: FloatArray | None) -> Category:
        """Return how often classes are mistaken, and how such labels shift."""
        temperature = default.temperature
        if similarity is not None:
            temperature = self.use(
                "category.temperature",
                default.temperature,
                self.found.confusion.sum(),
                fit_temperature,
                self.found.confusion,
                similarity,
                nearest_classes(similarity, default.n_nearest),
            )
        pairs = self.found.once
        mistaken = pairs.where(pairs.mistaken)
        return Category(
            self.use(
                "category.rate",
                default.rate,
                len(pairs),
                _rate,
                len(mistaken),
                len(pairs),
                len(self.found.classes),
            ),
            temperature,
            default.n_nearest,
            self.shift("category", default.shift, mistaken),
            self.use(
                "category.direction",
                default.direction,
                len(mistaken),
                fit_axial,
                _known(mistaken.angle),
                both_ways=not self.found.directed,
            ),
        )

    def localization(self, default: Localization) -> Localization:
        """Return how labels shift that are otherwise right."""
        pairs = self.found.once
        right = pairs.where(~pairs.mistaken)
        return Localization(
            self.shift("localization", default.shift, right),
            self.use(
                "localization.direction",
                default.direction,
                len(right),
                fit_cardinal,
                _known(right.angle),
                both_ways=not self.found.directed,
            ),
        )

    def shift(self, group: str, default: Shift, seen: Shifts | Children) -> Shift:
        """Return how far shapes are moved and how sides change, one by one."""
        known = ~np.isnan(seen.translation)
        counts = self.found.counts
        # Two strays are one shift that was too wide; none are seen of known errors.
        most_cut = float(counts.weight @ counts.n_stray) / 2 * SLACK + LEAST_EVENTS
        laws = [
            self.use(
                f"{group}.shift.{name}",
                getattr(default, name),
                int(known.sum()),
                fit_folded_t,
                np.abs(getattr(seen, name)[known]),
                seen.area[known],
                **{key: ends[known] for key, ends in seen.limits(name).items()},
                **({"most_cut": most_cut} if isinstance(seen, Shifts) else {}),
            )
            for name in ("translation", "width", "height")
        ]
        return Shift(*laws)

    def part(
        self,
        component: str,
        default: float,
        count: float,
        n: float,
        what: str,
        remark: str = "",
    ) -> float:
        """Return which part of events leads one way; half of them without reference."""
        if self.found.directed:
            part = self.use(
                component, default, n, fit_proportion, count, n, LEAST_EVENTS, what
            )
            row = self.rows[-1]
            if row.fitted:
                self.rows[-1] = replace(row, verdict=row.verdict + remark)
            return part
        words = "a half, since without a reference both ways are the same"
        self.rows.append(Row(component, "by symmetry", (), n, (), words, fitted=False))
        return 0.5


def _known(angle: FloatArray) -> FloatArray:
    return angle[~np.isnan(angle)]


def _selection(area: FloatArray, alone: BoolArray, block: IntArray) -> Fit[Logistic]:
    """Return who is unmatched, given how many; where images have one label, overall."""
    what = "unmatched labels"
    try:
        return fit_selection(area, alone, block, what)
    except FitError:
        return fit_logistic(area, alone, np.ones(len(area)), what)


def _rate(n_mistaken: int, n: int, n_classes: int) -> Fit[float]:
    """Return the rate of category mistakes, if there are any to be made."""
    if n_classes < 2:
        raise FitError(f"there is {n_classes} class, and a mistake needs two")
    if not n_mistaken:
        raise FitError(f"there is no category mistake in {n} pairs")
    return fit_proportion(n_mistaken, n, LEAST_PAIRS, "matched pairs")
