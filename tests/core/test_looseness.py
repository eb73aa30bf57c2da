import numpy as np
import pytest

from kalos_core import Configuration, compute_agreement
from kalos_core.diagnostics.looseness import looseness
from kalos_core.resampling import Resampling


def measured(made):
    agreement = compute_agreement(made, Configuration())
    rounds = Resampling(made.assigned.sum(axis=1) >= 2, 200, seed=0)
    return looseness(made, agreement, rounds)


def test_distances_by_hand(annotations):
    found = measured(
        annotations(
            "x ana: cat 0 0 10 10",
            "x ben: cat 0 0 10 8",  # 0.2 from ana
            "x cho: cat 0 0 10 6",  # 0.4 from ana, 0.25 from ben
            "y ana: cat 0 0 10 10",
            "y ben: cat 0 0 10 10",
            "y cho:",
            "z dee: cat 0 0 10 10",  # alone
        )
    )
    # ana: (0.2 + 0.4) / 2 in one image, 0 in the other.
    assert found.distance.value[:3] == pytest.approx([0.15, 0.1125, 0.325])
    assert found.distance.n_images.tolist() == [2, 2, 1, 0]
    assert np.isnan(found.distance.value[3])
    # x: 0.3, 0.225 and 0.325, less their mean 0.85 / 3; y: 0 and 0.
    less = 0.85 / 3
    apart = [(0.3 - less) / 2, (0.225 - less) / 2, 0.325 - less]
    assert found.relative.value[:3] == pytest.approx(apart)
    # ana's matches: 0, 0.2 and 0.4.
    assert found.cliff[:3] == pytest.approx([0.2, 0.2, 0.25], abs=1e-3)
    assert np.isnan(found.cliff[3])
    at = {round(float(tau), 2): n for n, tau in enumerate(found.tau)}
    assert found.kept[0, at[0.3]] == pytest.approx(2 / 3)
    assert found.kept[0, at[0.0]] == pytest.approx(1 / 3)
    assert found.kept[2, at[1.0]] == 1


def test_a_loose_rater_falls_first(annotations):
    rng = np.random.default_rng(0)
    lines = []
    for image in range(30):
        for rater, jitter in (("ana", 1), ("ben", 1), ("cho", 1), ("dee", 5)):
            x, y, w, h = np.array([20, 20, 40, 40]) + rng.normal(0, jitter, 4)
            lines.append(f"i{image} {rater}: cat {x} {y} {w} {h}")
    found = measured(annotations(*lines))
    assert found.cliff.argmax() == 3
    assert found.distance.low[3] > found.distance.high[:3].max()
