"""Long work that shows how far it is, in the App and for delegated runs."""

import threading
from queue import Empty, SimpleQueue

PATIENCE = 0.2
"""Seconds between two looks at the work."""


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


def failed(ctx, error):
    """Yield to the App that nothing was written, and why.

    The App hides the message of an exception behind a traceback.
    """
    yield ctx.ops.notify("Nothing was written.", variant="error")
    text = str(error)
    yield ctx.ops.set_progress(progress=0, label=text[:1].upper() + text[1:])
