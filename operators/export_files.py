"""Files of an export: written as a whole or not at all."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from ..kalos_core import KalosError
from . import folders


def check_folder(folder, names, overwrite=False):
    """Return the folder as an absolute path.

    Raises
    ------
    KalosError
        If it cannot be written to, or holds one of the files that would be written.
    """
    path = Path(os.path.abspath(os.path.expanduser(folder)))
    folders.check_writable(path)
    known = [name for name in names if os.path.lexists(path / name)]
    if known and not overwrite:
        raise KalosError(
            f"'{path}' holds {', '.join(known)} already. Choose another folder, or "
            "replace them (overwrite=True)."
        )
    return path


def write_files(folder, contents, names, overwrite=False):
    """Write texts under their names, and return the paths.

    All are complete under another name before the first gets its own. Of ``names``,
    those that are not written are removed where files may be replaced, as they would
    be taken for part of this export.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".kalos-", dir=folder) as waiting:
            for name, text in contents.items():
                _write(Path(waiting, name), text)
            check_folder(folder, names, overwrite)  # others may have written meanwhile
            for name in contents:
                os.replace(Path(waiting, name), folder / name)
        for name in set(names) - set(contents):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise folders.cannot_write(folder, error) from error
    return [str(folder / name) for name in contents]


def _write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
