"""Builders of small annotations, written the way one would on paper."""

import json
import os

# Threads of linear algebra only wait for each other on matrices as small as ours.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings

from kalos_core import Annotations, Boxes

settings.register_profile("patient", deadline=None)  # a busy machine is no failure
settings.load_profile("patient")


def build_annotations(*lines, size=100.0):
    """Return annotations from lines such as ``"003.jpg ana: cat 10 10 40 20"``.

    The image is optional, boxes are in pixels of a ``size`` square image, and a line
    that ends after the colon assigns the rater without any annotation.
    """
    rows, seen = [], []
    for line in lines:
        head, _, tail = line.partition(":")
        *image, rater = head.split()
        where = image[0] if image else "image"
        seen.append((where, rater))
        if tail.strip():
            label, *xywh = tail.split()
            rows.append((where, rater, label, [float(v) / size for v in xywh]))
    images = sorted({image for image, _ in seen})
    raters = sorted({rater for _, rater in seen})
    classes = sorted({label for _, _, label, _ in rows})
    assigned = np.zeros((len(images), len(raters)), dtype=bool)
    for image, rater in seen:
        assigned[images.index(image), raters.index(rater)] = True
    return Annotations(
        image=[images.index(row[0]) for row in rows],
        rater=[raters.index(row[1]) for row in rows],
        label=[classes.index(row[2]) for row in rows],
        geometry=Boxes([row[3] for row in rows]),
        annotation_id=[f"a{n:04}" for n in range(len(rows))],
        assigned=assigned,
        images=images,
        raters=raters,
        classes=classes,
    )


@pytest.fixture(scope="session")
def annotations():
    return build_annotations


@pytest.fixture
def strange_dogs():
    """In x cho calls the cat a dog, in y ana alone sees a dog."""
    return build_annotations(
        "x ana: cat 10 10 20 20",
        "x ben: cat 10 10 20 20",
        "y ana: cat 10 10 20 20",
        "y ben: cat 10 10 20 20",
        "y cho: cat 10 10 20 20",
        "x cho: dog 10 10 20 20",
        "y ana: dog 60 60 20 20",
    )


@pytest.fixture
def write_json(tmp_path):
    """Return a function that writes a document, or text as it is, to a file."""

    def write(made, name="x.json"):
        path = tmp_path / name
        path.write_text(made if isinstance(made, str) else json.dumps(made))
        return path

    return write
