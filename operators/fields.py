"""FiftyOne labels to Annotations; the only file that knows how labels are stored."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from ..kalos_core import AnnotationError, Annotations, Boxes, KalosError
from .layouts import EVERY_RATER, WHO_DREW, OneField

FARTHEST = 2.0
"""Relative boxes may leave the image, but not by more than this."""


@dataclass
class _Labels:
    """Flat columns of the N labels of I samples, as they were read."""

    sample_ids: list
    sample: np.ndarray
    id: list
    rater: list
    name: list
    box: list

    def require(self, column, what):
        """Raise for the first label whose cell in ``column`` is not a name."""
        for n, cell in enumerate(column):
            if not _is_name(cell):
                raise self.fault(n, f"must have a {what}, got {cell!r}")

    def keep(self, wanted):
        """Return the labels for which ``wanted`` (N,) is True."""
        picked = np.flatnonzero(wanted)
        columns = (self.id, self.rater, self.name, self.box)
        return _Labels(
            self.sample_ids,
            self.sample[picked],
            *([column[n] for n in picked] for column in columns),
        )

    def fault(self, n, problem):
        image, label = self.sample_ids[self.sample[n]], self.id[n]
        return AnnotationError(
            f"annotation {label!r} (image {image!r}) {problem}",
            image=image,
            annotation_id=label,
        )


def read_annotations(view, layout):
    """Return the `Annotations` of a view; images are named by sample id.

    All columns come from one ``values()`` call, which is many times faster than
    iterating over samples.

    Raises
    ------
    KalosError
        If a label is unusable; sample and label are named.
    """
    read = _read_one_field if isinstance(layout, OneField) else _read_field_per_rater
    try:
        return _annotations(*read(view, layout))
    except AnnotationError as error:
        if error.image is None:
            raise
        file = Path(view._root_dataset[error.image].filepath).name
        raise AnnotationError(
            f"{error}. The file is {file}; "
            f"find the label with dataset.select_labels(ids={error.annotation_id!r})",
            image=error.image,
            annotation_id=error.annotation_id,
        ) from None


def _read_one_field(view, layout):
    root, assigned_field = f"{layout.label_field}.detections", layout.assigned
    attributes = ("id", layout.rater_attribute, "label", "bounding_box")
    paths = ["id", *(f"{root}.{attribute}" for attribute in attributes)]
    if assigned_field not in (EVERY_RATER, WHO_DREW):
        paths.append(assigned_field)
    sample_ids, ids, raters, names, boxes, *listed = view.values(paths)
    labels = _Labels(
        sample_ids, _sample_of(ids), *map(_flat, (ids, raters, names, boxes))
    )
    labels.require(labels.rater, f"rater in attribute '{layout.rater_attribute}'")
    for column in listed:
        _require_names(sample_ids, column, assigned_field)
    who = sorted({str(name) for name in chain(labels.rater, *map(_flat, listed))})
    assigned = np.full((len(sample_ids), len(who)), assigned_field == EVERY_RATER)
    if assigned_field != EVERY_RATER:
        column = raters if assigned_field == WHO_DREW else listed[0]
        assigned[_sample_of(column), _codes(_flat(column), who)] = True
    if layout.raters is None:
        return labels, who, assigned
    return _only(labels, who, assigned, [str(name) for name in layout.raters])


def _only(labels, who, assigned, raters):
    """Leave out all raters but those named."""
    unknown = sorted(set(raters) - set(who))
    if unknown or len(set(raters)) < 2:
        raise KalosError(
            f"raters must name at least two of {', '.join(who)}; "
            f"got {', '.join(map(str, raters)) or 'none'}"
        )
    kept = [name for name in who if name in raters]
    labels = labels.keep([str(name) in raters for name in labels.rater])
    return labels, kept, assigned[:, [who.index(name) for name in kept]]


def _read_field_per_rater(view, layout):
    attributes = ("id", "label", "bounding_box")
    who, width = layout.label_fields, len(attributes)
    paths = [f"{field}.detections.{a}" for field in who for a in attributes]
    sample_ids, *columns = view.values(["id", *paths])
    ids, names, boxes = (columns[n::width] for n in range(width))
    sample = [_sample_of(column) for column in ids]
    labels = _Labels(
        sample_ids,
        np.concatenate(sample),
        list(chain.from_iterable(map(_flat, ids))),
        [name for name, part in zip(who, sample, strict=True) for _ in part],
        list(chain.from_iterable(map(_flat, names))),
        list(chain.from_iterable(map(_flat, boxes))),
    )
    assigned = [[cell is not None for cell in column] for column in ids]
    return labels, who, np.array(assigned, dtype=bool).T


def _annotations(labels, raters, assigned):
    labels.require(labels.name, "class ('label')")
    if len(set(labels.sample_ids)) < len(labels.sample_ids):
        raise KalosError("This view shows a sample more than once; show each once.")
    classes = sorted(set(labels.name))
    return Annotations(
        image=labels.sample,
        rater=_codes(labels.rater, raters),
        label=_codes(labels.name, classes),
        geometry=_boxes(labels),
        annotation_id=labels.id,
        assigned=assigned,
        images=labels.sample_ids,
        raters=raters,
        classes=classes,
    )


def _require_names(sample_ids, column, field):
    """Raise for the first sample whose list of raters holds something else."""
    for sample, name in zip(_sample_of(column), _flat(column), strict=True):
        if not _is_name(name):
            raise AnnotationError(
                f"image {sample_ids[sample]!r} lists {name!r} in {field!r}, "
                "where the names of raters are expected"
            )


def _boxes(labels):
    try:
        boxes = Boxes(labels.box)
    except (TypeError, ValueError):
        for n, box in enumerate(labels.box):
            if np.shape(box) != (4,):
                problem = f"must have a box [x, y, w, h], got {box}"
                raise labels.fault(n, problem) from None
        raise
    far = np.abs(boxes.xywh).max(axis=1, initial=0) > FARTHEST
    if far.any():
        n = int(far.argmax())
        raise labels.fault(
            n,
            "must have a box relative to the image, from 0 to 1, "
            f"got {boxes.describe(n)}, which looks like pixels",
        )
    return boxes


def _is_name(cell):
    if isinstance(cell, str):
        return cell.strip() != ""
    return isinstance(cell, int) and not isinstance(cell, bool)


def _flat(column):
    """Return the items of a column of lists; None stands for an empty list."""
    return list(chain.from_iterable(cell or () for cell in column))


def _sample_of(column):
    """Return the number of the sample that each item of a column belongs to."""
    sizes = [len(cell or ()) for cell in column]
    return np.repeat(np.arange(len(sizes)), sizes)


def _codes(names, known):
    """Return the place of each name among the known ones."""
    place = {name: number for number, name in enumerate(known)}
    return np.array([place[str(name)] for name in names], dtype=np.int64)
