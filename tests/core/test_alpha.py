from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kalos_core import UNASSIGNED, nominal_alpha
from kalos_core.alpha import coincidences, value_counts

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C:
# four observers, twelve units, missing data; nominal alpha 0.743.
KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def matrix(text):
    rows = [line.split() for line in text.split("\n") if line]
    return np.array(
        [[UNASSIGNED if v == "." else int(v) for v in row] for row in rows], np.int32
    )


def alpha_of(values):
    alpha, _ = nominal_alpha(values, np.zeros(values.shape[1], int), 1)
    return float(alpha[0])


def test_krippendorffs_published_example():
    assert alpha_of(matrix(KRIPPENDORFF)) == pytest.approx(0.743, abs=5e-4)


def test_by_hand():
    # Units (a a) (a b) (b b): n = 6, n_a = n_b = 3, sum n_c (n_c - 1) = 12,
    # o_aa = o_bb = 2, so alpha = (5 * 4 - 12) / (30 - 12) = 8 / 18.
    assert alpha_of(matrix("0 0 1\n0 1 1")) == pytest.approx(8 / 18)


def test_groups_are_independent():
    values = np.hstack([matrix("0 0 1\n0 1 1"), matrix("0 0 1\n0 0 1")])
    alpha, uniform = nominal_alpha(values, np.array([0, 0, 0, 2, 2, 2]), 3)
    assert alpha[0] == pytest.approx(8 / 18)
    assert np.isnan(alpha[1])  # no unit at all
    assert alpha[2] == 1
    assert uniform.tolist() == [False, False, False]


def test_undefined_and_uniform():
    assert np.isnan(alpha_of(matrix("0 . 1\n. 1 .")))  # nothing to pair
    alpha, uniform = nominal_alpha(matrix("3 3\n3 3"), np.zeros(2, int), 1)
    assert (alpha[0], uniform[0]) == (1, True)
    assert np.isnan(alpha_of(np.empty((2, 0), np.int32)))


cells = st.integers(-2, 3)


@given(
    data=st.data(),
    rows=st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.lists(cells, min_size=n, max_size=n), min_size=2, max_size=5
        )
    ),
)
def test_invariant_to_raters_units_and_names_of_values(data, rows):
    values = np.array(rows, np.int32)
    alpha = alpha_of(values)
    by_rater = data.draw(st.permutations(range(values.shape[0])))
    by_unit = data.draw(st.permutations(range(values.shape[1])))
    names = data.draw(st.permutations([-1, 0, 1, 2, 3]))
    renamed = np.array([*names, UNASSIGNED], np.int32)[
        np.where(values == UNASSIGNED, 5, values + 1)
    ]
    for changed in (values[by_rater], values[:, by_unit], renamed):
        assert alpha_of(changed) == pytest.approx(alpha, nan_ok=True, abs=1e-12)
    if not np.isnan(alpha):
        assert -1 <= alpha <= 1


@pytest.mark.parametrize("n_codes", [2, 5000])  # counted in a table, and by sorting
@pytest.mark.parametrize("n_raters", [1, 2, 3, 4, 17])
def test_values_are_counted_unit_by_unit(n_codes, n_raters):
    rng = np.random.default_rng([n_codes, n_raters])
    values = rng.integers(-2, n_codes, (n_raters, 50), dtype=np.int32)
    values[:, :30] = values[0, :30]  # many that agree
    values[rng.random(values.shape) < 0.3] = UNASSIGNED
    expected = [
        (unit, code, count)
        for unit in range(50)
        for code, count in sorted(Counter(values[:, unit].tolist()).items())
        if code != UNASSIGNED
    ]
    found = zip(*(column.tolist() for column in value_counts(values)), strict=True)
    assert [*found] == expected


@pytest.mark.parametrize("n_codes", [2, 5000])
@pytest.mark.parametrize("n_raters", [1, 2, 3])
def test_rows_of_nobody_change_no_bit(n_codes, n_raters):
    rng = np.random.default_rng([n_codes, n_raters])
    values = rng.integers(-1, n_codes, (n_raters, 400), dtype=np.int32)
    values[:, :200] = values[0, :200]
    values[rng.random(values.shape) < 0.2] = UNASSIGNED
    group = np.sort(rng.integers(0, 40, 400))
    more = np.vstack([values, np.full((3, 400), UNASSIGNED, np.int32)])
    few, many = (coincidences(rows, group, 41) for rows in (values, more))
    for name in ("n", "o_cc", "group", "value", "n_c"):
        assert np.array_equal(getattr(few, name), getattr(many, name)), name
