"""FiftyOne labels to Annotations, whatever the layout and the shapes."""

from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from ..kalos_core import AnnotationError, Annotations, KalosError
from .columns import Labels, flat, is_name, sample_of
from .layouts import EVERY_RATER, WHO_DREW, OneField
from .measures import choose_shapes
from .schema import labels_path
from .shapes import READINGS


def read_annotations(view, layout, shapes=None):
    """Return the `Annotations` of a view; see ``read_and_count``."""
    return read_and_count(view, layout, shapes)[0]


def read_and_count(view, layout, shapes=None):
    """Return the `Annotations` of a view, and how many labels were left out.

    Images are named by sample id. Labels by raters who are not assigned are left out
    if the layout says so.

    All columns come from one ``values()`` call, which is many times faster than
    iterating over samples.

    Parameters
    ----------
    shapes : what to read the labels as: "boxes" or "masks" of Detections, "polygons"
        of Polylines, "keypoints". None reads masks where there are some.

    Raises
    ------
    KalosError
        If a label is unusable; sample and label are named.
    """
    reading = READINGS[choose_shapes(view, layout, shapes)]
    read = _read_one_field if isinstance(layout, OneField) else _read_field_per_rater
    with naming_files(view):
        labels, raters, assigned = read(view, layout, reading)
        return _annotations(labels, raters, assigned, reading), labels.n_dropped


@contextmanager
def naming_files(view):
    """Add the name of the file to errors that name the id of a sample."""
    try:
        yield
    except AnnotationError as error:
        if error.image is None:
            raise
        # Not the sample itself, which may be too broken to be loaded.
        file = Path(view.select(error.image).values("filepath")[0]).name
        raise AnnotationError(
            f"{error}. The file is {file}; "
            f"find the label with dataset.select_labels(ids={error.annotation_id!r})",
            image=error.image,
            annotation_id=error.annotation_id,
        ) from None


def _columns(view, paths):
    """Return the column of each path, by one query."""
    return dict(zip(paths, view.values(paths), strict=True))


def _read_one_field(view, layout, reading):
    root, assigned_field = labels_path(view, layout.label_field), layout.assigned
    attributes = ("id", layout.rater_attribute, "label", *reading.attributes)
    paths = ["id", *reading.of_samples, *(f"{root}.{name}" for name in attributes)]
    if assigned_field not in (EVERY_RATER, WHO_DREW):
        paths.append(assigned_field)
    columns = _columns(view, paths)
    sample_ids, ids = columns["id"], columns[f"{root}.id"]
    raters, listed = columns[f"{root}.{layout.rater_attribute}"], []
    labels = Labels(
        sample_ids,
        sample_of(ids),
        *map(flat, (ids, raters, columns[f"{root}.label"])),
        {name: flat(columns[f"{root}.{name}"]) for name in reading.attributes},
        {name: columns[name] for name in reading.of_samples},
    )
    labels.require(labels.rater, f"rater in attribute '{layout.rater_attribute}'")
    if assigned_field in columns:
        listed = columns[assigned_field]
        _require_names(sample_ids, listed, assigned_field)
    who = sorted({str(name) for name in chain(labels.rater, flat(listed))})
    assigned = np.full((len(sample_ids), len(who)), assigned_field == EVERY_RATER)
    if assigned_field != EVERY_RATER:
        column = raters if assigned_field == WHO_DREW else listed
        assigned[sample_of(column), _codes(flat(column), who)] = True
    if layout.raters is not None:
        raters = [str(name) for name in layout.raters]
        labels, who, assigned = _only(labels, who, assigned, raters)
    if layout.on_unassigned == "drop":
        return _only_assigned(labels, who, assigned)
    _require_assigned(labels, who, assigned, layout)
    return labels, who, assigned


def _only_assigned(labels, who, assigned):
    """Leave out, and count, labels by raters who are not assigned to the sample."""
    asked = assigned[labels.sample, _codes(labels.rater, who)]
    kept = replace(labels.keep(asked), n_dropped=int((~asked).sum()))
    ever = assigned.any(axis=0)
    return kept, [who[n] for n in np.flatnonzero(ever)], assigned[:, ever]


def _require_assigned(labels, who, assigned, layout):
    """Raise for the first label by a rater who is not assigned to the sample."""
    asked = assigned[labels.sample, _codes(labels.rater, who)]
    if not asked.all():
        n = int(asked.argmin())
        listed = [who[r] for r in np.flatnonzero(assigned[labels.sample[n]])]
        raise labels.fault(
            n,
            f"is by rater {str(labels.rater[n])!r}, who is not assigned to that image; "
            f"assigned are {listed}. Add who is missing to the list field "
            f"'{layout.assigned}', {layout.remedies}",
        )


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


def _read_field_per_rater(view, layout, reading):
    who, attributes = layout.label_fields, ("id", "label", *reading.attributes)
    roots = [labels_path(view, field) for field in who]
    paths = [f"{root}.{name}" for root in roots for name in attributes]
    columns = _columns(view, ["id", *reading.of_samples, *paths])
    ids = [columns[f"{root}.id"] for root in roots]
    sample = [sample_of(column) for column in ids]

    def joined(name):
        return list(chain.from_iterable(flat(columns[f"{r}.{name}"]) for r in roots))

    labels = Labels(
        columns["id"],
        np.concatenate(sample),
        joined("id"),
        [name for name, part in zip(who, sample, strict=True) for _ in part],
        joined("label"),
        {name: joined(name) for name in reading.attributes},
        {name: columns[name] for name in reading.of_samples},
    )
    assigned = [[cell is not None for cell in column] for column in ids]
    return labels, who, np.array(assigned, dtype=bool).T


def _annotations(labels, raters, assigned, reading):
    labels.require(labels.name, "class ('label')")
    if len(set(labels.sample_ids)) < len(labels.sample_ids):
        raise KalosError("This view shows a sample more than once; show each once.")
    classes = sorted(set(labels.name))
    return Annotations(
        image=labels.sample,
        rater=_codes(labels.rater, raters),
        label=_codes(labels.name, classes),
        geometry=reading.shapes(labels),
        annotation_id=labels.id,
        assigned=assigned,
        images=labels.sample_ids,
        raters=raters,
        classes=classes,
    )


def _require_names(sample_ids, column, field):
    """Raise for the first sample whose list of raters holds something else."""
    for sample, name in zip(sample_of(column), flat(column), strict=True):
        if not is_name(name):
            raise AnnotationError(
                f"image {sample_ids[sample]!r} lists {name!r} in {field!r}, "
                "where the names of raters are expected"
            )


def _codes(names, known):
    """Return the place of each name among the known ones."""
    place = {name: number for number, name in enumerate(known)}
    return np.array([place[str(name)] for name in names], dtype=np.int64)
