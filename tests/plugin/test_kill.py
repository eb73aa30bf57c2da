"""An audit that is killed at any moment leaves labels and earlier runs as they were."""

import os
import random
import signal
import time

import pytest
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    plugin_module,
    sample,
    start,
    stored,
)

runs = plugin_module("operators.runs")
journal = plugin_module("operators.journal")

N_KILLS = 30
RATERS = ("ana", "ben", "cho")


@pytest.fixture
def crowded():
    """Return a data set that takes a moment to audit, with one run."""
    rng = random.Random(0)

    def boxes():
        for n in range(12):
            for rater in RATERS:
                x, y = (10 + 20 * v + rng.random() for v in divmod(n, 4))
                if rng.random() > 0.1:
                    yield detection(rng.choice("ab"), x, y, 12, 12, rater=rater)

    made = make_dataset(
        *(
            sample(f"{n:03}", gt=detections(*boxes()), raters=list(RATERS))
            for n in range(60)
        )
    )
    yield made
    made.delete()


def results(dataset, key):
    dataset.reload()
    return dataset.load_run_results(key, cache=False).serialize()


def kill_after(seconds, work):
    child = start(work)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def duration(work):
    begin = time.monotonic()
    os.waitpid(start(work), 0)
    return time.monotonic() - begin


def test_a_kill_loses_nothing(compute, crowded):
    compute(crowded, "gt", run_key="first")
    labels, first = stored(crowded), results(crowded, "first")

    def audit():
        compute(crowded, "gt", run_key="second", tau=0.4)

    length = duration(audit)
    assert runs.keys(crowded.reload() or crowded) == ["first", "second"]
    complete = results(crowded, "second")
    runs.remove(crowded, "second")
    rng, ends = random.Random(1), []
    for _ in range(N_KILLS):
        kill_after(rng.uniform(0, length), audit)
        crowded.reload()
        assert stored(crowded, less=["second"]) == labels
        assert results(crowded, "first") == first
        runs.tidy(crowded)
        ends.append("second" in runs.keys(crowded))
        if ends[-1]:
            found = results(crowded, "second")
            assert found["alpha"] == complete["alpha"]
            assert crowded.values("second_alpha") == complete["alpha"]
            runs.remove(crowded, "second")
        assert stored(crowded) == labels
        assert runs.keys(crowded) == ["first"]
        assert not journal.abandoned(crowded)
    assert not all(ends)
    compute(crowded, "gt", run_key="second", tau=0.4)
    assert runs.keys(crowded) == ["first", "second"]


def test_a_kill_while_replacing_leaves_the_old_run_or_the_new_one(compute, crowded):
    compute(crowded, "gt", tau=0.2)
    old = results(crowded, "kalos")["alpha"]

    def replace():
        compute(crowded, "gt", tau=0.9, overwrite=True)

    length = duration(replace)
    new = results(crowded, "kalos")["alpha"]
    assert new != old
    rng, seen = random.Random(2), set()
    for _ in range(12):
        compute(crowded, "gt", tau=0.2, overwrite=True)
        kill_after(rng.uniform(0, length), replace)
        crowded.reload()
        runs.tidy(crowded)
        found = results(crowded, "kalos")["alpha"]
        assert found in (old, new)
        assert crowded.values("kalos_alpha") == found
        seen.add(found == new)
    assert False in seen
