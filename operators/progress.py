"""Long work that shows how far it is, in the App and for delegated runs."""

import threading
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from textwrap import shorten

from ..kalos_core import KalosError
from . import journal

PATIENCE = 0.2
"""Seconds between two looks at the work."""

MOST_NOTICED = 200
"""Characters of an error that a notice, which soon goes, shows."""


def with_progress(ctx, work):
    """Run ``work`` beside this generator and yield its progress to the App.

    Parameters
    ----------
    work : takes a function to tell (part done from 0 to 1, label) and another one that
        is given whatever can be stopped; returns the result of this generator.
    """
    told, ended, stoppable = SimpleQueue(), threading.Event(), []
    result = {}

    def run():
        try:
            result["value"] = work(lambda *what: told.put(what), stoppable.append)
        except BaseException as error:  # handed over to the operator's thread
            result["error"] = error
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    try:
        while not ended.wait(PATIENCE):
            yield from _shown(ctx, told)
        yield from _shown(ctx, told)
    except GeneratorExit:  # nobody waits for it any more
        for one in stoppable:
            one.stop()
        raise
    if "error" in result:
        raise result["error"]
    return result["value"]


def with_notice(ctx, work):
    """Yield as ``with_progress``; a `KalosError` is shown, and the result then None."""
    try:
        return (yield from with_progress(ctx, work))
    except KalosError as error:
        # The App hides the message of an exception behind a traceback.
        text = str(error)[:1].upper() + str(error)[1:]
        short = shorten(text, MOST_NOTICED, placeholder=" ...")
        ended = "" if short.endswith(".") else "."
        yield ctx.ops.notify(f"{short}{ended} Nothing was written.", variant="error")
        yield ctx.ops.set_progress(progress=0, label=text)


class Stop:
    """Lets work that is in no journal be stopped between its steps."""

    def __init__(self, what):
        self.what, self._asked = what, threading.Event()

    def stop(self):
        """Ask it to stop at its next step."""
        self._asked.set()

    def check(self):
        """Raise if asked to stop."""
        if self._asked.is_set():
            raise journal.StoppedError(f"The {self.what} was stopped.")


def until_stopped(what, tell, stoppable=None):
    """Return a ``tell`` that raises if somebody asked the work to stop.

    Parameters
    ----------
    what : the word for the work in messages.
    stoppable : called with what has a method ``stop``.
    """
    stop = Stop(what)
    if stoppable is not None:
        stoppable(stop)

    def told(done, label):
        stop.check()
        tell(done, label)

    return told


@contextmanager
def at_work(dataset, name, what, tell=None, stoppable=None, shared=False):
    """Enter the `Steps` of work that the journal lists and that can be stopped.

    Parameters
    ----------
    dataset, name, what, shared : as for ``journal.begin``.
    tell : called with the part that is done, from 0 to 1, and what is being done.
    stoppable : called with what has a method ``stop``.
    """
    with journal.begin(dataset, name, what, shared) as work:
        if stoppable is not None:
            stoppable(work)
        yield Steps(work, tell)


class Steps:
    """The journal's work, which also tells whoever watches."""

    def __init__(self, work, watcher):
        self.work, self.watcher = work, watcher
        self.record, self.staged, self.ready = work.record, work.staged, work.ready

    def tell(self, done, label):
        """Say how far it is, from 0 to 1; raise if asked to stop."""
        self.note(done, label)
        self.work.tell(done, label)

    def note(self, done, label):
        """Say how far it is, where it is too late to stop."""
        if self.watcher is not None:
            self.watcher(done, label)

    def between(self, start, end, label):
        """Return a function that tells progress within a part of the whole."""
        return between(self.tell, start, end, label)


def between(tell, start, end, label):
    """Return a function of (done, total) that tells progress from start to end."""
    return lambda done, total: tell(start + (end - start) * done / max(total, 1), label)


def _shown(ctx, told):
    """Yield the last of what was told, if anything was."""
    last = None
    while True:
        try:
            last = told.get_nowait()
        except Empty:
            break
    if last is None:
        return
    done, label = last
    if ctx.delegated:
        ctx.set_progress(progress=done, label=label)
    else:
        yield ctx.ops.set_progress(progress=done, label=label)
