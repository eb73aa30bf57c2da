"""Lists of points [x, y] as arrays."""

import numpy as np


def coordinates(labels, n, points):
    """Return (points, 2) coordinates of label ``n``; nan where one is None."""
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2:
        raise labels.fault(n, f"must have points [x, y], got {_shown(points)}")
    return array


def _shown(points, most=80):
    text = str(points)
    return text if len(text) <= most else f"{text[:most]}..."
