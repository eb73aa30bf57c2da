"""What labels show: parts of images, a few of each class."""

from dataclasses import dataclass

import numpy as np

from ...kalos_core import KalosError
from .images import read_image
from .labels import read_labels

MOST_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Crops:
    """Where n crops are cut from; those of one image follow each other.

    Parameters
    ----------
    classes : C names.
    label : (n,) the class of each.
    sample : (n,) the sample of each, ascending.
    bounds : (n, 4) left, top, right and bottom, relative to the image.
    sample_ids, files : of all samples.
    """

    classes: tuple
    label: np.ndarray
    sample: np.ndarray
    bounds: np.ndarray
    sample_ids: tuple
    files: tuple

    def __len__(self):
        return len(self.label)

    def read(self):
        """Yield (class, picture) of each crop; every image is read once."""
        image, open_sample = None, None
        for sample, label, bounds in zip(
            self.sample.tolist(), self.label.tolist(), self.bounds, strict=True
        ):
            if sample != open_sample:
                image = read_image(self.files[sample], self.sample_ids[sample])
                open_sample = sample
            crop = _cut(image, bounds)
            if crop is None:
                raise KalosError(
                    f"A label of class {self.classes[label]!r} in sample "
                    f"'{self.sample_ids[sample]}' lies outside of its image: from "
                    f"{bounds[:2].tolist()} to {bounds[2:].tolist()}, relative to it"
                )
            yield label, crop


def choose_crops(view, label_field, max_crops, rng):
    """Return crops of at most ``max_crops`` random labels of each class.

    Raises
    ------
    KalosError
        If there are no labels, or none of a class covers anything of an image.
    """
    labels = read_labels(view, label_field)
    bounds = labels.geometry.bounds()
    # Labels without any joint have nowhere to cut.
    there = np.flatnonzero(np.isfinite(bounds).all(axis=1))
    # By content: the ids of labels change when a data set is imported again.
    order = there[np.lexsort((*bounds[there].T[::-1], labels.image[there]))]
    chosen = [
        rng.permutation(order[labels.label[order] == label])[:max_crops]
        for label in range(len(labels.classes))
    ]
    _check_all(labels.classes, chosen, label_field)
    picked = np.concatenate(chosen)
    picked = picked[np.lexsort((picked, labels.image[picked]))]
    return Crops(
        labels.classes,
        labels.label[picked],
        labels.image[picked],
        bounds[picked],
        labels.images,
        tuple(view.values("filepath")),
    )


def _check_all(classes, chosen, label_field):
    if not classes:
        raise KalosError(
            f"Field '{label_field}' has no labels in this view, so that there is "
            "nothing to look at. Choose another field or view."
        )
    bare = [name for name, own in zip(classes, chosen, strict=True) if not len(own)]
    if bare:
        shown = ", ".join(map(repr, bare[:MOST_SHOWN]))
        raise KalosError(
            f"No label of class {shown}{', ...' if len(bare) > MOST_SHOWN else ''} in "
            f"field '{label_field}' covers anything of an image. Delete these labels, "
            "or leave them out of the view."
        )


def _cut(image, bounds):
    """Return all pixels that a box touches, one at least; None outside of the image."""
    size = np.array(image.size)
    low = np.floor(bounds[:2] * size)
    high = np.maximum(np.ceil(bounds[2:] * size), low + 1)
    low, high = low.clip(0, size), high.clip(0, size)
    if (high <= low).any():
        return None
    return image.crop((*low.astype(int), *high.astype(int)))
