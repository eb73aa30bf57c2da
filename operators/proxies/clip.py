"""How alike classes look to CLIP: the paper's proxy for what people mix up."""

import numpy as np

from ...kalos_core import KalosError
from ...kalos_core.checks import at_least_one
from .clip_model import ClipModel, import_clip
from .crops import choose_crops
from .similarity import ClassSimilarity

MODEL, PRETRAINED = "ViT-B-32", "openai"
BATCH_SIZE = 32
MAX_CROPS = 100
"""Crops of a class; their average hardly changes with more."""


def class_similarity(
    view,
    label_field,
    *,
    model=MODEL,
    pretrained=PRETRAINED,
    batch_size=BATCH_SIZE,
    device=None,
    max_crops=MAX_CROPS,
    rng=None,
    tell=None,
):
    """Return the `ClassSimilarity` of the classes of a field.

    It is the cosine between the classes' average vectors of crops. A crop is the box
    of a label, or the box around it.

    Parameters
    ----------
    label_field : of Detections, Polylines or Keypoints.
    model, pretrained, device : as for `ClipModel`.
    batch_size : crops that the model looks at at once.
    max_crops : crops of each class, chosen at random where it has more.
    rng : makes that choice; by default the same one every time.
    tell : called with the part that is done, from 0 to 1, and what is being done.

    Raises
    ------
    KalosError
        If a library, the weights, an image, or crops of a class are missing.
    """
    at_least_one("batch_size", batch_size)
    at_least_one("max_crops", max_crops)
    tell = tell or (lambda done, label: None)
    import_clip()  # before any work
    rng = np.random.default_rng(0) if rng is None else rng
    crops = choose_crops(view, label_field, max_crops, rng)
    tell(0, f"Loading CLIP model {model}")
    total = _sum_by_class(crops, ClipModel(model, pretrained, device), batch_size, tell)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    if not (length > 0).all():
        raise KalosError(
            f"The crops of class {crops.classes[int(length.argmin())]!r} have no "
            "average direction. Choose another model."
        )
    similarity = (total / length) @ (total / length).T
    np.fill_diagonal(similarity, 1)
    count = np.bincount(crops.label, minlength=len(crops.classes))
    tell(1, f"Compared {len(crops.classes)} classes by {len(crops)} crops")
    return ClassSimilarity(
        crops.classes, similarity.clip(-1, 1), tuple(count.tolist()), "CLIP similarity"
    )


def _sum_by_class(crops, clip, batch_size, tell):
    """Return (C, D) sums of the vectors of each class's crops."""
    total, done = 0.0, 0
    for labels, pictures in _batches(crops.read(), batch_size):
        vectors = clip.embed(pictures)
        if not done:
            total = np.zeros((len(crops.classes), vectors.shape[1]))
        np.add.at(total, np.array(labels), vectors)
        done += len(labels)
        tell(done / len(crops), f"Looking at crops, {done} of {len(crops)}")
    return total


def _batches(items, size):
    """Yield the two columns of at most ``size`` items at a time."""
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield tuple(zip(*batch, strict=True))
            batch = []
    if batch:
        yield tuple(zip(*batch, strict=True))
