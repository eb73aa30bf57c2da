"""What the authors' implementation reads from a file, and what it finds there."""

from pathlib import Path

import numpy as np
import pytest
from kalos.iaa import core
from kalos.utils.data_loading import load_and_preprocess_data
from reference import SIMILARITIES, reference_clusters

from kalos_core import Configuration, compute_agreement

DATA = Path(__file__).parents[3] / "shared" / "data"
TAUS = {"keypoint_mpjpe": 0.2}

needs_data = pytest.mark.skipif(not DATA.exists(), reason="no shared data here")


def coco_id(rater, number, entry):
    return str(entry["id"])


def lidc_id(rater, number, entry):
    return f"{rater}/{number}"


def reference_units(data, clusters, name):
    """Return its clusters of each image as sets of our ids."""
    units = set()
    for n, (image, found) in enumerate(zip(data.values(), clusters, strict=True)):
        ours = {
            entry["id"]: (n, name(rater, number, entry))
            for rater, entries in image["annotations_by_rater"].items()
            for number, entry in enumerate(entries)
        }
        units |= {frozenset(ours[number] for number in cluster) for cluster in found}
    return units


def our_units(made, unit_of):
    """Return our units as sets of ids, with the place of their image in the file."""
    units = {}
    for image, name, unit in zip(made.image, made.annotation_id, unit_of, strict=True):
        units.setdefault(unit, set()).add((int(image), str(name)))
    return {frozenset(unit) for unit in units.values()}


def check(made, path, kind, d_loc, name=None):
    """Compare agreement from our reader with the reference's own reading.

    With the ``name`` that we give to its annotations, units are compared as well.
    """
    tau = TAUS.get(d_loc, 0.5)
    loaded = load_and_preprocess_data(path, kind)  # afresh: it divides in place
    found = check_alphas(made, loaded, d_loc, tau)
    if name:
        data = loaded["processed_data"]
        clusters = reference_clusters(data, Configuration(d_loc, tau))
        expected = reference_units(data, clusters, name)
        assert our_units(made, found.reliability.unit_of) == expected
    return found


def check_alphas(made, loaded, d_loc, tau):
    mean, overall, *_, alphas, _, _ = core.calculate_iaa(
        loaded["processed_data"],
        loaded["categories"],
        "greedy",
        SIMILARITIES[d_loc],
        "category_lenient",
        1 - tau,
        False,
        False,
        False,
        loaded["all_raters"],
    )
    found = compute_agreement(made, Configuration(d_loc, tau))
    expected = np.array(list(alphas.values()))
    defined = found.status != "undefined"
    assert sorted(made.raters) == loaded["all_raters"]
    assert np.abs(found.alpha[defined] - expected[defined]).max(initial=0) < 1e-9
    # By decision: what cannot be computed is undefined and not in the mean.
    assert (expected[~defined] == 1).all()
    if defined.all():
        assert found.mean_alpha == pytest.approx(mean, abs=1e-9)
    elif defined.any():
        assert found.mean_alpha == pytest.approx(expected[defined].mean(), abs=1e-9)
    if not np.isnan(found.global_alpha):
        assert found.global_alpha == pytest.approx(overall, abs=1e-9)
    return found
