"""A FiftyOne of our own inside the repository, apart from the user's.

FiftyOne shares one running database among all its processes, whoever started them, so
the sandbox starts its own ``mongod`` and leaves the user's alone.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".kalos"
SECONDS_TO_START = 60
PR_SET_PDEATHSIG = 1
MONGOD_OPTIONS = ("--nounixsocket", "--bind_ip", "127.0.0.1", "--port")


class SandboxError(RuntimeError):
    """The sandbox cannot be made; the message says what to do."""


def enter(name: str) -> Path:
    """Point this process to the sandbox ``name``; call before importing fiftyone."""
    home = HOME / name
    home.mkdir(parents=True, exist_ok=True)
    _link_plugin(home / "plugins")
    theirs = os.environ.get("FIFTYONE_DATABASE_URI")
    for variable in [v for v in os.environ if v.startswith("FIFTYONE_")]:
        del os.environ[variable]
    mongod = find_mongod()
    uri = _database(mongod, home / "db") if mongod else theirs
    if not uri:
        raise SandboxError("There is no MongoDB; run `make set-up` to see why.")
    os.environ.update(_variables(home, name, uri))
    return home


def _variables(home: Path, name: str, uri: str) -> dict[str, str]:
    files = ("CONFIG", "APP_CONFIG", "ANNOTATION_CONFIG", "EVALUATION_CONFIG")
    return {
        "FIFTYONE_DATABASE_URI": uri,
        "FIFTYONE_DATABASE_NAME": f"kalos_{name}",
        "FIFTYONE_DATABASE_VALIDATION": "false",
        "FIFTYONE_DEFAULT_DATASET_DIR": str(home / "datasets"),
        "FIFTYONE_DATASET_ZOO_DIR": str(home / "zoo" / "datasets"),
        "FIFTYONE_MODEL_ZOO_DIR": str(home / "zoo" / "models"),
        "FIFTYONE_PLUGINS_DIR": str(home / "plugins"),
        "FIFTYONE_DO_NOT_TRACK": "true",
        "FIFTYONE_SHOW_PROGRESS_BARS": "true" if sys.stderr.isatty() else "false",
        **{f"FIFTYONE_{f}_PATH": str(home / f"{f.lower()}.json") for f in files},
    }


def _link_plugin(plugins: Path) -> None:
    plugins.mkdir(exist_ok=True)
    link = plugins / "kalos-audit"
    if not link.is_symlink() or link.resolve() != ROOT:
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT, target_is_directory=True)


def find_mongod() -> Path | None:
    """Return the ``mongod`` beside FiftyOne if it runs here."""
    mongod = Path(sysconfig.get_path("purelib"), "fiftyone", "db", "bin", "mongod")
    try:
        subprocess.run([mongod, "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return mongod


def _database(mongod: Path, directory: Path) -> str:
    """Start a database, or join the one that another process of ours started."""
    directory.mkdir(parents=True, exist_ok=True)
    running = _running(directory)
    if running is not None:
        return f"mongodb://127.0.0.1:{running}"
    port = free_port()
    process = _start(mongod, directory, port)

    def stop() -> None:
        process.terminate()
        process.wait()

    # FiftyOne tidies the database up when Python exits. What was registered first
    # runs last, so this is after that.
    atexit.register(stop)
    return f"mongodb://127.0.0.1:{port}"


def _running(directory: Path) -> int | None:
    """Return the port of a database that already serves this very directory."""
    import psutil

    for process in psutil.process_iter(["name", "cmdline"]):
        arguments = process.info["cmdline"] or []
        if process.info["name"] == "mongod" and str(directory) in arguments:
            return int(arguments[arguments.index("--port") + 1])
    return None


def _start(mongod: Path, directory: Path, port: int) -> subprocess.Popen[bytes]:
    log = directory / "mongod.log"
    process = subprocess.Popen(
        [mongod, "--dbpath", directory, "--logpath", log, *MONGOD_OPTIONS, str(port)],
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl+C is for us; FiftyOne still needs it then
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )
    deadline = time.monotonic() + SECONDS_TO_START
    while not _answers(port):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise SandboxError(f"MongoDB did not start; its log is {log}.")
        time.sleep(0.1)
    return process


def _end_with_parent() -> None:
    """Make the database end with us even if we are killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
