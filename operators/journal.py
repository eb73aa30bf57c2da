"""Work in progress: who is at it, and what waits to be written.

Work takes a key, an audit that of its run, by inserting a record. What it makes is
staged beside the data set, where nobody sees it, and the record is then marked as
ready; only after that are fields and runs written. So what was killed earlier is thrown
away and leaves no trace, and what was killed later is written by whoever comes next.
"""

import threading
from contextlib import contextmanager
from time import monotonic, sleep

from bson import ObjectId
from fiftyone.core.odm import get_db_conn
from pymongo.errors import DuplicateKeyError

from ..kalos_core import KalosError
from .processes import HERE, is_alive, myself, now

RECORDS, STAGED = "kalos.audits", "kalos.staged"
RESULTS = "results"
"""Files of a run that wait beside what is staged for its samples."""

READY = "ready"
AUDIT, CALIBRATION, NOISE_FIT = "audit", "calibration", "noise fit"
MAKE_RUNS = (AUDIT, CALIBRATION, NOISE_FIT)
"""Work that makes a run, whose key it holds; other work has a key of its own kind."""

WRITING = "@writing"
"""In place of a key: whoever changes the schema of the data set."""

BEAT = 2.0
"""Seconds between two signs of life."""

PATIENCE = 300.0
"""Seconds to wait for others to write."""


class StoppedError(KalosError):
    """Somebody asked for the work to stop."""


class Work:
    """Work that holds its key.

    Attributes
    ----------
    staged : the collection that results wait in.
    """

    def __init__(self, record):
        self.record = record
        self.staged = staged(record)
        self._state = {"done": 0.0, "label": ""}
        self._stopped, self._ended = threading.Event(), threading.Event()

    def tell(self, done, label):
        """Say how far it is, from 0 to 1; raise `StoppedError` if asked to stop."""
        self._state = {"done": done, "label": label}
        self.check()

    def check(self):
        """Raise `StoppedError` if asked to stop."""
        if self._stopped.is_set():
            raise StoppedError(f"The {in_words(self.record)} was stopped.")

    def stop(self):
        """Ask for it to stop at its next step."""
        self._stopped.set()

    def ready(self, **what):
        """Mark what is staged as complete; it will be written whatever happens."""
        self.check()
        found = records().update_one(self._mine(), {"$set": {**what, "state": READY}})
        if not found.matched_count:  # others took it for dead and removed it
            self.stop()
            self.check()
        self.record.update(what, state=READY)

    def _mine(self):
        return {name: self.record[name] for name in ("_id", "token")}

    def _beat(self):
        while not self._ended.wait(BEAT):
            found = records().find_one_and_update(
                self._mine(), {"$set": {"beat": now(), **self._state}}
            )
            if found is None or found.get("stop"):
                self._stopped.set()


@contextmanager
def begin(dataset, name, what=AUDIT, shared=False):
    """Hold the key of a run, or of something else, while working on it.

    Parameters
    ----------
    dataset : or the name of one that is being made.
    what : the word for it in messages.
    shared : whether several may do the same at once, as they change nothing.

    Raises
    ------
    KalosError
        If other work holds it, or if the data set is deleted meanwhile.
    """
    work = Work(_take(dataset, name, what, shared))
    samples = None if isinstance(dataset, str) else dataset._sample_collection_name
    with _alive(work):
        try:
            yield work
        except Exception as error:
            if samples is None or _is_there(work.record):
                raise
            work.record["written"] = True  # there is nothing to write to any more
            get_db_conn().drop_collection(samples)  # which writing may have made anew
            raise KalosError(
                f"The data set was deleted during the {in_words(work.record)}; nothing "
                "is left of either."
            ) from error
        finally:
            # What is ready and could not be written is left to whoever comes next.
            if work.record.get("state") != READY or work.record.get("written"):
                forget(work.record)


def take_over(record, end):
    """Have the work of one that died ended and forget it, unless others are at it.

    What cannot be ended blocks nobody: the record says why, and is kept for whoever
    comes next.

    Parameters
    ----------
    end : does what is left to do, given the record.
    """
    HERE.add(record["token"])
    claim = {**myself(), "beat": now(), "claim": str(ObjectId())}
    was = {name: record.get(name) for name in ("_id", "token", "claim")}
    if records().update_one(was, {"$set": claim}).matched_count:
        with _alive(Work(record)):
            try:
                end(record)
            except Exception as error:  # of FiftyOne, say, for any reason
                why = {"problem": str(error)}
                records().update_one({"_id": record["_id"]}, {"$set": why})
            else:
                forget(record)


@contextmanager
def _alive(work):
    """Give signs of life."""
    threading.Thread(target=work._beat, daemon=True).start()
    try:
        yield
    finally:
        work._ended.set()
        HERE.discard(work.record["token"])


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
        HERE.discard(record["token"])


def abandoned(dataset):
    """Return the records of work that died, of what only lacked writing too."""
    return [record for record in _of(dataset) if not is_alive(record)]


def at_work(dataset):
    """Return the records of work that goes on in a data set.

    Parameters
    ----------
    dataset : or the name of one that is being made, or None for all of those.
    """
    return [record for record in _of(dataset) if is_alive(record)]


def ask_to_stop(record):
    """Ask for work to stop at its next step."""
    records().update_one({"_id": record["_id"]}, {"$set": {"stop": True}})


def forget(record):
    """Remove a record and what it staged.

    The record first: what has none is dropped by whoever comes next, but what is ready
    and has lost what it staged would be written as if there were nothing.
    """
    records().delete_one({"_id": record["_id"], "token": record["token"]})
    waiting = staged(record)
    for part in (waiting, waiting[RESULTS].files, waiting[RESULTS].chunks):
        part.drop()


def staged(record):
    """Return the collection in which the results of a work wait."""
    return get_db_conn()[f"{STAGED}.{record['token']}"]


def in_words(record):
    """Return what work it is."""
    return f"{record['what']} '{record['name']}'"


def key_of(name, what):
    """Return the key of work; a run's is its name, and no other begins like one."""
    return name if what in MAKE_RUNS else f"{what} {name}"


def _of(dataset):
    """Return all records of a data set, but not whose turn it is to write."""
    where = {"key": {"$ne": WRITING}}
    if dataset is None:
        return records().find({**where, "dataset": None})
    return records().find({**where, **_place(dataset)})


def _is_there(record):
    """Return whether the data set of a record is there."""
    return bool(get_db_conn().datasets.count_documents({"_id": record["dataset"]}))


def _place(dataset):
    """Return how records name a data set; one that is being made has no id yet."""
    if isinstance(dataset, str):
        return {"dataset": None, "making": dataset}
    return {"dataset": dataset._doc.id}


def _take(dataset, name, what=AUDIT, shared=False):
    place, key, token = _place(dataset), key_of(name, what), str(ObjectId())
    where = place["dataset"] or place["making"]
    record = {
        "_id": f"{where}:{key}:{token}" if shared else f"{where}:{key}",
        **place,
        "key": key,
        "name": name,
        "what": what,
        "token": token,
        "since": now(),
        "beat": now(),
        **myself(),
    }
    HERE.add(token)
    try:
        records().insert_one(record)
    except DuplicateKeyError:
        HERE.discard(token)
        other = records().find_one({"_id": record["_id"]})
        if other is None:
            return _take(dataset, name, what)  # it ended just now
        if not is_alive(other) and other.get("state") != READY:
            forget(other)
            return _take(dataset, name, what)
        raise KalosError(_busy(dataset, other)) from None
    return record


def unfinished(record):
    """Return in words that work was done and its results could not be written."""
    why = record.get("problem") or "its process ended"
    return (
        f"The {in_words(record)} was computed but is not written yet: "
        f"{why.rstrip('.')}. The next operator tries again."
    )


def _busy(dataset, other):
    if not is_alive(other):
        return f"{unfinished(other)} To give up a run, delete it (delete_run)."
    what, since = in_words(other), f"{other['since']:%H:%M:%S} UTC"
    where = dataset if isinstance(dataset, str) else dataset.name
    advice = "Wait for it, or stop it (stop_run)"
    if other["key"] == other["name"]:
        advice = "Wait for it, stop it (stop_run), or use another key"
    return (
        f"{article(what)} {what} of '{where}' is at work since {since} "
        f"({other.get('done', 0):.0%} done). {advice}."
    )


def article(what):
    """Return the article that begins a sentence about some work."""
    return "An" if what[0] in "aeiou" else "A"


def records():
    """Return the collection of records."""
    return get_db_conn()[RECORDS]
