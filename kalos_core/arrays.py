"""Names of array types, so that signatures stay readable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import AnnotationError, KalosError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
StrArray = npt.NDArray[np.str_]
AnyArray = npt.NDArray[Any]


def as_array(values: object, dtype: npt.DTypeLike, what: str) -> AnyArray:
    """Return ``values`` as an array.

    Text, rows of unequal length, fractions for integers and all but True, False, 1 and
    0 for flags are an error.
    """
    try:
        with np.errstate(invalid="ignore"):  # of what is refused for it
            given = np.asarray(values)
            if given.dtype.kind == "c":
                raise TypeError("they are complex")
            array = np.asarray(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise AnnotationError(f"{what} must be rows of numbers: {error}") from error
    if array.dtype.kind == "i" and given.dtype.kind == "f":
        fractions = given[given != array]
        if fractions.size:
            raise AnnotationError(f"{what} must be whole numbers, got {fractions[0]:g}")
    if array.dtype.kind == "b" and given.dtype.kind != "b":
        others = given[given != array]
        if others.size:
            raise AnnotationError(f"{what} must be True or False, got {others[0]}")
    return array


def read_only(values: npt.ArrayLike, dtype: npt.DTypeLike) -> AnyArray:
    """Return ``values`` as a read-only array; the caller's own stays writeable."""
    array = np.asarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array


def freeze(owner: object, name: str, dtype: npt.DTypeLike, *shape: int | None) -> None:
    """Replace the array ``name`` of ``owner`` by a read-only one of that shape.

    ``None`` in ``shape`` admits any length.
    """
    array = read_only(as_array(getattr(owner, name), dtype, name), dtype)
    if len(array.shape) != len(shape) or any(
        want not in (None, got) for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise KalosError(f"{name} must have shape ({wanted}), got {array.shape}")
    object.__setattr__(owner, name, array)


def sum_by(index: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Return (n,) the sum of the values at each index.

    Examples
    --------
    >>> sum_by(np.array([0, 2, 2]), np.array([0.5, 1, 2]), 3)
    array([0.5, 0. , 3. ])
    """
    total: FloatArray = np.bincount(index, values, n).astype(np.float64, copy=False)
    return total


def by_name(names: Sequence[str]) -> IntArray:
    """Return the order of names, so that chance does not depend on that of files.

    Examples
    --------
    >>> by_name(["cho", "ana", "ben"]).tolist()
    [1, 2, 0]
    """
    return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
