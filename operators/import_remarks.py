"""What a person should know of a file that can be imported."""

import numpy as np

from ..kalos_core import Boxes
from .columns import is_far


def remarks(entries, annotations, shapes):
    """Yield sentences.

    Parameters
    ----------
    entries : the annotations of COCO files as they are there.
    shapes : what they were read as.
    """
    masks = sum(isinstance(entry.get("segmentation"), dict) for entry in entries)
    if masks:
        yield f"Masks (RLE) are not imported, the {shapes} of these labels are: {masks}"
    far = np.flatnonzero(is_far(_reach(annotations.geometry)))
    if len(far):
        first = annotations.images[annotations.image[far[0]]]
        yield (
            "Labels far outside of their image, which an audit refuses: "
            f"{len(far)}, the first in {first!r}"
        )


def _reach(geometry):
    return geometry.xywh if isinstance(geometry, Boxes) else geometry.bounds()
