"""How alpha is spread over images, and why the worst are the worst."""

import json

import numpy as np
import pytest

from kalos_core import (
    STATUSES,
    Agreement,
    Configuration,
    ReliabilityMatrix,
    compute_agreement,
    interpret,
)
from kalos_core.diagnostics.distribution import (
    READINGS,
    alpha_distribution,
    worst_images,
)
from kalos_core.diagnostics.kinds import KINDS, unit_kinds
from kalos_core.plain import plain
from kalos_core.resampling import Resampling


def agreed(alpha, status=None):
    matrix = ReliabilityMatrix(np.empty((2, 0)), [], [])
    status = status or ["computed"] * len(alpha)
    return Agreement(alpha, status, 0.5, 0.5, matrix, Configuration())


def distribution(agreement, n_boot=400):
    drawn_from = ~np.isnan(agreement.alpha)
    return alpha_distribution(agreement, Resampling(drawn_from, n_boot, 0))


def test_readings_are_those_of_each_image():
    alpha = [1, 0.8, 0.79, 0.6, 0.5, 0.4, 0.2, 0.0, -0.1, -1, np.nan]
    found = distribution(agreed(alpha))
    expected = [interpret(value) for value in alpha]
    assert found.n_images.tolist() == [expected.count(words) for words in READINGS]
    assert found.share.value == pytest.approx(np.array([2, 2, 2, 2, 2]) / 10)
    assert (found.share.low < 0.2).all() and (found.share.high > 0.2).all()
    assert found.share.n_images.tolist() == [10] * 5


def test_quantiles_leave_undefined_images_out():
    alpha = [np.nan, *np.linspace(0, 1, 21)]
    status = ["undefined", *["computed"] * 20, "uniform"]
    found = distribution(agreed(alpha, status))
    assert found.quantiles == pytest.approx(found.levels)
    counted = dict(zip(found.statuses, found.n_of_status.tolist(), strict=True))
    assert tuple(counted) == STATUSES
    assert counted == {"computed": 20, "uniform": 1, "empty_agreed": 0, "undefined": 1}


@pytest.mark.parametrize("alpha", [[], [np.nan], [np.nan, np.nan]])
def test_without_a_defined_image_nothing_is_claimed(alpha):
    found = distribution(agreed(alpha, ["undefined"] * len(alpha)))
    assert np.isnan(found.quantiles).all()
    assert np.isnan(found.share.value).all()
    assert found.n_images.sum() == 0
    json.dumps(plain(found))


def test_one_image_has_no_interval():
    found = distribution(agreed([0.3]))
    assert (found.quantiles == 0.3).all()
    assert np.isnan(found.share.low).all()


# a: agreed. b: two cats against dogs. c: one cat of three is missed, and one is loose.
# d: as b, with a unit more. e: empty. f: one rater.
BOXES = ("0 0 10 10", "30 0 10 10", "60 0 10 10")
LINES = (
    *(f"a {r}: cat {box}" for r in ("ana", "ben") for box in BOXES),
    *(f"b ana: cat {box}" for box in BOXES[:2]),
    *(f"b ben: dog {box}" for box in BOXES[:2]),
    *(f"c ana: cat {box}" for box in BOXES),
    *(f"c ben: cat {box}" for box in (BOXES[0], "62 0 10 10")),
    *(f"d ana: cat {box}" for box in BOXES),
    *(f"d ben: dog {box}" for box in BOXES),
    *("e ana:", "e ben:", "f ana: cat 0 0 10 10"),
)


def test_the_worst_images_by_hand(annotations):
    made = annotations(*LINES)
    agreement = compute_agreement(made, Configuration())
    kinds = unit_kinds(made, agreement)
    worst = worst_images(agreement, kinds)
    # b: n = 4, n_c = 2, 2, chance 4: (3 * 0 - 4) / (12 - 4) = -0.5; d: n = 6, chance
    # 12: -12 / 18. c: (cat cat) (cat -) (cat cat), n = 6, n_cat = 5, chance 20:
    # (5 * 4 - 20) / 10 = 0, and 1 were the miss repaired.
    assert [made.images[i] for i in worst.image] == ["d", "b", "c"]
    assert worst.alpha == pytest.approx([-2 / 3, -0.5, 0])
    assert worst.n_units.tolist() == [3, 2, 3]
    assert worst.unit_kind.tolist() == ["class", "class", "missed"]
    assert worst.gain[2] == 1
    assert (agreement.reliability.image_of[worst.unit] == worst.image).all()
    counted = [
        {k: n for k, n in zip(worst.kinds, row, strict=True) if n}
        for row in worst.n_of_kind.tolist()
    ]
    assert tuple(worst.kinds) == KINDS
    assert counted == [
        {"class": 3},
        {"class": 2},
        {"missed": 1, "loose": 1, "agreed": 1},
    ]
    for place, image in enumerate(worst.image):
        own = agreement.reliability.image_of == image
        assert worst.gain[place] == kinds.gain[own].max()
    assert len(worst_images(agreement, kinds, most=2)) == 2
    json.dumps(plain(worst))


def test_of_equal_images_the_one_with_more_units_is_worse(annotations):
    # One unit of cat and dog: n = 2, alpha 0. (cat cat) (cat dog): alpha 0 as well.
    made = annotations(
        *("a ana: cat 0 0 10 10", "a ben: dog 0 0 10 10"),
        *("b ana: cat 0 0 10 10", "b ben: cat 0 0 10 10"),
        *("b ana: cat 30 0 10 10", "b ben: dog 30 0 10 10"),
    )
    agreement = compute_agreement(made, Configuration())
    assert agreement.alpha.tolist() == [0, 0]
    worst = worst_images(agreement, unit_kinds(made, agreement))
    assert [made.images[i] for i in worst.image] == ["b", "a"]


def test_where_all_agree_no_image_is_bad(annotations):
    made = annotations("a ana: cat 0 0 10 10", "a ben: cat 0 0 10 10")
    agreement = compute_agreement(made, Configuration())
    worst = worst_images(agreement, unit_kinds(made, agreement))
    assert len(worst) == 0
    assert worst.n_of_kind.shape == (0, len(KINDS))
