"""Importing: cancelled, killed, and twice at once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import fiftyone as fo
import pytest
from import_builders import boxes_only, coco, empty_samples, forget, image_files, write
from plugin_builders import operator, plugin_module

KalosError = plugin_module("kalos_core").KalosError
importing = plugin_module("operators.importing")
unfinished = plugin_module("operators.unfinished")

ROOT = Path(__file__).parents[2]
RATERS = ("ana", "ben")


@pytest.fixture
def import_annotations():
    return operator("import_annotations")


@pytest.fixture
def samples():
    made = empty_samples("a", "b")
    yield made
    made.delete()


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "x.json", boxes_only(coco(RATERS, ["a.jpg", "b.jpg"])))


def undated(taken):
    """Return a snapshot without the times at which FiftyOne changed samples."""
    for document in taken[3]:
        document.pop("last_modified_at")
    return taken


def request(samples, file, **options):
    return importing.Request(samples.name, str(file), **options)


def test_a_cancelled_import_leaves_no_trace(samples, file, snapshot):
    before = undated(snapshot(samples))
    steps = importing.run_import(request(samples, file))
    for progress, _ in steps:
        if progress >= 0.4:
            break
    assert "ratings" in samples.get_field_schema()
    with pytest.raises(KalosError, match="Another import is writing the field"):
        next(importing.run_import(request(samples, file)))
    steps.close()
    assert undated(snapshot(samples)) == before
    assert unfinished.BEGUN not in samples.info


def test_a_cancelled_import_leaves_no_data_set(file, tmp_path):
    forget("kalos-new")
    folder = str(image_files(tmp_path / "images", "a.jpg", "b.jpg"))
    before = fo.list_datasets()
    steps = importing.run_import(
        importing.Request("kalos-new", str(file), images_dir=folder)
    )
    while next(steps)[0] < 0.4:
        pass
    assert len(fo.list_datasets()) == len(before) + 1
    steps.close()
    assert fo.list_datasets() == before


KILLED = """
import os, signal, sys
from scripts.sandbox import enter
enter("test")
import fiftyone as fo
import fiftyone.operators as foo
foo.get_operator("@kalos/audit/import_annotations")
writing = sys.modules["fiftyone.plugins.orgs.kalos.audit.operators.label_writing"]
writing.BATCH, write = 1, fo.Dataset._bulk_write

def write_and_die(*arguments, **options):
    write(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)

fo.Dataset._bulk_write = write_and_die
foo.get_operator("@kalos/audit/import_annotations")(sys.argv[1], sys.argv[2])
"""


def test_what_a_killed_import_left_gives_way(
    import_annotations, samples, file, snapshot
):
    samples.persistent = True
    before = undated(snapshot(samples))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, samples.name, str(file)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    samples.reload()
    assert samples.count("ratings") == 1  # of two: it died half-way
    with pytest.raises(KalosError, match="import of field 'ratings' did not end"):
        operator("compute_agreement")(samples, "ratings")
    import_annotations(samples, file)
    assert samples.count("ratings") == 2
    assert unfinished.BEGUN not in samples.info
    for name in ("ratings", "raters"):
        samples.delete_sample_field(name)
    assert undated(snapshot(samples)) == before
    samples.persistent = False
