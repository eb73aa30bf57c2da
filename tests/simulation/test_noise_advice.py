"""Of raters who draw anything anywhere no threshold is claimed."""

import numpy as np
import pytest

from kalos_core import (
    Annotations,
    Boxes,
    advise,
    bootstrap_calibration,
    calibrate,
    calibrate_by_size,
)


@pytest.mark.parametrize("d_loc", ["box_iou", "box_giou", "box_centroid_l2"])
def test_of_noise_no_threshold_is_claimed(d_loc):
    claimed = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        made = noise(rng)
        found = calibrate(made, d_loc, rng=rng)
        rounds = bootstrap_calibration(made, found, rng=rng)
        strata = calibrate_by_size(made, found, rng=rng, n_boot=20)
        said = " ".join(advise(found, rounds, strata))
        claimed += "tau*" in said or "customary" in said
    assert claimed <= 2


def noise(rng, n_images=20, n_raters=3, n_drawn=5):
    """Return boxes that raters draw anywhere, whatever the image."""
    image, rater, number = np.indices((n_images, n_raters, n_drawn)).reshape(3, -1)
    xywh = rng.uniform((0, 0, 0.05, 0.05), (0.7, 0.7, 0.3, 0.3), (len(image), 4))
    return Annotations(
        image=image,
        rater=rater,
        label=np.zeros(len(image), int),
        geometry=Boxes(xywh),
        annotation_id=number.astype(str),
        assigned=np.ones((n_images, n_raters), bool),
        images=[f"i{n:02}" for n in range(n_images)],
        raters=[f"r{n}" for n in range(n_raters)],
        classes=["a"],
    )
