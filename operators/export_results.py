"""Operator: write all of a run to files."""

import os
from pathlib import Path
from typing import ClassVar

from ..kalos_core import KalosError
from . import runs
from .export_files import check_folder
from .exporting import FILES, default_folder, export
from .long_operator import LongOperator
from .parameters import checked, data_set, flag, path, run_key
from .problems import refuse
from .run_form import choose_run


class ExportResults(LongOperator):
    about: ClassVar = {
        "name": "export_results",
        "label": "KαLOS: export a run",
        "description": "Write all of a run to JSON and CSV files",
        "icon": "file_download",
    }
    title: ClassVar = "Export a run"
    takes: ClassVar = {
        "dataset": data_set,
        "run_key": run_key,
        "folder": path,
        "overwrite": flag,
        "reference": flag,
        "delegate": flag,
    }

    @checked(takes)
    def __call__(
        self,
        dataset,
        run_key=None,
        folder=None,
        overwrite=False,
        reference=True,
        delegate=False,
    ):
        """Write a run to files and return their paths.

        Parameters
        ----------
        run_key : the run to export; by default the last one.
        folder : where to; by default a folder of the run's own in kalos-exports, in
            FiftyOne's ``default_dataset_dir``.
        overwrite : replace the files of an earlier export there. One that this export
            has no new version of is removed.
        reference : also write kalos_checkpoint.json, in the layout of the authors'
            implementation. The labels are read and compared again for it, so it takes
            as long as the audit, and is left out if they changed since the run.
        delegate : queue it for ``fiftyone delegated launch`` instead.

        Returns
        -------
        dict with the "run_key", the "folder", the "files", and "left_out", which says
        of each file that could not be written why.
        """
        key = run_key or runs.last(dataset)
        if not delegate:
            return export(dataset, key, folder, overwrite, reference)
        runs.load(dataset, key)
        target = check_folder(folder or default_folder(dataset, key), FILES, overwrite)
        return self.delegated(
            {"dataset": dataset},
            {
                "run_key": key,
                "folder": str(target),
                "overwrite": overwrite,
                "reference": reference,
            },
        )

    def describe(self, inputs, ctx):
        key = choose_run(inputs, ctx)
        if key:
            _describe(inputs, ctx, key)

    def run(self, ctx, tell, stoppable=None):
        params = ctx.params
        return export(
            ctx.dataset._root_dataset,
            params.get("run_key"),
            _typed(params) or None,
            params.get("overwrite", False),
            params.get("reference", True),
            tell,
            stoppable,
        )

    def show(self, ctx, report):
        yield ctx.ops.set_progress(progress=1, label=in_words(report))


def in_words(report):
    """Return which files were written, and which were not and why."""
    names = ", ".join(os.path.basename(path) for path in report["files"])
    left_out = [
        f"{name} is left out: {why}." for name, why in report["left_out"].items()
    ]
    return " ".join([f"Wrote {names} to {report['folder']}.", *left_out])


def _typed(params):
    return (params.get("folder") or "").strip()


def _describe(inputs, ctx, key):
    params = ctx.params
    default = default_folder(ctx.dataset._root_dataset, key)
    folder, problem = _typed(params) or default, None
    try:
        check_folder(folder, FILES, params.get("overwrite", False))
    except KalosError as error:
        problem = error
        refuse(inputs, problem)
    inputs.str("folder", label="Folder", description=f"Left empty: {default}")
    if params.get("overwrite") or (problem and Path(folder).expanduser().is_dir()):
        inputs.bool("overwrite", default=False, label="Replace the files there")
    inputs.bool(
        "reference",
        default=True,
        label="Also as the authors' implementation writes it",
        description="kalos_checkpoint.json; takes as long as the audit took",
    )
