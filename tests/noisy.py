"""References of one rater, and laws of errors that tests can turn on and off."""

from dataclasses import replace

import numpy as np
import shapely
from random_data import SHAPES

from kalos_core import Annotations, Boxes, Keypoints, Polygons
from kalos_core.noise.laws import (
    AxialVonMises,
    Beta,
    CardinalMixture,
    FoldedT,
    Logistic,
    PoissonRate,
)
from kalos_core.noise.parameters import (
    Category,
    Localization,
    NoiseParameters,
    Shift,
    Topology,
    Unmatched,
)

NEVER, ALWAYS = Logistic(-60.0, 0.0), Logistic(60.0, 0.0)

SHIFT = Shift(
    translation=FoldedT(0.004, 0.05, 4.0, 0.004),
    width=FoldedT(0.05, 0.2, 5.0, 0.04),
    height=FoldedT(0.08, -0.1, 3.0, 0.06),
)

QUIET = NoiseParameters(
    unmatched=Unmatched(PoissonRate(-60.0, 0.0), Logistic(-4.0, -0.5), 0.5),
    topology=Topology(
        susceptibility=NEVER,
        shift=Shift(
            translation=FoldedT(0.03, 0.1, 6.0, 0.01),
            width=FoldedT(0.7, 0.2, 8.0, 0.15),
            height=FoldedT(0.9, 0.1, 8.0, 0.1),
        ),
        direction=CardinalMixture((0.4, 0.2, 0.1, 0.3), (4.0, 1.0, 2.0, 8.0)),
        angle=Beta(4.53, 0.53),
        kappa=0.2,
        fragmented=0.5,
    ),
    category=Category(0.0, 0.1, 10, SHIFT, AxialVonMises(0.6, 2.0)),
    localization=Localization(
        SHIFT, CardinalMixture((0.4, 0.3, 0.1, 0.2), (5.0, 2.0, 1.0, 9.0))
    ),
)
"""Everything is shifted, and nothing else happens."""


def noise(**groups):
    """Return ``QUIET`` with other values, such as ``category={"rate": 1.0}``."""
    return replace(
        QUIET,
        **{name: replace(getattr(QUIET, name), **new) for name, new in groups.items()},
    )


LOUD = noise(
    unmatched={"rate": PoissonRate(-0.5, 0.1)},
    topology={"susceptibility": Logistic(0.5, 0.6)},
    category={"rate": 0.2},
)
"""All errors are frequent."""


def reference(geometry, image=None, label=None, n_images=None, n_classes=None):
    """Return shapes as the annotations of one rater; by default one in each image."""
    n = len(geometry)
    image = np.arange(n) if image is None else np.asarray(image, int)
    label = np.zeros(n, int) if label is None else np.asarray(label, int)
    n_images = int(image.max(initial=-1)) + 1 if n_images is None else n_images
    n_classes = int(label.max(initial=0)) + 1 if n_classes is None else n_classes
    return Annotations(
        image=image,
        rater=np.zeros(n, int),
        label=label,
        geometry=geometry,
        annotation_id=[f"a{k}" for k in range(n)],
        assigned=np.ones((n_images, 1), bool),
        images=[f"i{i:05}" for i in range(n_images)],
        raters=["reference"],
        classes=[f"c{c}" for c in range(n_classes)],
    )


def random_reference(kind, seed, counts, n_classes):
    """Return shapes anywhere, across the border too; up to ``counts`` in the images."""
    rng = np.random.default_rng(seed)
    image = np.repeat(np.arange(len(counts)), counts)
    shapes = SHAPES[kind](rng, rng.random((len(image), 2)))
    if kind == "Polygons":  # some of several parts
        other = np.where(rng.random(len(image)) < 0.3, np.roll(shapes.shapes, 1), None)
        other = np.where(shapely.is_missing(other), shapes.shapes, other)
        shapes = Polygons(shapely.union(shapes.shapes, other))
    if kind == "Keypoints":  # some without any joint
        seen = shapes.visible & (rng.random((len(image), 1)) < 0.9)
        shapes = Keypoints(shapes.xy, seen)
    low, high = np.split(shapes.bounds(), 2, axis=1)
    outside = (np.abs(low + high - 1) > 1) & (low <= high)  # no joint is in no place
    inside = np.flatnonzero(~outside.any(axis=1))
    label = rng.integers(0, n_classes, len(inside))
    return reference(shapes.take(inside), image[inside], label, len(counts), n_classes)


def grid_of_boxes(n_images, side=0.04, label=None, n_classes=1):
    """Return images with nine boxes each, all far from each other and the border."""
    x, y = np.meshgrid([0.2, 0.5, 0.8], [0.2, 0.5, 0.8])
    corner = np.stack([x.ravel(), y.ravel()], axis=1) - side / 2
    boxes = np.hstack([corner, np.full((9, 2), side)])
    image = np.repeat(np.arange(n_images), 9)
    return reference(
        Boxes(np.tile(boxes, (n_images, 1))), image, label, n_images, n_classes
    )
