"""What OWL-ViT takes for objects, by FiftyOne's zoo and the optional transformers."""

import numpy as np

from ...kalos_core import KalosError
from ...kalos_core.checks import at_least_one
from ..views import check_media
from .images import read_image
from .proposals import FoundBoxes

ZOO_MODEL = "zero-shot-detection-transformer-torch"
CHECKPOINT = "google/owlvit-base-patch32"
CONFIDENCE = 0.05
"""Low on purpose: ghosts are what a detector is unsure of."""

MOST = 50
"""Boxes of an image, the surest ones."""

BATCH_SIZE = 4
INSTALL = "pip install torch torchvision transformers"


def owl_proposals(
    view,
    classes,
    *,
    name_or_path=CHECKPOINT,
    confidence=CONFIDENCE,
    most=MOST,
    batch_size=BATCH_SIZE,
    tell=None,
):
    """Return the `FoundBoxes` of OWL-ViT in the images of a view.

    Nothing is written to the data set.

    Parameters
    ----------
    classes : what to look for, by name.
    name_or_path : a checkpoint of the Hugging Face hub, or a folder that holds one.
    confidence : boxes below it are left out.
    most : boxes of an image, the surest first.
    batch_size : images that the model looks at at once.
    tell : called with the part that is done, from 0 to 1, and what is being done.

    Raises
    ------
    KalosError
        If a library, the weights or an image are missing.
    """
    at_least_one("most", most)
    at_least_one("batch_size", batch_size)
    check_media(view)
    classes = list(classes)
    if not classes:
        raise KalosError("OWL-ViT must be told what to look for, got no classes")
    tell = tell or (lambda done, label: None)
    tell(0, f"Loading OWL-ViT {name_or_path}")
    model = _load(name_or_path, classes, confidence)
    ids, files = view.values(["id", "filepath"])
    sample_id, bounds = [], []
    with model:
        for start in range(0, len(ids), batch_size):
            part = slice(start, start + batch_size)
            pictures = [
                np.asarray(read_image(file, one))
                for file, one in zip(files[part], ids[part], strict=True)
            ]
            for one, found in zip(ids[part], model.predict_all(pictures), strict=True):
                boxes = _surest(found, confidence, most)
                sample_id += [one] * len(boxes)
                bounds += boxes
            done = start + len(pictures)
            tell(done / len(ids), f"Looking for objects, {done} of {len(ids)} images")
    return FoundBoxes(tuple(sample_id), np.reshape(bounds, (-1, 4)), "OWL-ViT")


def _surest(found, confidence, most):
    """Return corners of the surest boxes of one image."""
    sure = [box for box in found.detections if (box.confidence or 0) >= confidence]
    sure.sort(key=lambda box: -box.confidence)
    return [
        (x, y, x + w, y + h) for x, y, w, h in (box.bounding_box for box in sure[:most])
    ]


def _load(name_or_path, classes, confidence):
    try:
        import torch  # noqa: F401
        import torchvision  # noqa: F401
        import transformers  # noqa: F401
    except ModuleNotFoundError as error:
        raise KalosError(
            f"OWL-ViT needs the library {error.name}, which is not installed. Install "
            f"it, {INSTALL}, or bring proposals of your own."
        ) from error
    import fiftyone.zoo as foz

    try:
        return foz.load_zoo_model(
            ZOO_MODEL,
            name_or_path=str(name_or_path),
            classes=classes,
            confidence_thresh=confidence,
        )
    except Exception as error:  # of the network, the files or torch
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise KalosError(
            f"OWL-ViT cannot be loaded from {str(name_or_path)!r}: {first} Weights are "
            "downloaded when first used. Without a network, download them elsewhere "
            "(save_pretrained) and name the folder: name_or_path='/path/to/folder'"
        ) from error
