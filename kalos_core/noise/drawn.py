"""What one rater draws in some images, and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray, StrArray
from ..ranges import places
from .carry import Movable, joined

ERRORS = (
    "deleted",
    "added",
    "combined",
    "split",
    "category",
    "localization",
    "none",
)
"""What may have happened to a label, the gravest first."""

DELETED, ADDED, COMBINED, SPLIT, CATEGORY, LOCALIZATION, NONE = range(len(ERRORS))


@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """Labels (n,) of one rater and the reference's annotations that they come from.

    Parameters
    ----------
    image, label : indices of the data set's images and classes.
    error : indices into ``ERRORS``.
    shapes : n shapes.
    annotation_id : unique in each image.
    n_references : how many annotations of the reference each label comes from.
    reference : which ones, those of one label after those of the one before it.
    """

    image: IntArray
    label: IntArray
    error: IntArray
    shapes: Movable
    annotation_id: StrArray
    n_references: IntArray
    reference: IntArray

    @classmethod
    def copied(cls, reference: Annotations, start: int, stop: int) -> Drawn:
        """Return annotations ``start`` to ``stop`` of the reference, without errors."""
        part, n = reference.between(start, stop), stop - start
        shapes: Movable = part.geometry  # type: ignore[assignment]  # checked before
        return cls(
            image=part.image,
            label=part.label,
            error=np.full(n, NONE),
            shapes=shapes,
            annotation_id=part.annotation_id,
            n_references=np.ones(n, np.int64),
            reference=np.arange(start, stop),
        )

    def __len__(self) -> int:
        return len(self.image)

    @property
    def bounds(self) -> FloatArray:
        """(n, 4) boxes; that of a shape without joints is the middle of the image."""
        bounds = self.shapes.bounds()
        return np.where(np.isfinite(bounds), bounds, 0.5)

    def references(self, index: IntArray) -> IntArray:
        """Return the annotations that the labels at ``index`` come from."""
        first = np.cumsum(self.n_references) - self.n_references
        behind = places(first[index], self.n_references[index])
        found: IntArray = self.reference[behind]
        return found

    def take(self, index: IntArray) -> Drawn:
        """Return the labels at ``index``, in that order."""
        return self.redrawn(index, self.shapes.take(index), NONE)

    def as_before(self, order: IntArray, origin: IntArray) -> tuple[Drawn, IntArray]:
        """Return labels of images in ``order`` as of those before, and their places.

        Parameters
        ----------
        order, origin : where images and annotations of the reference were before.
        """
        if (np.diff(order) > 0).all():
            return self, np.arange(len(self))
        image = order[self.image]
        place = np.argsort(image, kind="stable")
        before = replace(self, image=image, reference=origin[self.reference])
        return before.take(place), place

    def redrawn(
        self,
        source: IntArray,
        shapes: Movable,
        error: int,
        *,
        label: IntArray | None = None,
        suffix: str = "",
    ) -> Drawn:
        """Return the labels at ``source`` with other shapes, or classes and ids too.

        Of an error that they already have and the new one the graver is named.
        """
        name = self.annotation_id[source]
        return Drawn(
            image=self.image[source],
            label=self.label[source] if label is None else label,
            error=np.minimum(self.error[source], error),
            shapes=shapes,
            annotation_id=np.char.add(name, suffix) if suffix else name,
            n_references=self.n_references[source],
            reference=self.references(source),
        )

    def combined(self, pair: IntArray, shapes: Movable, suffix: str) -> Drawn:
        """Return the two labels of each pair (m, 2) as one of the shapes given.

        Two parts of one annotation name it once; two added ones are still added.
        """
        both = together([self.take(end) for end in pair.T])
        owner = np.repeat(np.tile(np.arange(len(pair)), 2), both.n_references)
        n = int(both.reference.max(initial=0)) + 1
        owner, reference = np.divmod(np.unique(owner * n + both.reference), n)
        count = np.bincount(owner, minlength=len(pair))
        name = self.annotation_id[pair[:, 0]]
        return Drawn(
            image=self.image[pair[:, 0]],
            label=self.label[pair[:, 0]],
            error=np.where(count > 0, COMBINED, ADDED),
            shapes=shapes,
            annotation_id=np.char.add(name, suffix),
            n_references=count,
            reference=reference,
        )


def together(parts: Sequence[Drawn]) -> Drawn:
    """Return the labels of all parts, of which there is one at least."""

    def column(name: str) -> IntArray:
        return np.concatenate([getattr(part, name) for part in parts])

    return Drawn(
        image=column("image"),
        label=column("label"),
        error=column("error"),
        shapes=joined([part.shapes for part in parts]),
        annotation_id=np.concatenate([part.annotation_id for part in parts]),
        n_references=column("n_references"),
        reference=column("reference"),
    )
