from dataclasses import replace

import numpy as np
import pytest
from diagnosing import find_intra

from kalos_core import Configuration
from kalos_core.diagnostics.intra import problems
from kalos_core.plain import plain

CAT, DOG = "cat 10 10 20 20", "dog 10 10 20 20"


def in_sessions(made):
    """Return annotations whose raters, such as ana1, are sessions of persons."""
    sessions = [f"{name[:-1]} (S{name[-1]})" for name in made.raters]
    persons = [name[:-1] for name in made.raters]
    return replace(made, raters=sessions, identity=persons)


def test_by_hand(annotations):
    made = in_sessions(
        annotations(
            *(f"x ana1: {CAT}", f"x ana2: {CAT}", f"x ben1: {CAT}", f"x ben2: {DOG}"),
            *(f"y ana1: {CAT}", f"y ana2: {DOG}", f"y ana3: {CAT}", f"y ben1: {CAT}"),
        )
    )
    result = find_intra(made)
    assert result.persons.names == ("ana", "ben")
    # ana: (c c) 1 and (c d c) 0; together n 5, n_cat 4, o 2 + 1: (12 - 12) / (20 - 12).
    # ben: (c d) in x; in y there is one session only.
    assert result.persons.mean.value == pytest.approx([0.5, 0])
    assert result.persons.overall.value == pytest.approx([0, 0])
    assert result.persons.mean.n_images.tolist() == [2, 1]
    assert np.isnan(result.persons.mean.low[1])
    # S1: (c c) and (c c); S2: (c d) in x; S3 is ana's alone.
    assert result.sessions.names == ("S1", "S2")
    assert result.sessions.mean.value == pytest.approx([1, 0])
    assert result.sessions.overall.value == pytest.approx([1, 0])
    assert result.sessions.mean.n_images.tolist() == [2, 1]


def test_sessions_of_other_images_say_nothing(annotations):
    made = in_sessions(annotations(f"x ana1: {CAT}", f"y ana2: {CAT}"))
    assert [len(some) for some in problems(made, Configuration())] == [0, 0]
    result = find_intra(made)
    assert result.persons.names == ("ana",)
    assert np.isnan(result.persons.mean.value).all()
    assert result.persons.overall.n_images.tolist() == [0]
    assert result.sessions.names == ()


def test_without_sessions_the_result_is_empty(annotations):
    made = annotations(f"x ana: {CAT}", f"x ben: {CAT}")
    result = find_intra(made)
    assert plain(result.persons) == plain(result.sessions)
    assert plain(result.persons)["names"] == []
    assert plain(result.persons)["mean"]["value"] == []
