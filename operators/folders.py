"""Folders to write to, which may not be there yet."""

import os

from ..kalos_core import KalosError


def check_writable(folder):
    """Raise if a folder cannot be made or written to, as far as can be told."""
    there = next(place for place in (folder, *folder.parents) if _exists(place))
    if not there.is_dir():
        raise KalosError(
            f"Cannot write to '{folder}': '{there}' is a file. Choose a folder."
        )
    if not os.access(there, os.W_OK):
        raise KalosError(
            f"Cannot write to '{folder}': '{there}' is not yours to change. Choose "
            "another folder."
        )


def cannot_write(folder, error):
    """Return the `KalosError` for what the system says."""
    return KalosError(f"Cannot write to '{folder}': {error.strerror or error}.")


def _exists(place):
    try:
        return place.exists()
    except OSError as error:  # a name that is too long, say
        raise cannot_write(place, error) from error


def make(folder):
    """Make a folder, if it is not there, and return it."""
    check_writable(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    return folder
