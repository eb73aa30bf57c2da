"""All of a run as files: JSON, tables, and the layout of the reference."""

import json
from pathlib import Path

import fiftyone as fo
import numpy as np

from ..kalos_core import KalosError
from ..kalos_core.plain import plain
from . import journal, runs
from .csv_files import to_csv
from .export_files import check_folder, write_files
from .export_tables import TABLES, no_object_mark
from .progress import at_work
from .reference_export import reference_layout
from .stored import StoredRun

RUN, CHECKPOINT = "run.json", "kalos_checkpoint.json"
FILES = (RUN, *TABLES, CHECKPOINT)

_INTERNAL = ("cls", "type", "method", "run_key")
"""What FiftyOne and runs keep for themselves."""


def default_folder(dataset, run_key):
    """Return the folder that a run goes to unless the user says otherwise."""
    home = Path(fo.config.default_dataset_dir).expanduser()
    return str(home / "kalos-exports" / dataset.slug / run_key)


def export(
    dataset,
    run_key,
    folder,
    overwrite=False,
    reference=True,
    tell=None,
    stoppable=None,
):
    """Write a run's files and return which, and what was left out and why.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.
    stoppable : called with what has a method ``stop``; nothing is written then.
    """
    runs.tidy(dataset)
    run = StoredRun(dataset, run_key)
    folder = check_folder(
        folder or default_folder(dataset, run.run_key), FILES, overwrite
    )
    with at_work(dataset, run.run_key, "export", tell, stoppable, shared=True) as steps:
        steps.tell(0, "Reading the run")
        contents, left_out = _contents(run), {}
        if reference:
            try:
                contents[CHECKPOINT] = _json(_reference(run, steps))
            except journal.StoppedError:
                raise
            except KalosError as error:
                left_out[CHECKPOINT] = str(error)
        steps.tell(0.95, "Writing the files")
        files = write_files(folder, contents, FILES, overwrite)
        steps.note(1, "Done")
    return {
        "run_key": run.run_key,
        "folder": str(folder),
        "files": files,
        "left_out": left_out,
    }


def _reference(run, steps):
    return reference_layout(run, lambda done, what: steps.tell(0.1 + 0.8 * done, what))


def _contents(run):
    """Return the text of every file that needs no label."""
    filepaths = dict(zip(*run.samples().values(["id", "filepath"]), strict=True))
    return {
        RUN: _json(_whole(run)),
        **{name: to_csv(*make(run, filepaths)) for name, make in TABLES.items()},
    }


def _whole(run):
    """Return configuration, seed, versions and all results, what is packed as lists."""
    config, results = run.config.serialize(), run.results.serialize()
    when = run.dataset.get_run_info(run.run_key).timestamp
    kept = {name: value for name, value in config.items() if name not in _INTERNAL}
    return {
        "dataset": run.dataset.name,
        "run_key": run.run_key,
        "timestamp": when.isoformat(timespec="milliseconds"),  # as stored
        **kept,
        "no_object": no_object_mark(run.classes),
        "results": {
            **{name: value for name, value in results.items() if name not in _INTERNAL},
            "assigned": [np.flatnonzero(raters) for raters in run.assigned],
            "units": run.known,
        },
    }


def _json(values):
    return json.dumps(plain(values), ensure_ascii=False, allow_nan=False) + "\n"
