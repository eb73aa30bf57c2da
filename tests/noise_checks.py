"""What holds of every simulation without groups, and of most with them."""

import numpy as np
import shapely

from kalos_core import Polygons
from kalos_core.noise import ERRORS

CODE = {name: code for code, name in enumerate(ERRORS)}


def named(made):
    """Return the label and the reference's annotation of each reference."""
    return np.repeat(np.arange(len(made)), np.diff(made.first)), made.reference_index


def check_shapes(made, inside):
    annotations = made.annotations()  # refuses shapes without a size, and ids twice
    assert (annotations.annotation_id == made.annotation_id).all()
    assert (annotations.image == made.image).all()
    if isinstance(made.geometry, Polygons):
        assert shapely.is_valid(made.geometry.shapes).all()
    if inside:
        bounds = made.geometry.bounds()
        bounds = bounds[np.isfinite(bounds).all(axis=1)]
        assert (bounds >= 0).all()
        assert (bounds <= 1).all()


def check_sources(made):
    reference = made.reference
    label, source = named(made)
    assert (made.image[label] == reference.image[source]).all()
    expected = np.ones(len(ERRORS), int)
    expected[[CODE["added"], CODE["combined"]]] = 0, 2
    assert (np.diff(made.first) == expected[made.error]).all()
    mistaken = made.label[label] != reference.label[source]
    assert (mistaken == (made.error[label] == CODE["category"])).all()


def check_fates(made):
    label, source = named(made)
    times = np.zeros((len(made.raters), len(made.reference)), int)
    np.add.at(times, (made.rater[label], source), 1)
    expected = np.ones(len(ERRORS), int)
    expected[[CODE["deleted"], CODE["split"]]] = 0, 2
    assert (times == expected[made.fate]).all()
    assert (made.error[label] == made.fate[made.rater[label], source]).all()
    n_fates = np.bincount(made.fate.ravel(), minlength=len(ERRORS))
    n_done = (made.n_attempted - made.n_lost).sum(axis=0)
    assert n_done.tolist() == [
        n_fates[CODE["deleted"]] + (made.error == CODE["added"]).sum(),
        n_fates[CODE["split"]] + n_fates[CODE["combined"]] // 2,
        n_fates[CODE["category"]],
        n_fates[CODE["localization"]],
    ]
    assert 0 <= made.signal_loss < 1
