"""A synthetic rater's laws come back through matching and extraction."""

import numpy as np
import pytest

from kalos_core import Annotations, Boxes
from kalos_core.noise import extract_differences, fit_noise
from kalos_core.noise.laws import CardinalMixture, FoldedT, Logistic

N_IMAGES = 300
SIDES = CardinalMixture((0.4, 0.2, 0.3, 0.1), (8.0, 4.0, 6.0, 10.0))
AWAY = FoldedT(0.006, 0.1, 6.0, 0.002)
WIDTH = FoldedT(0.06, 0.2, 6.0, 0.015)
HEIGHT = FoldedT(0.09, -0.3, 6.0, 0.02)
PRONE = Logistic(-6.0, -1.0)


def drawn(rng):
    """Return a reference and a rater who shifts, mistakes and misses its boxes.

    Boxes lie in the cells of a grid of 3 x 3, so that none can be taken for another.
    """
    image, cell = np.indices((N_IMAGES, 9)).reshape(2, -1)
    side = rng.uniform(0.06, 0.2, (len(image), 2))
    centre = np.stack(np.divmod(cell, 3), axis=1) / 3 + 1 / 6
    area = side.prod(axis=1)
    label = rng.integers(0, 3, len(image))
    angle = SIDES.draw(len(image), rng)
    # The laws are of the mean area of both labels, here that of the first one: sides
    # grow as often as they shrink.
    away = AWAY.draw(area, rng)[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    sign = rng.choice([-1, 1], side.shape)
    grown = np.stack([WIDTH.draw(area, rng), HEIGHT.draw(area, rng)], axis=1)
    new_side, new_centre = side * np.exp(sign * grown), centre + away
    mistaken = rng.random(len(image)) < 0.05
    said = np.where(mistaken, (label + rng.integers(1, 3, len(label))) % 3, label)
    kept = rng.random(len(image)) >= PRONE.chance(area)
    boxes = [
        np.hstack([centre - side / 2, side]),
        np.hstack([new_centre - new_side / 2, new_side])[kept],
    ]
    made = Annotations(
        np.concatenate([image, image[kept]]),
        np.repeat([0, 1], [len(image), kept.sum()]),
        np.concatenate([label, said[kept]]),
        Boxes(np.concatenate(boxes)),
        np.concatenate([cell, cell[kept]]).astype(str),
        np.ones((N_IMAGES, 2), bool),
        [f"{n:03}" for n in range(N_IMAGES)],
        ["reference", "rater"],
        ["a", "b", "c"],
    )
    return made, kept, mistaken & kept


@pytest.fixture(scope="module")
def simulated():
    made, kept, mistaken = drawn(np.random.default_rng(11))
    return made, kept, mistaken, fit_noise(made, reference="reference")


def test_every_box_is_matched_to_its_own(simulated):
    made, kept, mistaken, _ = simulated
    found = extract_differences(made, reference="reference")
    pairs = found.shifts
    assert len(pairs) >= 0.999 * kept.sum()
    same = made.annotation_id[pairs.source] == made.annotation_id[pairs.target]
    assert same.all()
    assert pairs.mistaken.sum() == pytest.approx(mistaken.sum(), abs=2)


def test_the_laws_come_back(simulated):
    *_, fit = simulated
    table = {row.component: row for row in fit.table}
    truth = {
        "localization.shift.translation": (0.006, 0.1, 0.002, 6.0),
        "localization.shift.width": (0.06, 0.2, 0.015, 6.0),
        "localization.shift.height": (0.09, -0.3, 0.02, 6.0),
        "localization.direction": (*SIDES.weights, *SIDES.kappas),
        "category.rate": (0.05,),
        "unmatched.susceptibility": (-6.0, -1.0),
        "unmatched.added": (0.0,),
    }
    held = {
        (name, estimate.name): estimate.low - 1e-12 <= true <= estimate.high
        for name, numbers in truth.items()
        for estimate, true in zip(table[name].estimates, numbers, strict=True)
    }
    # Of 24 intervals of 95 % one or two may miss.
    assert sum(held.values()) >= len(held) - 2, [k for k, v in held.items() if not v]
    assert table["category.transition"].n > 80
    assert table["category.transition"].tests[0].p_value > 0.01
