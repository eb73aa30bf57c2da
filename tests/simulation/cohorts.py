"""Cohorts of raters who label the same objects with known faults."""

import numpy as np

from kalos_core import Annotations, Boxes


def cohort(
    seed,
    n_images,
    miss=(0.1, 0.1, 0.1),
    swap=(0.1, 0.1, 0.1),
    jitter=(0.02, 0.02, 0.02),
    n_classes=3,
    n_objects=4,
):
    """Return annotations of as many raters as there are rates of faults.

    Each image has 0 to ``n_objects`` objects on a line, far apart; a rater misses an
    object, names another class, and moves the box by a part of its size at the rates
    given.
    """
    rng = np.random.default_rng(seed)
    n_raters = len(miss)
    count = rng.integers(0, n_objects + 1, n_images)
    image_of = np.repeat(np.arange(n_images), count)
    nth = np.arange(len(image_of)) - np.repeat(np.cumsum(count) - count, count)
    label_of = rng.integers(0, n_classes, len(image_of))
    drawn, rater = np.nonzero(rng.random((len(image_of), n_raters)) >= miss)
    label = label_of[drawn]
    wrong = rng.random(len(drawn)) < np.asarray(swap)[rater]
    other = rng.integers(1, n_classes, int(wrong.sum()))
    label[wrong] = (label[wrong] + other) % n_classes
    size = 0.5 / n_objects
    box = np.full((len(drawn), 4), size)
    box[:, 0] = nth[drawn] / n_objects
    box[:, 1] = 0.4
    moved = rng.normal(0, 1, (len(drawn), 4)) * np.asarray(jitter)[rater, None] * size
    box[:, :2] += moved[:, :2]
    box[:, 2:] *= np.exp(moved[:, 2:] / size)
    return Annotations(
        image=image_of[drawn],
        rater=rater,
        label=label,
        geometry=Boxes(box),
        annotation_id=[f"{k:07}" for k in range(len(drawn))],
        assigned=np.ones((n_images, n_raters), bool),
        images=[f"i{i:06}" for i in range(n_images)],
        raters=[f"r{r:02}" for r in range(n_raters)],
        classes=[f"c{c}" for c in range(n_classes)],
    )
