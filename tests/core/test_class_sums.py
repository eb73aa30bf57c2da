import numpy as np
import pytest
from random_data import crowd

from kalos_core import Configuration, ReliabilityMatrix, compute_agreement, rematch
from kalos_core.class_sums import ALL, PerClass, class_sums
from kalos_core.diagnostics.vitality import problems


def test_a_unit_counts_for_each_class_it_mentions():
    # Image 0: (a b) (a -); image 2: (- -), and one c that nobody else was asked about.
    values = [[0, 0, -1, 2], [1, -1, -1, -2]]
    found = class_sums(ReliabilityMatrix(values, [0, 0, 2, 2], np.arange(0)))
    assert found.image.tolist() == [0, 0, 0, 2]
    assert found.label.tolist() == [ALL, 0, 1, ALL]
    assert found.n_units.tolist() == [2, 2, 1, 1]
    # a and all: n 4, n_a 2, nothing agrees, (0 - 2) / (12 - 2); b alone: n 2, 0 / 2.
    assert found.alpha() == pytest.approx([-1 / 5, -1 / 5, 0, 1])
    image, label = np.array([0, 0, 1, 2, 3]), np.array([1, 2, ALL, ALL, ALL])
    assert found.find(image, label).tolist() == [2, -1, -1, 3, -1]


def test_problems_in_parts_are_numbered_on(monkeypatch):
    made, configuration = crowd(6), Configuration()
    chosen = problems(made, configuration)
    whole, parts = PerClass(), PerClass()
    [expected] = rematch.rematch(made, configuration, [chosen], [whole])
    monkeypatch.setattr(rematch, "CHUNK", 10)
    monkeypatch.setattr(rematch, "COPIES", 100)
    [sums] = rematch.rematch(made, configuration, [chosen], [parts])
    one, other = whole.of(expected), parts.of(sums)
    for name in ("image", "label", "n_units"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert np.array_equal(one.alpha(), other.alpha())
    assert one.image.max() == len(chosen) - 1
    # Each set may be summed up in its own way.
    per_class = PerClass()
    both = [rematch.per_problem, per_class]
    plain, sums = rematch.rematch(made, configuration, [chosen, chosen], both)
    everything = per_class.of(sums).alpha()[per_class.of(sums).label == ALL]
    assert np.array_equal(plain.alpha()[0], everything)


def test_nothing_at_all():
    empty = class_sums(ReliabilityMatrix(np.empty((3, 0)), [], []))
    assert len(empty.alpha()) == 0
    assert empty.find(np.array([0]), np.array([ALL])).tolist() == [-1]
    agreement = compute_agreement(crowd(6), Configuration())
    [all_units] = np.nonzero(class_sums(agreement.reliability).label == ALL)
    assert len(all_units) == 5
