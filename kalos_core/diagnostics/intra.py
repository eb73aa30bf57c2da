"""Agreement of persons with themselves, and of different persons within a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..alpha import Coincidences
from ..annotations import Annotations
from ..arrays import IntArray
from ..estimates import Estimates, estimate_both
from ..model import Configuration
from ..ranges import cells
from ..rematch import Problems
from ..resampling import Resampling


@dataclass(frozen=True, eq=False, slots=True)
class Teams:
    """Agreement within groups of raters, each matched on its own.

    Parameters
    ----------
    names : K names.
    mean : (K,) over images that at least two raters of the group labelled.
    overall : (K,) of these images together.
    """

    names: tuple[str, ...]
    mean: Estimates
    overall: Estimates


@dataclass(frozen=True, eq=False, slots=True)
class Intra:
    """Agreement over sessions; empty where nobody has any.

    Parameters
    ----------
    persons : agreement of each person's sessions, for persons with several.
    sessions : agreement of different persons in each session, for sessions of several.
    """

    persons: Teams
    sessions: Teams


def problems(annotations: Annotations, configuration: Configuration) -> list[Problems]:
    """Return images with each person's sessions, and with each session's persons."""
    return [
        _problems(annotations, team, len(names), configuration.tau)
        for names, team in _teams(annotations)
    ]


def intra(
    annotations: Annotations,
    problems: Sequence[Problems],
    sums: Sequence[Coincidences],
    resampling: Resampling,
) -> Intra:
    """Return agreement over sessions, from the sums of both ``problems``."""
    found = []
    for (names, team), own, summed in zip(
        _teams(annotations), problems, sums, strict=True
    ):
        problem, rater = cells(own.member)
        column = team[rater[np.searchsorted(problem, np.arange(len(own)))]]
        both = estimate_both(resampling, summed, own.image, column, len(names))
        found.append(Teams(names, *both))
    return Intra(*found)


def _teams(annotations: Annotations) -> list[tuple[tuple[str, ...], IntArray]]:
    """Return the names of persons and of sessions, and (R,) the one of each rater.

    A session is what remains of the rater's name: of "ana (S1)" for ana, "S1". Names
    that only one rater bears are left out; such a rater has -1.
    """
    persons = list(annotations.identity)
    sessions = [
        name.removeprefix(person).strip(" ()") if name.startswith(person) else ""
        for name, person in zip(annotations.raters, persons, strict=True)
    ]
    return [_numbered(persons), _numbered(sessions)]


def _numbered(of_rater: list[str]) -> tuple[tuple[str, ...], IntArray]:
    names = sorted({name for name in of_rater if name and of_rater.count(name) > 1})
    place = {name: n for n, name in enumerate(names)}
    return tuple(names), np.array([place.get(name, -1) for name in of_rater], np.int64)


def _problems(
    annotations: Annotations, team: IntArray, n_teams: int, tau: float
) -> Problems:
    """Return each image with each team of which it has at least two raters."""
    member = annotations.assigned[:, None] & (team == np.arange(n_teams)[:, None])
    image, which = cells(member.sum(axis=2) >= 2)
    return Problems(image, member[image, which], (tau,))
