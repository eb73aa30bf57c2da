"""Keypoints: a joint without coordinates was not drawn; skeletons do not matter."""

import numpy as np

from ...kalos_core import Keypoints
from .points import coordinates


def keypoints(labels):
    """Return the `Keypoints` of labels."""
    column = labels.attributes["points"]
    joints = [coordinates(labels, n, p) for n, p in enumerate(_filled(labels, column))]
    for n, xy in enumerate(joints):
        if len(xy) != len(joints[0]):
            first, image = labels.id[0], labels.sample_ids[labels.sample[0]]
            raise labels.fault(
                n,
                f"must have as many joints as annotation {first!r} (image {image!r}), "
                f"{len(joints[0])}, got {len(xy)}. Add the missing ones as [nan, nan], "
                "or compare labels of one skeleton at a time",
            )
    xy = np.stack(joints) if joints else np.empty((0, 1, 2))
    made = Keypoints(xy, ~np.isnan(xy).any(axis=2))
    # The core says what is wrong with infinite ones.
    finite = np.where(np.isfinite(made.xy), made.xy, 0).reshape(
        len(xy), 2 * xy.shape[1]
    )
    labels.require_near(finite, "joints", made.describe)
    return made


def _filled(labels, column):
    for n, points in enumerate(column):
        if not points:
            raise labels.fault(n, "must have joints, got no points. Delete it")
        yield points
