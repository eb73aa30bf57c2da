"""A FiftyOne App server as a child process."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from scripts.sandbox import free_port

SECONDS_TO_START = 120


@contextlib.contextmanager
def app_server(port: int | None = None) -> Iterator[str]:
    """Serve the App of this process's FiftyOne and yield its address.

    ``fiftyone.launch_app`` would do as well but waits ten seconds for a browser.
    """
    port = port or free_port()
    server = Path(sysconfig.get_path("purelib"), "fiftyone", "server")
    home = Path(os.environ["FIFTYONE_PLUGINS_DIR"]).parent  # it writes to ~/.fiftyone
    process = subprocess.Popen(
        [sys.executable, "main.py", "--port", str(port), "--address", "127.0.0.1"],
        cwd=server,
        env={**os.environ, "HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/fiftyone", process)
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.25)
    raise RuntimeError(f"the App did not start at {address}")


def audit_address(address: str, dataset: str) -> str:
    """Return where the App shows a data set in the workspace of KαLOS."""
    from fiftyone.core.utils import to_slug

    return f"{address}/datasets/{quote(dataset)}?workspace={to_slug('KαLOS audit')}"
