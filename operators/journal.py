"""Work in progress on runs: who is at it, and what waits to be written.

An audit takes the key of its run by inserting a record. What it finds is staged beside
the data set, where nobody sees it, and the record is then marked as ready; only after
that are fields and run written. So a run that was killed earlier is thrown away and
leaves no trace, and one that was killed later is written by whoever comes next.
"""

import os
import socket
import threading
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from time import monotonic, sleep

import psutil
from bson import ObjectId
from fiftyone.core.odm import get_db_conn
from pymongo.errors import DuplicateKeyError

from ..kalos_core import KalosError

RECORDS, STAGED = "kalos.audits", "kalos.staged"
READY = "ready"
WRITING = "@writing"
"""In place of a key: whoever changes the schema of the data set."""

BEAT = 2.0
"""Seconds between two signs of life."""

SILENCE = timedelta(minutes=2)
"""Without a sign of life, a process on another machine counts as dead."""

PATIENCE = 300.0
"""Seconds to wait for another audit to write its results."""

_here = set()


class StoppedError(KalosError):
    """Somebody asked for the audit to stop."""


class Work:
    """An audit that holds the key of its run.

    Attributes
    ----------
    staged : the collection that results wait in.
    """

    def __init__(self, record):
        self.record = record
        self.staged = get_db_conn()[f"{STAGED}.{record['token']}"]
        self._state = {"done": 0.0, "label": ""}
        self._stopped, self._ended = threading.Event(), threading.Event()

    def tell(self, done, label):
        """Say how far it is, from 0 to 1; raise `StoppedError` if asked to stop."""
        self._state = {"done": done, "label": label}
        self.check()

    def check(self):
        """Raise `StoppedError` if asked to stop."""
        if self._stopped.is_set():
            what, key = self.record["what"], self.record["key"]
            raise StoppedError(f"The {what} '{key}' was stopped.")

    def stop(self):
        """Ask this audit to stop at its next step."""
        self._stopped.set()

    def ready(self, **what):
        """Mark what is staged as complete; it will be written whatever happens."""
        self.check()
        self.record.update(what, state=READY)
        _records().update_one(
            {"_id": self.record["_id"]}, {"$set": {**what, "state": READY}}
        )

    def _beat(self):
        while not self._ended.wait(BEAT):
            found = _records().find_one_and_update(
                {"_id": self.record["_id"], "token": self.record["token"]},
                {"$set": {"beat": _now(), **self._state}},
            )
            if found is None or found.get("stop"):
                self._stopped.set()


@contextmanager
def begin(dataset, key, what="audit"):
    """Hold the key of a run, or of something else, while working on it.

    Parameters
    ----------
    what : the word for it in messages.

    Raises
    ------
    KalosError
        If another audit holds it.
    """
    work = Work(_take(dataset, key, what))
    beat = threading.Thread(target=work._beat, daemon=True)
    beat.start()
    try:
        yield work
    finally:
        # What is ready and could not be written is left to whoever comes next.
        if work.record.get("state") != READY or work.record.get("written"):
            forget(work.record)
        work._ended.set()
        _here.discard(work.record["token"])


@contextmanager
def turn_to_write(dataset):
    """Wait for one's turn to change the schema and the runs of a data set."""
    until = monotonic() + PATIENCE
    while True:
        try:
            record = _take(dataset, WRITING)
            break
        except KalosError:
            if monotonic() > until:
                raise
            sleep(0.1)
    try:
        dataset.reload()  # others may have changed the schema meanwhile
        yield
    finally:
        forget(record)
        _here.discard(record["token"])


def abandoned(dataset):
    """Return the records of audits that died, those that only lacked writing too."""
    found = _records().find({"dataset": dataset._doc.id, "key": {"$ne": WRITING}})
    return [record for record in found if not _is_alive(record)]


def at_work(dataset):
    """Return the records of audits that are at work."""
    found = _records().find({"dataset": dataset._doc.id, "key": {"$ne": WRITING}})
    return [record for record in found if _is_alive(record)]


def ask_to_stop(record):
    """Ask an audit to stop at its next step."""
    _records().update_one({"_id": record["_id"]}, {"$set": {"stop": True}})


def forget(record):
    """Remove a record and what it staged."""
    get_db_conn()[f"{STAGED}.{record['token']}"].drop()
    _records().delete_one({"_id": record["_id"], "token": record["token"]})


def _take(dataset, key, what="audit"):
    record = {
        "_id": f"{dataset._doc.id}:{key}",
        "dataset": dataset._doc.id,
        "key": key,
        "what": what,
        "token": str(ObjectId()),
        "since": _now(),
        "beat": _now(),
        **_myself(),
    }
    _here.add(record["token"])
    try:
        _records().insert_one(record)
    except DuplicateKeyError:
        _here.discard(record["token"])
        other = _records().find_one({"_id": record["_id"]})
        if other is None:
            return _take(dataset, key, what)  # it ended just now
        if not _is_alive(other) and other.get("state") != READY:
            forget(other)
            return _take(dataset, key, what)
        raise KalosError(_busy(dataset, key, other)) from None
    return record


def _busy(dataset, key, other):
    done, since = other.get("done", 0), f"{other['since']:%H:%M:%S} UTC"
    what = other.get("what", "audit")
    return (
        f"{'An' if what == 'audit' else 'A'} {what} '{key}' of '{dataset.name}' is at "
        f"work since {since} ({done:.0%} done). Wait for it, stop it (stop_run), or "
        "use another key."
    )


def _is_alive(record):
    if record["host"] != socket.gethostname():
        return _now() - record["beat"] < SILENCE
    if record["pid"] == os.getpid():
        return record["token"] in _here
    try:
        return psutil.Process(record["pid"]).create_time() == record["born"]
    except psutil.Error:
        return False


def _myself():
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "born": psutil.Process().create_time(),
    }


def _now():
    return datetime.now(timezone.utc).replace(tzinfo=None)


def _records():
    return get_db_conn()[RECORDS]
