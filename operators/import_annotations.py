"""Operator: import the labels of several raters from a file or folder."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar

import fiftyone as fo
import fiftyone.operators.types as types
from fiftyone.core.collections import SampleCollection

from . import import_form, import_report
from .importing import LABEL_FIELD, Request, check_request, run_import
from .layouts import ASSIGNED_FIELD, RATER_ATTRIBUTE, OneField
from .long_operator import LongOperator
from .parameters import checked, data_set


def _name(name, value):
    """Return the name of a data set; what is no data set is left as it is."""
    is_there = isinstance(value, SampleCollection)
    return data_set(name, value).name if is_there else value


class ImportAnnotations(LongOperator):
    about: ClassVar = {
        "name": "import_annotations",
        "label": "KαLOS: import labels of several raters",
        "description": "From COCO or YOLO files into this data set or a new one",
        "icon": "file_upload",
    }

    @checked({"dataset": _name})
    def __call__(
        self,
        dataset,
        path,
        format=None,
        images_dir=None,
        shapes=None,
        layout=OneField.layout,
        label_field=LABEL_FIELD,
        rater_attribute=RATER_ATTRIBUTE,
        assigned_field=ASSIGNED_FIELD,
        on_missing="report",
        on_unassigned="error",
        delegate=False,
    ):
        """Import labels and return a report of what was and what was not matched.

        Images of the file are matched to samples by file name; where several share
        one, by the folders in the file's name. Existing fields are never overwritten.

        Parameters
        ----------
        dataset : a data set or its name. One that does not exist is made from
            ``images_dir``.
        path : a COCO file with ``rater_list`` and ``rater_id``; a folder, or a list, of
            COCO files, one per rater; or a folder with a folder of YOLO files per
            rater.
        format : "coco", "coco_per_rater" or "yolo"; None finds out.
        images_dir : for a new data set, the folder that the images are in.
        shapes : "boxes", "polygons" or "keypoints"; None takes keypoints, else
            polygons, if every annotation has them, else boxes.
        layout : "one_field", or "field_per_rater" with fields named after the raters.
        label_field, rater_attribute, assigned_field : in one field, where the labels
            go, the attribute that names their rater, and the list of who was assigned.
        on_missing : "report" leaves out images that the data set lacks, "error"
            refuses them.
        on_unassigned : "error" refuses labels by raters who were not assigned to the
            image, "drop" leaves them out.
        delegate : queue it for ``fiftyone delegated launch`` instead.
        """
        request = Request(
            dataset=dataset,
            path=_plain(path),
            format=format,
            images_dir=_plain(images_dir),
            shapes=shapes,
            layout=layout,
            label_field=label_field,
            rater_attribute=rater_attribute,
            assigned_field=assigned_field,
            on_missing=on_missing,
            on_unassigned=on_unassigned,
        )
        if not delegate:
            return run_import(request)
        check_request(request)
        return self.delegated(*_queued(request))

    def resolve_input(self, ctx):
        inputs = import_form.describe(ctx)
        view = types.View(label="Import labels of several raters")
        return types.Property(inputs, view=view)

    def run(self, ctx, tell, stoppable=None):
        return run_import(import_form.request_of(ctx), tell, stoppable)

    def show(self, ctx, report):
        yield ctx.ops.set_progress(progress=1, label=import_report.summary(report))
        yield ctx.ops.show_output(import_report.describe(report).to_json(), {})
        if ctx.dataset is not None and ctx.dataset.name == report["dataset"]:
            yield ctx.ops.reload_dataset()
        else:
            yield ctx.ops.open_dataset(report["dataset"])

    def resolve_output(self, ctx):
        report = ctx.results or {}  # the App shows it as it goes
        return import_report.describe(report) if "fields" in report else None


def _queued(request):
    """Return the target and the parameters with which a request can be queued."""
    params = {
        **asdict(request),
        "path": _absolute(request.path),
        "images_dir": request.images_dir and _absolute(request.images_dir),
        "target": import_form.NEW,
        "name": request.dataset,
    }
    del params["dataset"]
    if not fo.dataset_exists(request.dataset):
        return {}, params
    target = {"dataset": fo.load_dataset(request.dataset)}
    return target, {**params, "target": import_form.CURRENT}


def _plain(path):
    """Return paths as text, which forms and queues can hold."""
    if isinstance(path, list | tuple):
        return [_plain(one) for one in path]
    return str(path) if isinstance(path, Path) else path


def _absolute(path):
    """Return paths that are the same wherever the queue is worked off."""
    if isinstance(path, list):
        return [_absolute(one) for one in path]
    return os.path.abspath(path)
