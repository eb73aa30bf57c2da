"""Boxes that some detector found, as proposals of false positives."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import KDTree

from ...kalos_core import Boxes, KalosError, read_coco_per_rater
from ...kalos_core.noise import Proposals
from ..image_matching import match_images
from .labels import read_labels

SMALLEST = 1e-9
"""Side of a box that is a point."""


@dataclass(frozen=True, eq=False)
class FoundBoxes:
    """P boxes in samples of a data set.

    Parameters
    ----------
    sample_id : (P,) the sample of each.
    bounds : (P, 4) left, top, right and bottom, relative to the image.
    source : where they are from, "field 'yolo'" say, for errors to begin with.
    """

    sample_id: tuple
    bounds: np.ndarray
    source: str

    def __len__(self):
        return len(self.sample_id)

    def proposals(self, reference):
        """Return them as `Proposals` for the reference, cut to the image.

        Each takes the shape of the annotation whose width and height are most alike,
        anywhere in the reference. What lies outside of its image, or in samples that
        the reference has not, is left out.

        Raises
        ------
        KalosError
            If nothing remains, or the reference has no shape to give.
        """
        place = {name: n for n, name in enumerate(reference.images)}
        image = np.array([place.get(one, -1) for one in self.sample_id], np.int64)
        bounds = np.asarray(self.bounds, np.float64).reshape(-1, 4).clip(0, 1)
        side = bounds[:, 2:] - bounds[:, :2]
        kept = (image >= 0) & (side > SMALLEST).all(axis=1)
        if not kept.any():
            raise KalosError(
                f"{self.source}: must have boxes in the images of the reference, got "
                f"{len(self)} boxes, {int((image >= 0).sum())} of them in its "
                f"{reference.n_images} images"
            )
        low, side = bounds[kept, :2], side[kept]
        boxes = Boxes(np.hstack([low, side]))
        return Proposals(image[kept], boxes, _most_alike(reference, side))


def _most_alike(reference, side):
    """Return the annotation nearest in the logarithms of width and height.

    Equal distance there is an equal difference in size and aspect ratio together. Of
    annotations of one size the first is taken.
    """
    bounds = reference.geometry.bounds()
    there = np.flatnonzero(np.isfinite(bounds).all(axis=1))
    if not len(there):
        raise KalosError(
            "The reference has no annotation whose shape a proposal could take."
        )
    own = bounds[there, 2:] - bounds[there, :2]
    known, first = np.unique(_logarithm(own), axis=0, return_index=True)
    _, nearest = KDTree(known).query(_logarithm(side))
    return there[first[nearest]]


def _logarithm(side):
    return np.log(side.clip(SMALLEST, None))


def boxes_of_field(view, label_field):
    """Return the boxes of all labels of a field: what a detector predicted, say.

    To leave out uncertain ones, filter the view.
    """
    labels = read_labels(view, label_field)
    bounds = labels.geometry.bounds()
    there = np.flatnonzero(np.isfinite(bounds).all(axis=1))
    ids = tuple(labels.images[n] for n in labels.image[there])
    return FoundBoxes(ids, bounds[there], f"field '{label_field}'")


def boxes_of_coco(view, path):
    """Return the boxes of a COCO file, in the samples whose files it names.

    It has ``images`` (``id``, ``file_name``, ``width``, ``height``) and
    ``annotations`` (``image_id``, ``category_id``, ``bbox`` in pixels). Classes do not
    matter.

    Raises
    ------
    KalosError
        If the file cannot be read, or names none of the view's images.
    """
    found = read_coco_per_rater([path])
    ids, files = view.values(["id", "filepath"])
    file_of = match_images(found.images, files).file_of
    if found.images and all(file is None for file in file_of):
        raise KalosError(
            f"file '{path}': none of its {found.n_images} images is in this view, "
            f"neither {found.images[0]!r} nor another one"
        )
    picked = [n for n, i in enumerate(found.image.tolist()) if file_of[i] is not None]
    sample_id = tuple(ids[file_of[i]] for i in found.image[picked].tolist())
    return FoundBoxes(sample_id, found.geometry.bounds()[picked], f"file '{path}'")
