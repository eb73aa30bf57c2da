"""Names of array types, so that signatures stay readable."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
StrArray = npt.NDArray[np.str_]
AnyArray = npt.NDArray[Any]


def read_only(values: npt.ArrayLike, dtype: npt.DTypeLike) -> AnyArray:
    """Return ``values`` as a read-only array; the caller's own stays writeable."""
    array = np.asarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array
