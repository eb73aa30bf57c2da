"""Match again with other raters or another tau, from pairs that are measured once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .alpha import Coincidences, coincidences, joined
from .annotations import Annotations
from .arrays import BoolArray, IntArray, freeze
from .copies import Copies
from .errors import KalosError
from .measured import MeasuredPairs, pairs_between
from .model import CandidatePairs, Configuration, ReliabilityMatrix
from .pairs import is_within
from .progress import Progress
from .ranges import cells, ends_of_runs, pieces, ranges, runs, spans
from .reliability import reliability_matrix
from .solvers import solve_within

CHUNK = 50_000
"""Annotations whose pairs are held at a time, in whole images."""

COPIES = 1 << 22
"""Cells of reliability matrices that are filled at a time."""


@dataclass(frozen=True, eq=False, slots=True)
class Problems:
    """Images as some of their raters labelled them, to be matched on their own.

    Parameters
    ----------
    image : (Q,) the image of each problem, ascending.
    member : (Q, R) the raters that take part, all of them assigned to the image.
    taus : the thresholds that they are matched with, rising.
    """

    image: IntArray
    member: BoolArray
    taus: tuple[float, ...]

    def __post_init__(self) -> None:
        freeze(self, "image", np.int64, None)
        freeze(self, "member", np.bool_, len(self.image), None)
        if list(self.taus) != sorted(self.taus):
            raise KalosError(f"taus must rise, got {self.taus}")

    def __len__(self) -> int:
        return len(self.image)

    def where(self, chosen: BoolArray) -> Problems:
        """Return the ``chosen`` (Q,) problems."""
        return Problems(self.image[chosen], self.member[chosen], self.taus)

    def between(self, start: int, stop: int) -> Problems:
        """Return problems ``start`` to ``stop``."""
        return Problems(self.image[start:stop], self.member[start:stop], self.taus)


class Sums(Protocol):
    """What is summed up of problems that are matched bit by bit."""

    def __call__(self, reliability: ReliabilityMatrix, n_problems: int) -> Coincidences:
        """Return the sums of some more problems, which are the matrix's images."""
        ...

    def repeat(self, sums: Coincidences, place: IntArray) -> Coincidences:
        """Return those of the problems at ``place`` (Q,), from those of all."""
        ...


class PerProblem:
    """One group of sums for each problem."""

    def __call__(self, reliability: ReliabilityMatrix, n_problems: int) -> Coincidences:
        """Return the sums of each problem."""
        return coincidences(reliability.values, reliability.image_of, n_problems)

    def repeat(self, sums: Coincidences, place: IntArray) -> Coincidences:
        """Return the sums of the problems at ``place``."""
        return sums if len(sums) == len(place) else sums.take(place)


per_problem = PerProblem()


def rematch(
    annotations: Annotations,
    configuration: Configuration,
    sets: Sequence[Problems],
    sums: Sums | Sequence[Sums] = per_problem,
    progress: Progress | None = None,
    known: Coincidences | None = None,
    measured: MeasuredPairs | None = None,
) -> list[Coincidences]:
    """Match the problems of every set, and return their sums for each of its taus.

    Distances are measured once, at the largest tau. What is held at a time is bounded,
    however many problems there are.

    Parameters
    ----------
    sums : what is summed up, for all sets or for each of them.
    progress : called with the number of problems that are matched, and of all.
    known : sums of every image with all its raters at the configuration's tau; such
        problems are then not matched again.
    measured : pairs from ``measure_pairs``, where they are at hand.
    """
    each = [sums] * len(sets) if callable(sums) else sums
    if known is not None:
        return _rematch_the_rest(
            annotations, configuration, sets, each, progress, known, measured
        )
    alike = [_alike(annotations, problems) for problems in sets]
    sets = [own.where(first) for own, (first, _) in zip(sets, alike, strict=True)]
    tau = max((tau for problems in sets for tau in problems.taus), default=0.0)
    parts: list[list[list[Coincidences]]] = [[[] for _ in own.taus] for own in sets]
    done, n_problems = 0, sum(map(len, sets))
    for start, stop, images in _parts(annotations):
        part = annotations.between(start, stop)
        again = _Again(
            part,
            pairs_between(annotations, start, stop, configuration.d_loc, tau, measured),
        )
        for problems, own, summed in zip(sets, parts, each, strict=True):
            first, last = np.searchsorted(problems.image, [images.start, images.stop])
            for some in _bounded(part, problems.between(int(first), int(last))):
                for found, matrix in zip(
                    own, again.matrices(some, configuration), strict=True
                ):
                    found.append(summed(matrix, len(some)))
                done += len(some)
                if progress is not None:
                    progress(done, n_problems)
    return [
        summed.repeat(joined(found), place)
        for own, summed, (_, place) in zip(parts, each, alike, strict=True)
        for found in own
    ]


def _alike(annotations: Annotations, problems: Problems) -> tuple[BoolArray, IntArray]:
    """Return (Q,) which problems are to be matched, and which of them each is like.

    Images in which nobody drew anything differ in the number of raters alone, of those
    who were asked for a class.
    """
    blank = np.ones(annotations.n_images, dtype=bool)
    blank[annotations.image] = False
    like = np.arange(len(problems))
    some = np.flatnonzero(blank[problems.image])
    idle = ~annotations.asked.any(axis=1) & ~annotations.asked.all(axis=1)
    member = problems.member[some] & ~idle
    n_members = member.sum(axis=1)
    first = np.zeros(member.shape[1] + 1, dtype=np.int64)
    first[n_members[::-1]] = some[::-1]  # of repeated indices the last value is kept
    like[some] = first[n_members]
    chosen: BoolArray = like == np.arange(len(like))
    return chosen, (np.cumsum(chosen) - 1)[like]


def _rematch_the_rest(
    annotations: Annotations,
    configuration: Configuration,
    sets: Sequence[Problems],
    sums: Sequence[Sums],
    progress: Progress | None,
    known: Coincidences,
    measured: MeasuredPairs | None,
) -> list[Coincidences]:
    """Return the same, with what is ``known`` put in place."""
    solved = [
        (problems.member == annotations.assigned[problems.image]).all(axis=1)
        if summed is per_problem and problems.taus == (configuration.tau,)
        else np.zeros(len(problems), dtype=bool)
        for problems, summed in zip(sets, sums, strict=True)
    ]
    rest = [
        own.where(~done) if done.any() else own
        for own, done in zip(sets, solved, strict=True)
    ]
    found = iter(
        rematch(annotations, configuration, rest, sums, progress, None, measured)
    )
    return [
        merged(known.take(own.image[done]), matched, done)
        for own, done in zip(sets, solved, strict=True)
        for _ in own.taus
        for matched in [next(found)]
    ]


def merged(
    solved: Coincidences, matched: Coincidences, is_solved: BoolArray
) -> Coincidences:
    """Return the groups of both, in the order of ``is_solved`` (Q,)."""
    if not len(matched):
        return solved
    if not len(solved):
        return matched
    place = np.where(
        is_solved,
        np.cumsum(is_solved) - 1,
        len(solved) + np.cumsum(~is_solved) - 1,
    )
    return joined([solved, matched]).take(place)


def _parts(annotations: Annotations) -> Iterator[tuple[int, int, range]]:
    """Yield start and stop of annotations, and images up to theirs, empty ones too."""
    done = 0
    for start, stop in annotations.chunks(CHUNK):
        last = stop == len(annotations)
        end = annotations.n_images if last else int(annotations.image[stop - 1]) + 1
        yield start, stop, range(done, end)
        done = end
    if not len(annotations):
        yield 0, 0, range(annotations.n_images)


def _bounded(annotations: Annotations, problems: Problems) -> Iterator[Problems]:
    """Yield some problems at a time."""
    n_drawn = np.bincount(annotations.image, minlength=annotations.n_images)
    cells = (n_drawn[problems.image] + 2) * problems.member.sum(axis=1)
    for start, stop in pieces(cells, COPIES):
        yield problems.between(start, stop)


class _Again:
    """Annotations and their pairs, by image and both raters, to be matched again."""

    def __init__(self, annotations: Annotations, pairs: CandidatePairs) -> None:
        n_raters = annotations.n_raters
        key = annotations.block[pairs.k] * n_raters + annotations.rater[pairs.l]
        order = np.argsort(key, kind="stable")
        self.annotations, self.key = annotations, key[order]
        self.k, self.l = pairs.k[order], pairs.l[order]
        self.d_loc, self.d_cls = pairs.d_loc[order], pairs.d_cls[order]

    def matrices(
        self, problems: Problems, configuration: Configuration
    ) -> Iterator[ReliabilityMatrix]:
        """Yield the matrix of the problems at each tau, as if they were images."""
        problem, rater = cells(problems.member)
        block = problems.image[problem] * self.annotations.n_raters + rater
        first, count = spans(self.annotations.block, block)
        shift = (np.cumsum(count) - count) - first  # from annotations to copies
        # Without class subsets it does not matter who a rater is, and few rows do.
        rows, n_rows = rater, self.annotations.n_raters
        if self.annotations.asked.all():
            rows = _nth_of_runs(problem)
            n_rows = int(rows.max(initial=-1)) + 1
        assigned = np.zeros((len(problems), n_rows), dtype=bool)
        assigned[problem, rows] = True
        copies = Copies(
            self.annotations,
            np.arange(count.sum()) - np.repeat(shift, count),
            np.repeat(problem, count),
            np.repeat(rows, count),
            assigned,
        )
        pairs = self._pairs(problem, block, rater, shift, max(problems.taus))
        for units in solve_within(copies, pairs, configuration, problems.taus):
            yield reliability_matrix(copies, units)

    def _pairs(
        self,
        problem: IntArray,
        block: IntArray,
        rater: IntArray,
        shift: IntArray,
        tau: float,
    ) -> CandidatePairs:
        """Return the pairs of the copies, for each two members of a problem.

        Parameters
        ----------
        problem, block, rater, shift : (M,) of each member of a problem, in order.
        """
        nothing: IntArray = np.empty(0, np.int64)
        found = [(nothing, nothing, nothing)]
        after = np.arange(1, len(problem) + 1)
        for a, b in ranges(after, ends_of_runs(problem) - after):
            key = block[a] * self.annotations.n_raters + rater[b]
            first, count = spans(self.key, key)
            for i, pair in ranges(first, count):
                near = is_within(self.d_loc[pair], tau)
                i, pair = i[near], pair[near]
                k, l = self.k[pair] + shift[a[i]], self.l[pair] + shift[b[i]]
                found.append((k, l, pair))
        k, l, pair = (np.concatenate(column) for column in zip(*found, strict=True))
        return CandidatePairs(k, l, self.d_loc[pair], self.d_cls[pair])


def _nth_of_runs(column: IntArray) -> IntArray:
    """Return (M,) the place of each value in its run of equal ones."""
    first, _ = runs(column, int(column.max(initial=-1)) + 1)
    return np.arange(len(column)) - first[column]
