"""Annotations in images of another making, for matching them again."""

from __future__ import annotations

from .annotations import Annotations
from .arrays import BoolArray, IntArray, StrArray
from .geometry import Shapes


class Copies(Annotations):
    """Copies of annotations, some several times, in images that are problems.

    Most solvers never look at shapes and names, which are therefore copied only when
    asked for. What was checked once is not checked again.

    Parameters
    ----------
    of : what is copied.
    index : (M,) which annotations.
    image, rater : (M,) the new ones of each; by them and its id they are in order.
    assigned : (J, S) who is assigned to each new image.
    """

    __slots__ = ("_index", "_of")
    _index: IntArray
    _of: Annotations

    def __init__(
        self,
        of: Annotations,
        index: IntArray,
        image: IntArray,
        rater: IntArray,
        assigned: BoolArray,
    ) -> None:
        n_rows = assigned.shape[1]
        same = n_rows == of.n_raters
        for name, value in {
            "_of": of,
            "_index": index,
            "image": image,
            "rater": rater,
            "label": of.label[index],
            "assigned": assigned,
            "raters": of.raters if same else tuple(map(str, range(n_rows))),
            "classes": of.classes,
            "identity": of.identity,
            "asked": of.asked,
            "source": of.source,
        }.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self._index)

    def between(self, start: int, stop: int) -> Annotations:
        """Return copies ``start`` to ``stop`` of the same images and raters."""
        some = slice(start, stop)
        return Copies(
            self._of,
            self._index[some],
            self.image[some],
            self.rater[some],
            self.assigned,
        )

    @property
    def geometry(self) -> Shapes:
        """M shapes."""
        return self._of.geometry.take(self._index)

    @property
    def annotation_id(self) -> StrArray:
        """(M,) names, several copies of one annotation having the same."""
        return self._of.annotation_id[self._index]

    @property
    def images(self) -> tuple[str, ...]:
        """Numbers as names."""
        return tuple(map(str, range(self.n_images)))

    @property
    def n_images(self) -> int:
        """Number of new images."""
        return len(self.assigned)
