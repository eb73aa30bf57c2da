"""Images as a rater finds them, before any error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .drawn import Drawn
from .proposals import Pool
from .shift import areas


@dataclass(frozen=True, eq=False)
class Scene:
    """Some images that follow each other, and what is to be seen in them.

    Parameters
    ----------
    drawn : labels without errors, or those of a shared convention; by image.
    pool : what may be seen besides.
    start : the first image.
    asked : (J,) True for the images that are to be annotated.
    """

    drawn: Drawn
    pool: Pool
    start: int
    asked: BoolArray

    @cached_property
    def image(self) -> IntArray:
        """(n,) which of the J images each label is in."""
        return self.drawn.image - self.start

    @cached_property
    def bounds(self) -> FloatArray:
        """(n, 4) boxes of the labels."""
        return self.drawn.bounds

    @cached_property
    def area(self) -> FloatArray:
        """(n,) areas of the boxes."""
        return areas(self.bounds)

    @cached_property
    def n_drawn(self) -> IntArray:
        """(J,) labels of each image."""
        return np.bincount(self.image, minlength=len(self.asked))
