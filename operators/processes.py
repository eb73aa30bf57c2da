"""Which process does some work, and whether it is alive."""

import os
import socket
from datetime import datetime, timedelta, timezone

import psutil

SILENCE = timedelta(minutes=2)
"""Without a sign of life, a process on another machine counts as dead."""

HERE = set()
"""Tokens of the work that this process does."""


def is_alive(record):
    """Return whether the process that a record names is at its work."""
    if record["host"] != socket.gethostname():
        return now() - record["beat"] < SILENCE
    if record["pid"] == os.getpid():
        return record["token"] in HERE
    try:
        return psutil.Process(record["pid"]).create_time() == record["born"]
    except psutil.Error:
        return False


def myself():
    """Return how a record names this process."""
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "born": psutil.Process().create_time(),
    }


def now():
    """Return the time as the database keeps it."""
    return datetime.now(timezone.utc).replace(tzinfo=None)
