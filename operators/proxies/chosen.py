"""How alike classes are, as a user chooses: to CLIP, or as a file says."""

from . import clip
from .similarity import read_similarity

CLIP = "@clip"
"""In place of a file: as classes look alike to CLIP."""

CLIP_MODEL, CLIP_WEIGHTS = clip.MODEL, clip.PRETRAINED


def similarity_of(
    view,
    label_field,
    given,
    *,
    clip_model=CLIP_MODEL,
    clip_weights=CLIP_WEIGHTS,
    tell=None,
):
    """Return the `ClassSimilarity` that ``given`` stands for, ``CLIP`` or a file.

    Parameters
    ----------
    label_field : whose labels CLIP looks at.
    tell : called with the part that is done, from 0 to 1, and what is being done.
    """
    if given != CLIP:
        return read_similarity(given)
    return clip.class_similarity(
        view, label_field, model=clip_model, pretrained=clip_weights, tell=tell
    )
