"""Mean shapes of units, for boxes and keypoints."""

from __future__ import annotations

import numpy as np

from .annotations import Annotations
from .arrays import FloatArray, IntArray, sum_by
from .distances import DISTANCES
from .errors import KalosError
from .geometry import Boxes, Keypoints
from .pairs import distance_for
from .ranges import CHUNK

HALF = 0.5 - 1e-9
"""Of those who drew the object, the part that has to see a joint: half, rounded."""


def mean_shapes(
    annotations: Annotations, unit_of: IntArray, share: FloatArray, n_units: int
) -> Boxes | Keypoints:
    """Return the mean shape of each unit (K,), all of which were drawn.

    Of boxes it is the mean of their corners. Of keypoints each joint is the mean over
    those who see it, and visible if at least half of the votes see it.

    Parameters
    ----------
    share : (N,) weight of each annotation in its unit, adding up to 1 there.
    """
    shapes = annotations.geometry
    if not isinstance(shapes, Boxes | Keypoints):
        raise KalosError(
            f"the mean shape of {type(shapes).__name__} is not defined, only that of "
            "Boxes and Keypoints; choose shape='medoid', which every kind of shape has"
        )
    # Summed up by content, so that the last bits do not depend on the order of raters.
    order = np.lexsort((share, *shapes.content(), unit_of))
    unit, weight = unit_of[order], share[order]
    if isinstance(shapes, Boxes):
        columns = [sum_by(unit, weight * x[order], n_units) for x in shapes.xywh.T]
        return Boxes(np.stack(columns, axis=1))
    xy, visible = shapes.xy[order], shapes.visible[order]
    n_joints = visible.shape[1]
    seen = np.zeros((n_units, n_joints))
    mean = np.zeros((n_units, n_joints, 2))
    for joint in range(n_joints):
        own = weight * visible[:, joint]
        seen[:, joint] = sum_by(unit, own, n_units)
        for axis in range(2):
            mean[:, joint, axis] = sum_by(unit, own * xy[:, joint, axis], n_units)
    with np.errstate(invalid="ignore"):
        mean /= seen[:, :, None]
    return Keypoints(np.where(seen[:, :, None] > 0, mean, 0), seen >= HALF)


def distances_to(
    means: Boxes | Keypoints,
    annotations: Annotations,
    unit_of: IntArray,
    d_loc: str,
    share: FloatArray,
) -> FloatArray:
    """Return (K,) the mean distance of each mean shape to the shapes that it is of.

    nan where only one of them has any weight.
    """
    shapes, n_units = annotations.geometry, len(means)
    distance_for(annotations, d_loc)
    both: Boxes | Keypoints
    if isinstance(means, Boxes) and isinstance(shapes, Boxes):
        both = Boxes(np.concatenate([shapes.xywh, means.xywh]))
    elif isinstance(means, Keypoints) and isinstance(shapes, Keypoints):
        both = Keypoints(
            np.concatenate([shapes.xy, means.xy]),
            np.concatenate([shapes.visible, means.visible]),
        )
    else:
        raise KalosError("means must be of the same kind of shape as the annotations")
    weighty = np.flatnonzero(share > 0)
    several = np.bincount(unit_of[weighty], minlength=n_units) >= 2
    total = np.zeros(n_units)
    of = weighty[several[unit_of[weighty]]]
    for start in range(0, len(of), CHUNK):
        some = of[start : start + CHUNK]
        d = DISTANCES[d_loc].measure(both, some, len(shapes) + unit_of[some])
        total += sum_by(unit_of[some], share[some] * d, n_units)
    return np.where(several, total, np.nan)
