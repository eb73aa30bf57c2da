"""Every operator that may take long, worked off by ``fiftyone delegated launch``."""

import os
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import fiftyone as fo
import pytest
from bson import ObjectId
from fiftyone.operators.delegated import DelegatedOperationService
from fiftyone.operators.executor import ExecutionRunState
from import_builders import coco, write
from plugin_builders import operator

PATIENCE = 300
"""Seconds after which something hangs; it takes about twenty."""

ENDED = (ExecutionRunState.COMPLETED, ExecutionRunState.FAILED)
DEMO = "kalos-demo-delegated"


@pytest.fixture
def service():
    """Return the queue, without what other tests left in it."""
    found = DelegatedOperationService()
    for left in found.list_operations(run_state=ExecutionRunState.QUEUED):
        found.delete_operation(left.id)
    return found


@pytest.fixture
def launched(tmp_path):
    """Launch the service as people do, and end it afterwards."""
    log = tmp_path / "launch.log"
    script = Path(sys.executable).parent / "fiftyone"
    with log.open("w") as output:
        process = subprocess.Popen(
            [script, "delegated", "launch"],
            stdout=output,
            stderr=output,
            env=os.environ,  # the sandbox's
        )
    yield process, log
    process.terminate()
    process.wait()


@pytest.fixture
def audited(compute, dataset):
    """Three images with three runs, one of them to be deleted."""
    for key in ("before", "after", "old"):
        compute(dataset, "gt", run_key=key)
    dataset.persistent = True
    yield dataset
    if fo.dataset_exists(DEMO):
        fo.delete_dataset(DEMO)


def requests(dataset, folder):
    """Return the arguments of each operator that can be delegated."""
    labels = coco(["ana", "ben"], [Path(p).name for p in dataset.values("filepath")])
    write(folder / "labels.json", labels)
    own = {"dataset": dataset}
    return {
        "calibrate": {"view": dataset, "label_field": "gt"},
        "compute_agreement": {
            "view": dataset,
            "label_field": "gt",
            "tau": 0.2,
            "run_key": "later",
        },
        "fit_noise": {"view": dataset, "label_field": "gt"},
        "simulate_raters": {"view": dataset, "label_field": "gt", "rater": "ana"},
        "build_relabel_queue": {**own, "run_key": "after"},
        "create_consensus": {**own, "run_key": "after"},
        "compare_runs": {**own, "run_a": "before", "run_b": "after"},
        "export_results": {**own, "run_key": "after", "folder": folder / "files"},
        "delete_run": {**own, "run_key": "old"},
        "import_annotations": {
            **own,
            "path": folder / "labels.json",
            "label_field": "imported",
            "assigned_field": "imported_by",
        },
        "load_demo": {"name": DEMO, "field_per_rater": True},
    }


def ended(service, ids, process, log):
    """Wait for all of the operations to end, and return them by name."""
    until = monotonic() + PATIENCE
    while True:
        found = {name: service.get(ObjectId(own)) for name, own in ids.items()}
        if all(one.run_state in ENDED for one in found.values()):
            return found
        states = {name: one.run_state for name, one in found.items()}
        assert process.poll() is None, f"the service ended: {log.read_text()}"
        assert monotonic() < until, f"{states}: {log.read_text()}"
        sleep(0.2)


def test_all_that_can_be_delegated(audited, service, launched, demo, tmp_path):
    # The demo was loaded, so its images are painted already.
    queued = {
        name: operator(name)(**arguments, delegate=True)
        for name, arguments in requests(audited, tmp_path).items()
    }
    ids = {name: one.result["id"] for name, one in queued.items()}
    done = ended(service, ids, *launched)
    failed = {name: one.result.error for name, one in done.items() if one.result.error}
    assert failed == {}
    for name, one in done.items():
        assert one.run_state == ExecutionRunState.COMPLETED, name
        assert one.status.progress == 1, name
    found = {name: one.result.result for name, one in done.items()}
    audited.reload()
    stored = {"before", "after", "later", "calibration", "noise"}
    assert set(audited.list_runs()) == stored
    assert audited.get_run_info("later").config.configuration["tau"] == 0.2
    assert found["compute_agreement"]["mean_alpha"] == 0.5
    assert found["calibrate"]["run_key"] == "calibration"
    assert found["fit_noise"]["run_key"] == "noise"
    assert found["simulate_raters"]["n_labels"] == audited.count("simulated.detections")
    assert audited.count_sample_tags() == {"after_relabel": 1}
    assert found["build_relabel_queue"]["n"] == 1
    assert found["create_consensus"]["n_labels"] == len(
        [label for some in audited for label in some.after_consensus.detections]
    )
    compared = operator("compare_runs")(audited, "before", "after")
    assert found["compare_runs"] == compared
    assert (tmp_path / "files" / "run.json").exists()
    assert not [name for name in audited.get_field_schema() if name.startswith("old_")]
    assert found["import_annotations"]["n_images"] == 3
    loaded = fo.load_dataset(DEMO)
    assert "ana" in loaded.get_field_schema()
    assert len(loaded) == found["load_demo"]["n_images"] == len(demo)
