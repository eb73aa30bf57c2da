"""The relabel queue as a CSV file that spreadsheets open without running anything."""

import csv
import os
import re
from itertools import count
from pathlib import Path

import fiftyone as fo

from ..kalos_core import KalosError
from . import folders
from .csv_files import ENCODING, to_csv

COLUMNS = (
    "order",
    "filepath",
    "sample_id",
    "units",
    "gain",
    "minutes",
    "expected_mean_alpha",
    "reason",
)


def write(path, rows):
    """Write rows to a file that is complete or not there."""
    part = f"{path}.part"
    try:
        with open(part, "w", newline="", encoding="utf-8") as file:
            file.write(to_csv(COLUMNS, rows))
        os.replace(part, path)
    except OSError as error:
        raise KalosError(f"The CSV file cannot be written: {error}") from None


def check_path(path):
    """Return the path as text; raise if something is there that is not a queue."""
    path = Path(path).expanduser().absolute()
    folders.check_writable(path.parent)
    if path.exists() and not _is_queue(path):
        raise KalosError(f"'{path}' exists already. Choose another path.")
    if not path.parent.is_dir():
        raise KalosError(f"There is no folder '{path.parent}' that can be written to.")
    return str(path)


def default_folder(dataset):
    """Return the folder that queues go to unless the user says otherwise."""
    home = Path(fo.config.default_dataset_dir).expanduser()
    return home / "kalos-queues" / dataset.slug


def default_path(dataset, name, mine):
    """Return a path where no file is, unless it is one of ``mine``."""
    folder = folders.make(default_folder(dataset))
    stem = re.sub(r"[^\w-]+", "_", name)[:80] or "relabel"
    names = (f"{stem}{'' if n == 1 else f'_{n}'}.csv" for n in count(1))
    paths = (folder / name for name in names)
    return str(next(p for p in paths if str(p) in mine or not p.exists()))


def _is_queue(path):
    if not path.is_file():
        return False
    with open(path, newline="", encoding=ENCODING, errors="replace") as file:
        return tuple(next(csv.reader(file), ())) == COLUMNS
