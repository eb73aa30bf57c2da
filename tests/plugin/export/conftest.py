"""The operator, and a data set with some disagreement."""

import numpy as np
import pytest
from plugin_builders import detection, detections, make_dataset, operator, sample


@pytest.fixture
def exporter():
    return operator("export_results")


@pytest.fixture
def demo_like():
    """Return ten images of three raters who differ a little."""
    rng, samples = np.random.default_rng(1), []
    for n in range(10):
        boxes = [
            detection(
                "cat" if rng.random() < 0.7 else "dog",
                *(x + rng.normal(), 10, 20 + rng.normal(), 20),
                rater=rater,
            )
            for x in (5, 40, 70)
            for rater in ("ana", "ben", "cho")
            if rng.random() < 0.9
        ]
        raters = ["ana", "ben", "cho"]
        samples.append(sample(f"{n}", gt=detections(*boxes), raters=raters))
    made = make_dataset(*samples)
    yield made
    made.delete()
