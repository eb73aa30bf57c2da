"""What can go wrong, in one tree.

KalosError(ValueError)
├── AnnotationError   an annotation, or the collection that holds it, is unusable
├── CalibrationError  no distance or threshold can be derived from the data
├── FitError          a law cannot be fitted to so few differences, or to such
└── SolverError       a solver returned something that is not a partition

KalosWarning(UserWarning)  something was left out, as the caller asked
"""

from __future__ import annotations


class KalosError(ValueError):
    """Base of every error that KαLOS raises on purpose."""


class AnnotationError(KalosError):
    """An annotation that cannot be used, or a collection that cannot be read.

    ``image`` and ``annotation_id`` name the culprit where there is one, so that a
    caller who knows more about it can add that. ``source`` is where it was read from,
    "file 'x.json'" say, and opens the message.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str = "",
        image: str | None = None,
        annotation_id: str | None = None,
    ) -> None:
        super().__init__(f"{source}: {message}" if source else message)
        self.source = source
        self.image = image
        self.annotation_id = annotation_id


class CalibrationError(KalosError):
    """The data do not say which distance or threshold to use."""


class FitError(KalosError):
    """A law cannot be fitted; the message says what it needs and what there is."""


class SolverError(KalosError):
    """A solver's units are not a partition with one annotation per rater."""


class KalosWarning(UserWarning):
    """Something was left out, as the caller asked: what, how many and whose."""
