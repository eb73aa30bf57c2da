"""Which class a mistaken one becomes: matrices of transition.

Rows are the classes that are mistaken. They sum to 1 with nothing on the diagonal, or
are all 0 where there is no other class.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, FloatArray, as_array
from ..errors import KalosError

PRIOR = 1.0
"""Mistakes that each class is taken to have had before any is seen, spread over the
other classes as these occur: a single mistake then does not rule out all others."""


def transition_from_similarity(
    similarity: npt.ArrayLike, *, temperature: float = 0.1, n_nearest: int = 10
) -> FloatArray:
    """Return the softmax of similarities (C, C) over the nearest classes of each.

    Paper, appendix "Category Mistake". Of equally near classes the first ones are
    taken.

    Examples
    --------
    >>> near = [[1.0, 0.9, 0.8], [0.9, 1.0, 0.1], [0.8, 0.1, 1.0]]
    >>> transition_from_similarity(near, n_nearest=2).round(3)
    array([[0.   , 0.731, 0.269],
           [1.   , 0.   , 0.   ],
           [0.999, 0.001, 0.   ]])
    """
    near = square(similarity, "similarity").copy()
    if not temperature > 0 or n_nearest < 1:
        raise KalosError(
            "temperature must be above 0 and n_nearest at least 1, got "
            f"{temperature!r} and {n_nearest!r}"
        )
    near[~nearest_classes(near, n_nearest)] = -np.inf
    most = near.max(axis=1, keepdims=True, initial=-np.inf)
    return _rows(np.exp((near - np.where(np.isfinite(most), most, 0)) / temperature))


def nearest_classes(similarity: FloatArray, n_nearest: int) -> BoolArray:
    """Return (C, C) which classes each can be mistaken for; of like ones the first."""
    others = similarity.copy()
    np.fill_diagonal(others, -np.inf)
    far = np.argsort(-others, axis=1, kind="stable")[:, n_nearest:]
    np.put_along_axis(others, far, -np.inf, axis=1)
    nearest: BoolArray = others > -np.inf
    return nearest


def transition_from_confusion(
    counts: npt.ArrayLike, frequency: npt.ArrayLike
) -> FloatArray:
    """Return how often each class was taken for each other one.

    Parameters
    ----------
    counts : (C, C) mistakes, from the row's class to the column's.
    frequency : (C,) how often each class occurs; where no mistakes are known, the
        classes that are taken for another one are those that are frequent.

    Examples
    --------
    >>> transition_from_confusion([[0, 3, 0], [0, 0, 0], [0, 0, 0]], [2, 1, 1]).round(3)
    array([[0.   , 0.875, 0.125],
           [0.667, 0.   , 0.333],
           [0.667, 0.333, 0.   ]])
    """
    mistakes = square(counts, "counts")
    often = as_array(frequency, np.float64, "frequency")
    if often.shape != (len(mistakes),) or not np.all((often >= 0) & np.isfinite(often)):
        raise KalosError(
            f"frequency must be {len(mistakes)} numbers of at least 0, got {often}"
        )
    if (mistakes < 0).any():
        raise KalosError(f"counts must be at least 0, got {mistakes.min():g}")
    expected = np.tile(often, (len(often), 1))
    np.fill_diagonal(expected, 0)
    expected[expected.sum(axis=1) == 0] = 1  # all other classes are as rare
    mistakes = mistakes * ~np.eye(len(often), dtype=bool)
    return _rows(mistakes + PRIOR * _rows(expected))


def square(values: npt.ArrayLike, what: str) -> FloatArray:
    """Return a matrix of finite numbers for every two classes."""
    array: FloatArray = as_array(values, np.float64, what)
    if array.ndim != 2 or len(array) != array.shape[1] or not np.isfinite(array).all():
        raise KalosError(
            f"{what} must be finite numbers for every two classes, got shape "
            f"{array.shape}"
        )
    return array


def _rows(values: FloatArray) -> FloatArray:
    """Return rows that sum to 1, without their diagonal."""
    rows = values.copy()
    np.fill_diagonal(rows, 0)
    total = rows.sum(axis=1, keepdims=True)
    parts: FloatArray = np.divide(rows, total, where=total > 0, out=np.zeros_like(rows))
    return parts
