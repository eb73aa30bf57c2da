"""Labels of a view as flat columns, the form in which one query returns them."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..kalos_core import AnnotationError

FARTHEST = 2.0
"""Relative coordinates may leave the image, but not by more than this."""


@dataclass
class Labels:
    """The N labels of I samples, as they were read.

    ``attributes`` are further columns of N cells, ``of_samples`` of I cells, by name.
    ``n_dropped`` others were left out.
    """

    sample_ids: list
    sample: np.ndarray
    id: list
    rater: list
    name: list
    attributes: dict
    of_samples: dict
    n_dropped: int = 0

    def __len__(self):
        return len(self.id)

    def require(self, column, what):
        """Raise for the first label whose cell in ``column`` is not a name."""
        for n, cell in enumerate(column):
            if not is_name(cell):
                raise self.fault(n, f"must have a {what}, got {cell!r}")

    def require_near(self, bounds, what, describe):
        """Raise for the first label that lies far outside of its image."""
        far = is_far(bounds)
        if far.any():
            n = int(far.argmax())
            raise self.fault(
                n,
                f"must have {what} relative to the image, from 0 to 1, "
                f"got {describe(n)}, which looks like pixels",
            )

    def keep(self, wanted):
        """Return the labels for which ``wanted`` (N,) is True."""
        picked = np.flatnonzero(wanted)

        def pick(column):
            return [column[n] for n in picked]

        return Labels(
            self.sample_ids,
            self.sample[picked],
            *map(pick, (self.id, self.rater, self.name)),
            {name: pick(column) for name, column in self.attributes.items()},
            self.of_samples,
            self.n_dropped,
        )

    def fault(self, n, problem):
        """Return the error that label ``n`` is unusable, with its sample."""
        image, label = self.sample_ids[self.sample[n]], self.id[n]
        return AnnotationError(
            f"annotation {label!r} (image {image!r}) {problem}",
            image=image,
            annotation_id=label,
        )


def is_far(bounds):
    """Return (N,) which labels lie far outside of their image."""
    return np.abs(bounds).max(axis=1, initial=0) > FARTHEST


def is_name(cell):
    """Return whether a cell can name a rater or a class."""
    if isinstance(cell, str):
        return cell.strip() != ""
    return isinstance(cell, int) and not isinstance(cell, bool)


def flat(column):
    """Return the items of a column of lists; None stands for an empty list."""
    return list(chain.from_iterable(cell or () for cell in column))


def sample_of(column):
    """Return the number of the sample that each item of a column belongs to."""
    sizes = [len(cell or ()) for cell in column]
    return np.repeat(np.arange(len(sizes)), sizes)
