"""Annotations of a file into a data set: read, match, check, then write."""

from dataclasses import dataclass
from pathlib import Path

import fiftyone as fo

from ..kalos_core import KalosError
from ..kalos_core.registry import Registry
from . import (
    import_report,
    import_targets,
    label_writing,
    layouts,
    new_fields,
    runs,
    staging,
)
from .image_matching import match_images
from .import_sources import READERS, SHAPES, check_kind, check_path, read_source
from .label_documents import LabelDocuments
from .layouts import ASSIGNED_FIELD, RATER_ATTRIBUTE, FieldPerRater, OneField
from .progress import at_work
from .rater_fields import check_field_name, field_of_raters
from .schema import IMPORT

LABEL_FIELD = "ratings"
LAYOUTS = Registry("layout", one_field=OneField, field_per_rater=FieldPerRater)
ON_MISSING = Registry("on_missing", report=False, error=True)
ON_UNASSIGNED = Registry("on_unassigned", error=False, drop=True)
MOST_SHOWN = 5


@dataclass(frozen=True)
class Request:
    """What to import, and where to; plain values, as a form has them."""

    dataset: str
    path: str | list[str]
    format: str | None = None
    images_dir: str | None = None
    shapes: str | None = None
    layout: str = OneField.layout
    label_field: str = LABEL_FIELD
    rater_attribute: str = RATER_ATTRIBUTE
    assigned_field: str = ASSIGNED_FIELD
    on_missing: str = "report"
    on_unassigned: str = "error"


def check_request(request, look=True):
    """Raise for what can be told without reading the file.

    Parameters
    ----------
    look : also at the samples, for what they hold undeclared; not for a form.
    """
    check_path(request.path)
    check_kind(request.path, request.format)
    for table, name in (
        (LAYOUTS, request.layout),
        (ON_MISSING, request.on_missing),
        (ON_UNASSIGNED, request.on_unassigned),
        *([(READERS, request.format)] if request.format is not None else []),
    ):
        _ = table[name]
    if request.shapes not in (None, *SHAPES):
        choices = ", ".join(sorted(SHAPES))
        raise KalosError(f"unknown shapes {request.shapes!r}; choose from {choices}")
    import_targets.check_target(request.dataset, request.images_dir)
    if request.layout != OneField.layout:
        return  # fields are named after the raters, whom only the file knows
    check_field_name(request.label_field, "label field")
    check_field_name(request.rater_attribute, "rater attribute")
    check_field_name(request.assigned_field, "field of assigned raters")
    if request.label_field == request.assigned_field:
        raise KalosError(
            f"Labels and assigned raters cannot share the field '{request.label_field}'"
        )
    if fo.dataset_exists(request.dataset):
        names = (request.label_field, request.assigned_field)
        import_targets.check_fields(fo.load_dataset(request.dataset), names, look)


def run_import(request, tell=None, stoppable=None):
    """Import, and return the report.

    Nothing is visible before all of it is there: a new data set has its name only when
    it is complete, and whatever ends this earlier leaves no trace.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.
    stoppable : called with what has a method ``stop``.
    """
    _tidy(request.dataset)
    check_request(request)
    target = import_targets.target_of(request.dataset, request.images_dir)
    name = _names(request.path)
    with at_work(target.place, name, "import", tell, stoppable) as steps:
        steps.tell(0, f"Reading {_shown(request.path)}")
        source = read_source(
            request.path, request.format, request.shapes, request.on_unassigned
        )
        made = source.annotations
        steps.tell(0.3, f"Matching {made.n_images} images")
        matching = match_images(made.images, target.files, source.names_are_stems)
        _check_matching(request, made.images, matching)
        fields = _fields(request, made)
        target.check_fields(fields.names)
        labels = LabelDocuments(made, fields.rater_attribute)
        with target.samples(matching.file_of, steps) as ids:
            documents = label_writing.documents(ids, made, fields, labels)
            staging.stage(steps, documents, len(ids), 0.4)
            layout, raters = fields.layout_and_raters(made.raters)
            new_fields.ready(
                steps,
                fields.declared(labels),
                IMPORT,
                {"from": name},
                layout=layouts.to_params(layout),
                raters=list(raters),
            )
        steps.note(0.9, "Writing the labels")
        problem = target.finish(steps.record)
        if problem:
            raise KalosError(problem)
        report = _report(request, source, matching, target.files, fields)
        steps.note(1, import_report.summary(report))
    return report


def _tidy(name):
    """Finish what was killed, in this data set or of that name."""
    if isinstance(name, str) and fo.dataset_exists(name):
        runs.tidy(fo.load_dataset(name))
    else:
        runs.sweep()


def _fields(request, annotations):
    if request.layout == OneField.layout:
        return label_writing.OneFieldNames(
            request.label_field, request.rater_attribute, request.assigned_field
        )
    return label_writing.FieldPerRaterNames(field_of_raters(annotations.raters))


def _check_matching(request, images, matching):
    missing = _missing(images, matching)
    if missing and (ON_MISSING[request.on_missing] or len(missing) == len(images)):
        where = request.images_dir or f"the data set '{request.dataset}'"
        shown = ", ".join(f"'{name}'" for name in missing[:MOST_SHOWN])
        more = ", ..." if len(missing) > MOST_SHOWN else ""
        raise KalosError(
            f"{len(missing)} of {len(images)} images of {_shown(request.path)} are not "
            f"in {where}: {shown}{more}. Nothing was imported."
        )
    if not images:
        raise KalosError(f"{_shown(request.path)} names no image.")


def _missing(images, matching):
    pairs = zip(images, matching.file_of, strict=True)
    return [image for image, file in pairs if file is None]


def _report(request, source, matching, files, fields):
    made = source.annotations
    missing = _missing(made.images, matching)
    matched = [file is not None for file in matching.file_of]
    n_labels = sum(matched[image] for image in made.image.tolist())
    taken = set(matching.file_of)
    return {
        "dataset": request.dataset,
        "format": source.format,
        "shapes": source.shapes,
        "n_images": sum(matched),
        "n_labels": n_labels,
        "n_raters": made.n_raters,
        "n_classes": len(made.classes),
        "fields": list(fields.names),
        "field_of_rater": dict(fields.field_of_rater),
        "not_in_data_set": missing,
        "not_in_file": [f for n, f in enumerate(files) if n not in taken],
        "other_folder": list(matching.other_folder),
        "n_labels_dropped": len(made) - n_labels + source.n_dropped,
        "remarks": list(source.remarks),
    }


def _shown(path):
    return ", ".join(f"'{name}'" for name in _file_names(path))


def _names(path):
    return ", ".join(_file_names(path))


def _file_names(path):
    paths = path if isinstance(path, list | tuple) else [path]
    return [Path(one).name for one in paths[:MOST_SHOWN]]
