import numpy as np
import pytest
from diagnosing import collaborate

from kalos_core.diagnostics.collaboration import matrix


def test_by_hand(strange_dogs):
    _, _, result = collaborate(strange_dogs)
    assert result.a.tolist() == [0, 0, 1]
    assert result.b.tolist() == [1, 2, 2]
    # x: (c c) 1, (c d) 0, (c d) 0; y: (c c) (d -) 2/5 with ana, (c c) 1 without.
    assert result.mean.value == pytest.approx([0.7, 0.2, 0.5])
    # (c c) (c c) (d -) 8/18, (c d) (c c) (d -) 2/22, (c d) (c c) (6 - 6) / 6.
    assert result.overall.value == pytest.approx([8 / 18, 2 / 22, 0])
    assert result.mean.n_images.tolist() == [2, 2, 2]
    assert result.mean.low.tolist() == [-1] * 3  # two images say next to nothing
    assert result.mean.high.tolist() == [1] * 3


def test_who_shares_no_image_has_no_agreement(annotations):
    made = annotations(
        "x ana: cat 1 1 9 9", "x ben:", "y ben:", "y cho:", "z cho: cat 1 1 9 9"
    )
    chosen, _, result = collaborate(made)
    assert chosen.image.tolist() == [0, 1]
    # (c -) 0; not shared; all left y empty, which is agreement.
    assert result.mean.value == pytest.approx([0, np.nan, 1], nan_ok=True)
    assert result.overall.value == pytest.approx([0, np.nan, 1], nan_ok=True)
    assert result.mean.n_images.tolist() == [1, 0, 1]
    assert result.overall.n_images.tolist() == [1, 0, 1]
    full = matrix(result.mean.value, 3)
    assert np.array_equal(full, full.T, equal_nan=True)
    assert full[2, 1] == 1


def test_one_rater_has_nobody_to_agree_with(annotations):
    _, _, result = collaborate(annotations("x ana: cat 1 1 9 9"))
    assert len(result.mean) == 0
