from dataclasses import replace

import numpy as np
import pytest
from random_data import crowd

from kalos_core import Configuration, compute_agreement, measure_pairs
from kalos_core.diagnostics import bonds as module
from kalos_core.diagnostics.bonds import Bonds, bonds

NAN = np.nan


def found(made, configuration, most=0.9, measured=None):
    return bonds(made, compute_agreement(made, configuration), most, measured)


CHAIN = (
    "ana: cat 0 0 10 10",
    "ben: cat 0 0 10 8",  # 0.2 from ana
    "cho: cat 0 0 10 6",  # 0.25 from ben, 0.4 from ana
    "dee: cat 0 0 10 2.4",  # 0.6 from cho, 0.7 from ben
    "ana: cat 50 50 10 10",
)


def test_distances_by_hand(annotations):
    made = annotations(*CHAIN)
    links = found(made, Configuration(psi="neg"))
    # Canonical order: ana's two labels first, so the units are chain, lone, dee's.
    assert links.holds_from == pytest.approx([0.25, NAN, NAN], nan_ok=True)
    assert links.joins_from == pytest.approx([0.6, NAN, 0.6], nan_ok=True)
    whole = found(made, Configuration(solver="ahc", psi="neg"))
    assert whole.holds_from[0] == pytest.approx(0.4)
    assert links.changed(0.2, 0.5).tolist() == [True, False, False]
    assert links.changed(0.25, 0.5).tolist() == [False, False, False]
    assert links.changed(0.5, 0.5).tolist() == [False, False, False]
    assert links.changed(0.61, 0.5).tolist() == [True, False, True]


def test_equal_shapes_hold_at_any_threshold(annotations):
    made = annotations("ana: cat 0 0 10 10", "ben: dog 0 0 10 10", "cho: cat 0 0 10 10")
    links = found(made, Configuration())
    assert links.holds_from.tolist() == [0]
    assert not links.changed(0, 0.5).any()


def test_nobody_joins_a_unit_that_has_their_label(annotations):
    made = annotations("ana: cat 0 0 10 10", "ben: cat 0 0 10 10", "ben: cat 0 0 10 4")
    assert np.isnan(found(made, Configuration()).joins_from).all()


def test_images_without_labels(annotations):
    links = found(
        annotations("x ana:", "x ben:", "y ana: cat 1 1 2 2"), Configuration()
    )
    assert np.isnan(links.holds_from).all() and np.isnan(links.joins_from).all()


def test_labels_that_no_near_pair_links(annotations):
    """A solver of one's own may join what is far apart."""
    made = annotations("ana: cat 0 0 10 10", "ben: cat 50 50 10 10")
    agreement = compute_agreement(made, Configuration())
    values = np.zeros((2, 1), dtype=np.int32)
    joined = replace(agreement.reliability, values=values, image_of=[0], unit_of=[0, 0])
    links = bonds(made, replace(agreement, reliability=joined), 0.9)
    assert links.holds_from.tolist() == [1]


def units_of(made, configuration):
    """Return the units as sets of annotations."""
    unit_of = compute_agreement(made, configuration).reliability.unit_of
    return [
        frozenset(np.flatnonzero(unit_of == u).tolist()) for u in np.unique(unit_of)
    ]


def real(made, configuration, links):
    """Return the bonds of the units that somebody drew."""
    unit_of = compute_agreement(made, configuration).reliability.unit_of
    some = np.unique(unit_of)
    return Bonds(links.holds_from[some], links.joins_from[some])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("solver", "psi", "exact"),
    [
        ("greedy", "neg", True),
        ("ahc", "neg", True),
        ("ahc", "soft", True),
        ("greedy", "soft", False),
        ("shm", "soft", False),
    ],
)
def test_like_matching_again(seed, solver, psi, exact):
    made = crowd(seed, n=300)
    own = Configuration(tau=0.6, solver=solver, psi=psi)
    here = units_of(made, own)
    links = real(made, own, found(made, own))
    n_lost = 0
    for tau in (0.5, 0.4, 0.3, 0.15):
        again = set(units_of(made, replace(own, tau=tau)))
        lost = np.array([unit not in again for unit in here])
        changed = links.changed(tau, 0.6)
        assert not (changed & ~lost).any()  # what is said to be lost is
        if exact:
            assert changed.tolist() == lost.tolist()
        n_lost += changed.sum()
    assert n_lost > 20
    if solver == "greedy" and psi == "neg":
        for tau in (0.7, 0.8, 0.9):
            again = set(units_of(made, replace(own, tau=tau)))
            joined = np.array([unit not in again for unit in here])
            assert joined.any()
            assert links.changed(tau, 0.6).tolist() == joined.tolist()


def test_measured_pairs_and_chunks_change_nothing(monkeypatch):
    made, configuration = crowd(1), Configuration()
    whole = found(made, configuration)
    measured = measure_pairs(made, "box_iou")
    monkeypatch.setattr(module, "CHUNK", 10)
    for links in (
        found(made, configuration),
        found(made, configuration, measured=measured),
    ):
        np.testing.assert_array_equal(links.holds_from, whole.holds_from)
        np.testing.assert_array_equal(links.joins_from, whole.joins_from)
