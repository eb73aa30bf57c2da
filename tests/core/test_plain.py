"""Results as JSON, through one method."""

import json

import numpy as np
import pytest
from random_data import rated_boxes

from kalos_core import (
    Configuration,
    bootstrap_calibration,
    calibrate,
    calibrate_by_size,
    classes_per_image,
    compare,
    compare_columns,
    compute_agreement,
    diagnose,
    relabel_queue,
    unit_kinds,
)

MADE = rated_boxes(np.random.default_rng(0), n_images=4)
AGREEMENT = compute_agreement(MADE, Configuration())
CALIBRATION = calibrate(MADE, "box_iou", rng=np.random.default_rng(0))
KINDS = unit_kinds(MADE, AGREEMENT)
CLASSES = classes_per_image(MADE, AGREEMENT)


def rng():
    return np.random.default_rng(1)


RESULTS = {
    "Configuration": lambda: AGREEMENT.configuration,
    "ReliabilityMatrix": lambda: AGREEMENT.reliability,
    "Agreement": lambda: AGREEMENT,
    "Calibration": lambda: CALIBRATION,
    "CalibrationBootstrap": lambda: bootstrap_calibration(
        MADE, CALIBRATION, rng=rng(), n_boot=5
    ),
    "SizeStratum": lambda: calibrate_by_size(MADE, CALIBRATION, rng=rng(), n_boot=5)[0],
    "Diagnosis": lambda: diagnose(
        MADE, Configuration(), AGREEMENT, rng=rng(), n_boot=5
    ),
    "Comparison": lambda: compare(
        MADE.images, AGREEMENT.alpha, MADE.images, AGREEMENT.alpha, rng=rng(), n_boot=5
    ),
    "Differences": lambda: compare_columns(
        MADE.images, CLASSES, MADE.images, CLASSES, rng=rng(), n_boot=5
    ),
    "Estimates": lambda: RESULTS["Comparison"]().mean_a,
    "PerImage": lambda: CLASSES,
    "Queue": lambda: relabel_queue(MADE, AGREEMENT, KINDS, n=2),
    "UnitKinds": lambda: KINDS,
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_plain_json(name):
    found = RESULTS[name]()
    assert type(found).__name__ == name
    text = json.dumps(found.as_json(), allow_nan=False)
    assert set(json.loads(text)) == set(found.__dataclass_fields__)


def test_what_is_undefined_is_none():
    agreement = compute_agreement(
        rated_boxes(np.random.default_rng(0), n_images=1, n_raters=1), Configuration()
    )
    assert agreement.as_json()["alpha"] == [None]
    assert agreement.as_json()["mean_alpha"] is None
