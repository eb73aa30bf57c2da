"""Operator: import the labels of several raters from a file or folder."""

import os
from dataclasses import asdict
from pathlib import Path

import fiftyone as fo
import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import import_form, import_report
from .importing import LABEL_FIELD, Request, check_request, exhaust, run_import
from .layouts import ASSIGNED_FIELD, RATER_ATTRIBUTE, OneField


class ImportAnnotations(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="import_annotations",
            label="KαLOS: import labels of several raters",
            description="From COCO or YOLO files into this data set or a new one",
            icon="file_upload",
            dynamic=True,
            execute_as_generator=True,
            allow_immediate_execution=True,
            allow_delegated_execution=True,
        )

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
            dataset=dataset.name if isinstance(dataset, fo.Dataset) else dataset,
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
            return exhaust(run_import(request))
        check_request(request)
        return _delegate(self.uri, request)

    def resolve_input(self, ctx):
        inputs = import_form.describe(ctx)
        view = types.View(label="Import labels of several raters")
        return types.Property(inputs, view=view)

    def execute(self, ctx):
        steps = run_import(import_form.request_of(ctx))
        if not ctx.delegated:
            return _in_app(ctx, steps)
        report = exhaust(steps, ctx.set_progress)
        ctx.set_progress(1, label=import_report.summary(report))
        return report

    def resolve_output(self, ctx):
        report = ctx.results or {}  # the App shows it as it goes; see _in_app
        return import_report.describe(report) if "fields" in report else None


def _in_app(ctx, steps):
    """Yield what the App is to do: show progress, then the report."""
    try:
        report = yield from _progress(ctx, steps)
    except KalosError as error:
        # The App hides the message of an exception behind a traceback.
        yield _show(ctx, import_report.describe_error(error))
        return
    yield _show(ctx, import_report.describe(report))
    if ctx.dataset is not None and ctx.dataset.name == report["dataset"]:
        yield ctx.ops.reload_dataset()
    else:
        yield ctx.ops.open_dataset(report["dataset"])


def _progress(ctx, steps):
    while True:
        try:
            progress, label = next(steps)
        except StopIteration as end:
            return end.value
        yield ctx.ops.set_progress(progress=progress, label=label)


def _show(ctx, outputs):
    return ctx.ops.show_output(outputs.to_json(), {})


def _delegate(uri, request):
    params = {
        **asdict(request),
        "path": _absolute(request.path),
        "images_dir": request.images_dir and _absolute(request.images_dir),
        "target": import_form.NEW,
        "name": request.dataset,
    }
    context = {}
    if fo.dataset_exists(request.dataset):
        context["dataset"] = fo.load_dataset(request.dataset)
        params["target"] = import_form.CURRENT
    del params["dataset"]
    return foo.execute_operator(uri, context, params=params, request_delegation=True)


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
