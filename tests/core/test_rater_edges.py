"""The least data there can be: a value or none, and a reason, for every diagnostic."""

import json

import numpy as np
import pytest
from diagnosing import (
    collaborate,
    find_difficulty,
    find_intra,
    find_schools,
    find_vitality,
)

from kalos_core import Configuration
from kalos_core.plain import plain

LEAST = {
    "nothing": [],
    "one rater": ["x ana: cat 1 1 9 9"],
    "two raters who never met": ["x ana: cat 1 1 9 9", "y ben: cat 1 1 9 9"],
    "an empty image": ["x ana:", "x ben:", "x cho:", "x dan:"],
    "one image": [f"x {rater}: cat 1 1 9 9" for rater in "abcd"],
}


@pytest.mark.parametrize("least", LEAST)
def test_the_least_data_there_can_be(least, annotations):
    made, configuration = annotations(*LEAST[least]), Configuration()
    vitality, schools = find_vitality(made), find_schools(made)
    difficulty = find_difficulty(made, configuration)
    _, _, pairs = collaborate(made)
    assert json.loads(json.dumps(plain([vitality, difficulty, pairs, schools])))
    assert plain(find_intra(made))["persons"]["names"] == []
    for estimates in (
        *(vitality.mean, vitality.relative, vitality.overall),
        *(difficulty.mean, difficulty.overall, pairs.mean, pairs.overall),
    ):
        assert np.array_equal(np.isnan(estimates.value), estimates.n_images == 0)
        assert np.isnan(estimates.low).all()  # no interval from a single image
    met = least in ("an empty image", "one image")
    assert (vitality.mean.n_images == met).all()
    assert (pairs.mean.n_images == met).all()
    assert schools.reason
    assert schools.school.tolist() == []
