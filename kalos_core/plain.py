"""Results as plain JSON values."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain(result: Any) -> Any:
    """Return dataclasses and arrays as dicts and lists; nan becomes None.

    Examples
    --------
    >>> plain({"alpha": np.array([0.5, np.nan]), "n": np.int64(2)})
    {'alpha': [0.5, None], 'n': 2}
    """
    if is_dataclass(result) and not isinstance(result, type):
        return {f.name: plain(getattr(result, f.name)) for f in fields(result)}
    if isinstance(result, dict):
        return {str(key): plain(value) for key, value in result.items()}
    if isinstance(result, np.ndarray | np.generic):
        if result.dtype.kind != "f" or np.isfinite(result).all():
            return result.tolist()
        return plain(result.tolist())
    if isinstance(result, list | tuple):
        return [plain(value) for value in result]
    if isinstance(result, float) and not np.isfinite(result):
        return None
    return result


class AsJson:
    """A result that can be stored as JSON."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """Return all of it as plain JSON values; what is undefined is None."""
        found: dict[str, Any] = plain(self)
        return found
