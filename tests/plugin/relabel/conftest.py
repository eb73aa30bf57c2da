"""Audited data sets, the operator, and a backend that takes what it is handed."""

import fake_backend
import fiftyone as fo
import pytest
from plugin_builders import in_a_field_each, in_one_field, operator
from queue_builders import drawn

FIELDS = {in_one_field: "gt", in_a_field_each: ["ana", "ben"]}


@pytest.fixture(params=FIELDS, ids=["one field", "a field each"])
def audited(request, compute):
    made = request.param(fo.Detections, drawn())
    compute(made, FIELDS[request.param])
    yield made
    made.delete()


@pytest.fixture
def queued(compute):
    made = in_one_field(fo.Detections, drawn())
    compute(made, "gt")
    yield made
    made.delete()


@pytest.fixture
def build(tmp_path):
    """Return the operator with a CSV file of its own."""

    def call(dataset, **options):
        given = {"csv": tmp_path / "queue.csv", **options}
        return operator("build_relabel_queue")(dataset, **given)

    return call


@pytest.fixture
def fake(monkeypatch):
    backends = fo.annotation_config.backends
    given = {"config_cls": "fake_backend.FakeBackendConfig"}
    monkeypatch.setitem(backends, "fake", given)
    fake_backend.UPLOADED.clear()
    return given
