"""Data sets with pictures, and libraries that may be missing."""

import importlib.util
import os

import fiftyone as fo
import numpy as np
import pytest
from PIL import Image
from plugin_builders import make_dataset

LIBRARIES = {"clip": "open_clip", "transformers": "transformers"}
"""What tests with a marker need."""


def pytest_collection_modifyitems(items):
    # Continuous integration never goes without them, see .ci/run.
    if os.environ.get("KALOS_REQUIRE_CLIP"):
        return
    for marker, library in LIBRARIES.items():
        if importlib.util.find_spec(library):
            continue
        skip = pytest.mark.skip(reason=f"{library} is not installed; make test does it")
        for item in items:
            if item.get_closest_marker(marker):
                item.add_marker(skip)


@pytest.fixture
def pictured(tmp_path):
    """Return a function that makes a data set of pictures (H, W, 3) and labels."""
    made = []

    def build(*samples, field="gt"):
        rows = []
        for n, (picture, labels) in enumerate(samples):
            path = tmp_path / f"{n}.png"
            Image.fromarray(np.asarray(picture, np.uint8)).save(path)
            rows.append(fo.Sample(filepath=str(path), **{field: labels}))
        made.append(make_dataset(*rows))
        return made[-1]

    yield build
    for dataset in made:
        dataset.delete()
