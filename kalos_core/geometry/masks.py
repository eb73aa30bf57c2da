"""Instance masks: pixels."""

from __future__ import annotations

from typing import ClassVar

from .crops import Crops


class Masks(Crops):
    """Instance masks, each cropped to its box in the pixel grid of its image.

    Parameters
    ----------
    corner : (N, 2) top row and left column of each crop.
    crops : (N,) boolean arrays of two axes.
    grid : (N, 2) height and width of each image.
    """

    axes: ClassVar[int] = 2
    kind: ClassVar[str] = "mask"
