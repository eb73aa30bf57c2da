"""Imports that have begun: told apart from finished ones, and from what is left of one.

FiftyOne cannot load a sample that has a field it does not know, so fields are declared
before they are filled. Until the last one is, the data set lists the import as begun.
If it is interrupted, the next import under the same names removes what it left.
"""

import os
import socket
from contextlib import contextmanager
from uuid import uuid4

import psutil

from ..kalos_core import KalosError

OWNER = "kalos_import"
BEGUN = "kalos_begun_imports"


def check_fields(dataset, names):
    """Raise if a field exists that holds something; what an import left does not."""
    for name in names:
        field = dataset.get_field(name)
        if field is None:
            continue
        begun = _begun(dataset).get(_owner(field))
        if begun is None:
            if dataset.exists(name).limit(1):
                raise KalosError(
                    f"'{dataset.name}' has a field '{name}' already, which is left "
                    "alone. Choose another name."
                )
        elif _is_running(begun):
            raise KalosError(f"Another import is writing the field '{name}' just now.")


def check_complete(dataset, name):
    """Raise if an import of the field has not ended, or was killed."""
    field = dataset.get_field(name)
    if field is not None and _owner(field) in _begun(dataset):
        raise KalosError(
            f"The import of field '{name}' did not end: some of its labels are "
            "missing. Import it again under the same name, which replaces it."
        )


@contextmanager
def begun(dataset, names):
    """Enter an import that writes these fields; leave it finished or without a trace.

    Its value is the ``info`` that the fields are to be declared with.
    """
    check_fields(dataset, names)
    _remove(dataset, names)
    key = uuid4().hex
    _list(dataset, lambda listed: {**listed, key: _this_process()})
    try:
        yield {OWNER: key}
    except BaseException:  # a cancelled generator too
        _remove(dataset, names)
        raise
    finally:
        _list(dataset, lambda listed: {k: v for k, v in listed.items() if k != key})


def _remove(dataset, names):
    dataset.reload()
    there = [name for name in names if dataset.get_field(name) is not None]
    if there:
        dataset.delete_sample_fields(there)


def _list(dataset, change):
    dataset.reload()  # another import may have changed the list
    owners = {_owner(field) for field in dataset.get_field_schema().values()}
    listed = {
        key: process
        for key, process in change(_begun(dataset)).items()
        if key in owners or _is_running(process)
    }
    if listed:
        dataset.info[BEGUN] = listed
    else:
        dataset.info.pop(BEGUN, None)
    dataset.save()


def _begun(dataset):
    return dataset.info.get(BEGUN) or {}


def _owner(field):
    return (field.info or {}).get(OWNER)


def _this_process():
    return [socket.gethostname(), os.getpid(), psutil.Process().create_time()]


def _is_running(process):
    """Return whether a process still runs; on another computer nobody can tell."""
    host, number, created = process
    if host != socket.gethostname() or not psutil.pid_exists(number):
        return False
    try:
        return psutil.Process(number).create_time() == created
    except psutil.NoSuchProcess:
        return False
