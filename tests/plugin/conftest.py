"""A FiftyOne of the tests' own, entered before fiftyone is imported."""

import os
import random

import pytest

from scripts.browser import find_browser
from scripts.sandbox import enter

# Tests that run side by side have a database each.
enter("test" + os.environ.get("PYTEST_XDIST_WORKER", ""))

import fiftyone as fo  # noqa: E402  the sandbox comes first
import snapshots  # noqa: E402
from fiftyone.core.odm import get_db_conn  # noqa: E402
from fiftyone.operators.executor import ExecutionContext, Executor  # noqa: E402
from import_builders import (  # noqa: E402
    FILES,
    NAMES,
    RATERS,
    boxes_only,
    coco,
    empty_samples,
    write,
)
from plugin_builders import (  # noqa: E402
    detection,
    detections,
    make_dataset,
    operator,
    sample,
)


def pytest_collection_modifyitems(items):
    # Continuous integration never goes without a browser, see .ci/run.
    lacking = not os.environ.get("KALOS_REQUIRE_BROWSER") and find_browser() is None
    for item in items:
        if "plugin" in item.path.parts:
            item.add_marker(pytest.mark.fiftyone)
        if lacking and item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


@pytest.fixture
def dataset():
    """Three images in one field: disputed, agreed empty, and with one rater only."""
    disputed = [
        detection("cat", 10, 10, 20, 20, rater="ana"),
        detection("cat", 11, 10, 20, 20, rater="ben"),
        detection("cat", 60, 60, 20, 20, rater="ana"),
        detection("dog", 60, 60, 20, 20, rater="ben"),
    ]
    lonely = detection("cat", 10, 10, 20, 20, rater="ana")
    made = make_dataset(
        sample("disputed", gt=detections(*disputed), raters=["ana", "ben"]),
        sample("empty", gt=detections(), raters=["ana", "ben"]),
        sample("lonely", gt=detections(lonely), raters=["ana"]),
    )
    yield made
    made.delete()


@pytest.fixture
def per_rater():
    """Return the same three images with a field per rater."""
    ana = [detection("cat", 10, 10, 20, 20), detection("cat", 60, 60, 20, 20)]
    ben = [detection("cat", 11, 10, 20, 20), detection("dog", 60, 60, 20, 20)]
    lonely = detection("cat", 10, 10, 20, 20)
    made = make_dataset(
        sample("disputed", ana=detections(*ana), ben=detections(*ben)),
        sample("empty", ana=detections(), ben=detections()),
        sample("lonely", ana=detections(lonely), ben=None),
    )
    yield made
    made.delete()


@pytest.fixture
def cells():
    """Return twelve images with boxes that raters draw alike, give or take a little."""
    rng, who = random.Random(0), ("ana", "ben", "cho")

    def boxes():
        for _ in range(5):
            x, y = rng.uniform(0, 80), rng.uniform(0, 80)
            for rater in who:
                moved = [v + rng.gauss(0, 1.2) for v in (x, y, 14, 14)]
                yield detection("cell", *moved, rater=rater)

    made = make_dataset(
        *(
            sample(f"{n:02}", gt=detections(*boxes()), raters=list(who))
            for n in range(12)
        )
    )
    yield made
    made.delete()


@pytest.fixture
def compute():
    return operator("compute_agreement")


@pytest.fixture
def import_annotations():
    return operator("import_annotations")


@pytest.fixture
def samples():
    """Return a data set without labels, for imports."""
    made = empty_samples(*NAMES)
    yield made
    made.delete()


@pytest.fixture
def file(tmp_path):
    """Return a file with labels of those samples."""
    return write(tmp_path / "labels.json", boxes_only(coco(RATERS, FILES)))


@pytest.fixture(scope="session")
def demo():
    """Return the demo data set with its audit."""
    name = "kalos-demo"
    if fo.dataset_exists(name):
        fo.delete_dataset(name)
    made = operator("load_demo")(name)
    operator("compute_agreement")(made, "ratings")
    yield made
    made.delete()


@pytest.fixture
def context():
    """Return a function that makes the context in which the App runs an operator."""

    def make(dataset, params=None, panel_state=None, view=None):
        params = dict(params or {})
        if panel_state is not None:
            params.update(panel_id="panel", panel_state=panel_state)
        request = {"dataset_name": dataset.name, "params": params}
        if view is not None:
            request["view"] = view._serialize()
        return ExecutionContext(request_params=request, executor=Executor())

    return make


@pytest.fixture
def snapshot():
    """Return the function that returns all that is stored of a data set."""
    return snapshots.take


@pytest.fixture
def examined():
    """Return a function that counts the documents of samples that work reads."""
    database = get_db_conn()

    def count(dataset, work):
        database["system.profile"].drop()
        database.command("profile", 2)
        try:
            work()
        finally:
            database.command("profile", 0)
        name = f"{database.name}.{dataset._sample_collection_name}"
        return sum(
            operation.get("docsExamined", 0)
            for operation in database["system.profile"].find({"ns": name})
        )

    yield count
    database["system.profile"].drop()
