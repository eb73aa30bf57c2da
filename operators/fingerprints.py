"""Whether labels are still those of a run, and if not, in which images."""

from itertools import pairwise

import numpy as np

from ..kalos_core.geometry.digest import digests


def fingerprints(annotations):
    """Return for each image a text that stands for all of its labels.

    It changes with the class, the rater, the shape or the id of a label, with a label
    that comes or goes, and with who is assigned; not with the other images.
    """
    raters, classes = (
        digests(name.encode() for name in names)
        for names in (annotations.raters, annotations.classes)
    )
    rows = np.rec.fromarrays(
        [
            annotations.annotation_id,
            raters[annotations.rater],
            classes[annotations.label],
            *annotations.geometry.content(),
        ]
    )
    ends = np.searchsorted(annotations.image, np.arange(annotations.n_images + 1))
    found = digests(
        raters[assigned].tobytes() + rows[start:stop].tobytes()
        for assigned, (start, stop) in zip(
            annotations.assigned, pairwise(ends.tolist()), strict=True
        )
    )
    return [f"{number:016x}" for number in found.tolist()]
