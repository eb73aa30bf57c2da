"""Installing as the README says, from an archive and from a link."""

import functools
import http.server
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def archive_url(tmp_path):
    """Serve the tracked files of the repository as an archive."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    archive = tmp_path / "kalos.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for name in listed.stdout.splitlines():
            if (ROOT / name).exists():
                target.write(ROOT / name, f"kalos-main/{name}")
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(tmp_path)
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/kalos.zip"
    server.shutdown()
    server.server_close()


def fiftyone(plugins, *arguments):
    command = Path(sys.executable).with_name("fiftyone")
    done = subprocess.run(
        [command, *arguments],
        env={
            **os.environ,
            "FIFTYONE_PLUGINS_DIR": str(plugins),
            "HOME": str(plugins.parent),  # it writes to ~/.fiftyone
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_by_download(archive_url, tmp_path):
    plugins = tmp_path / "plugins"
    fiftyone(plugins, "plugins", "download", archive_url)
    assert "@kalos/audit" in fiftyone(plugins, "plugins", "list")
    required = fiftyone(plugins, "plugins", "requirements", "@kalos/audit", "--print")
    for line in (ROOT / "requirements.txt").read_text().split():
        assert line in required
    operators = fiftyone(plugins, "operators", "list")
    assert "@kalos/audit/compute_agreement" in operators


def test_by_link(tmp_path):
    (tmp_path / "kalos-audit").symlink_to(ROOT, target_is_directory=True)
    operators = fiftyone(tmp_path, "operators", "list")
    assert "@kalos/audit/compute_agreement" in operators
