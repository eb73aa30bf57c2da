"""What is killed at any moment leaves labels, earlier runs and the App as they were."""

import os
import random
import signal
import time

import pytest
import snapshots
from fiftyone.core.odm import get_db_conn
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
    start,
    stored,
)

runs = plugin_module("operators.runs")
calibrations = plugin_module("operators.calibrations")
journal = plugin_module("operators.journal")
queue_marks = plugin_module("operators.queue_marks")
staging = plugin_module("operators.staging")

RATERS = ("ana", "ben", "cho")
OUTSIDE, COMPUTING, STAGING, WRITING = "outside", "computing", "staging", "writing"
N_IN_EACH_PHASE, N_REPLACING, N_OF_OTHERS = 6, 12, 6
N_KILLS, MOST_TRIES = 30, 90
"""Kills that must hit an audit while it runs, and how many may be tried for that."""


@pytest.fixture
def crowded():
    """Return a data set that takes a moment to audit, with much of the user's own."""
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
    made.info, made.tags = {"scanner": 3}, ["mine"]
    made.limit(5).tag_samples("first")
    made.save_view("five", made.limit(5))
    made.save()
    yield made
    made.delete()


def results(dataset, key):
    dataset.reload()
    return dataset.load_run_results(key, cache=False).serialize()


def phase(dataset, key="second"):
    """Return what the audit under a key is doing, or was when it was killed."""
    database = get_db_conn()
    record = database[journal.RECORDS].find_one({"_id": f"{dataset._doc.id}:{key}"})
    if record is None:
        return OUTSIDE  # not begun yet, or done
    if record.get("state") == journal.READY:
        return WRITING
    staged = database[f"{journal.STAGED}.{record['token']}"].find_one({}, {"_id": 1})
    return COMPUTING if staged is None else STAGING


def leftovers():
    """Return the collections in which results wait, of all data sets."""
    names = get_db_conn().list_collection_names()
    return {name for name in names if name.startswith(journal.STAGED)}


def ended(child):
    return os.waitpid(child, os.WNOHANG) != (0, 0)


def timed(work, look):
    """Do the work; return how long it takes and how long in each phase."""
    child, begin = start(work), time.monotonic()
    spent, last = {}, begin
    while not ended(child):
        seen, now = look(), time.monotonic()
        spent[seen], last = spent.get(seen, 0) + now - last, now
    return last - begin, spent


def kill_after(seconds, work, until=lambda: True):
    """Kill the work so many seconds after a moment that is waited for.

    Returns whether it was still running then.
    """
    child = start(work)
    while not until():
        if ended(child):
            return False
        time.sleep(0.001)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def spread(rng, n, length):
    """Return moments at random, one in each of n equal parts."""
    return [(place + rng.random()) * length / n for place in range(n)]


def test_a_kill_loses_nothing(compute, crowded, monkeypatch):
    monkeypatch.setattr(staging, "BATCH", 5)  # more moments at which it is staging
    compute(crowded, "gt", run_key="first")

    def audit():
        compute(crowded, "gt", run_key="second", tau=0.4, colours=True)

    def undo():
        operator("delete_run")(crowded, "second")

    before, waiting = snapshots.take(crowded), leftovers()
    labels, lasting = stored(crowded), snapshots.take(crowded, clocks=False)
    length, spent = timed(audit, lambda: phase(crowded))
    assert set(spent) >= {COMPUTING, STAGING, WRITING}
    complete = results(crowded, "second")["alpha"]
    undo()
    before, rng, seen = snapshots.take(crowded), random.Random(1), []

    def check():
        nonlocal before
        seen.append(phase(crowded))
        if seen[-1] in (COMPUTING, STAGING):
            assert snapshots.take(crowded) == before
        crowded.reload()
        assert stored(crowded, less=["second"]) == labels
        runs.tidy(crowded)
        assert not journal.abandoned(crowded) and leftovers() == waiting
        if "second" in runs.keys(crowded):
            assert seen[-1] in (WRITING, OUTSIDE)
            assert results(crowded, "second")["alpha"] == complete
            assert crowded.values("second_alpha") == complete
            undo()
            assert snapshots.take(crowded, clocks=False) == lasting
            before = snapshots.take(crowded)
        else:
            assert seen[-1] != WRITING
            assert snapshots.take(crowded) == before
        if seen.count(seen[-1]) == 1:
            compute(crowded.limit(2), "gt", run_key="second", colours=True)
            undo()
            assert snapshots.take(crowded, clocks=False) == lasting
            before = snapshots.take(crowded)

    hits = 0
    for wanted in (COMPUTING, STAGING, WRITING):
        for moment in spread(rng, N_IN_EACH_PHASE, spent[wanted]):
            hits += kill_after(moment, audit, lambda: phase(crowded) == wanted)  # noqa: B023
            check()
    while hits < N_KILLS and len(seen) < MOST_TRIES:
        hits += kill_after(rng.random() * length, audit)
        check()
    assert hits >= N_KILLS and set(seen) >= {COMPUTING, STAGING, WRITING}
    audit()
    assert runs.keys(crowded) == ["first", "second"]


def test_a_kill_while_replacing_leaves_the_old_run_or_the_new_one(compute, crowded):
    compute(crowded, "gt", tau=0.2)
    old = results(crowded, "kalos")["alpha"]

    def replace():
        compute(crowded, "gt", tau=0.9, overwrite=True)

    length, _ = timed(replace, lambda: None)
    new = results(crowded, "kalos")["alpha"]
    assert new != old
    compute(crowded, "gt", tau=0.2, overwrite=True)
    _, spent = timed(replace, lambda: phase(crowded, "kalos"))
    rng, seen = random.Random(2), set()

    def check():
        # One of them is there before anybody tidies, with all of its fields.
        found = results(crowded, "kalos")["alpha"]
        assert found in (old, new)
        both = zip(crowded.values("kalos_alpha"), old, new, strict=True)
        assert all(value in known for value, *known in both)
        seen.add((phase(crowded, "kalos"), found == new))
        runs.tidy(crowded)
        found = results(crowded, "kalos")["alpha"]
        assert found in (old, new)
        assert crowded.values("kalos_alpha") == found
        compute(crowded, "gt", tau=0.2, overwrite=True)

    compute(crowded, "gt", tau=0.2, overwrite=True)
    for moment in spread(rng, N_REPLACING, length):
        kill_after(moment, replace)
        check()
    for wanted in (COMPUTING, WRITING):
        for moment in spread(rng, N_IN_EACH_PHASE, spent[wanted]):
            kill_after(moment, replace, lambda: phase(crowded, "kalos") == wanted)  # noqa: B023
            check()
    assert {(COMPUTING, False), (WRITING, False)} <= seen


def test_a_killed_calibration_leaves_all_of_it_or_nothing(crowded):
    def calibrate(**options):
        return operator("calibrate")(crowded, "gt", **options)

    before = snapshots.take(crowded)
    length, _ = timed(calibrate, lambda: None)
    complete = results(crowded, "calibration")
    operator("delete_run")(crowded, "calibration")
    assert snapshots.take(crowded) == before
    for moment in spread(random.Random(3), N_OF_OTHERS, length):
        kill_after(moment, calibrate)
        assert snapshots.documents(crowded) == before["samples"]
        crowded.reload()
        if calibrations.keys(crowded):
            assert results(crowded, "calibration") == complete
        calibrate(overwrite=True)
        assert results(crowded, "calibration") == complete
        operator("delete_run")(crowded, "calibration")
        assert snapshots.take(crowded) == before


def test_a_killed_queue_is_built_by_the_next_try(compute, crowded, tmp_path):
    path = tmp_path / "queue.csv"

    def build():
        operator("build_relabel_queue")(crowded, n=9, csv=path)

    def labels():
        """Return the samples less the tags of the queue."""
        found = stored(crowded)
        for record in found:
            record["tags"] = [tag for tag in record["tags"] if "relabel" not in tag]
        return found

    untouched = snapshots.take(crowded, clocks=False)
    compute(crowded, "gt")
    before = stored(crowded)
    length, _ = timed(build, lambda: None)
    crowded.reload()
    complete, rows = stored(crowded), path.read_bytes()
    assert complete != before
    for moment in spread(random.Random(4), N_OF_OTHERS, length):
        queue_marks.withdraw(crowded, "kalos", "kalos_relabel")
        path.unlink()
        assert stored(crowded) == before
        kill_after(moment, build)
        crowded.reload()
        assert labels() == before
        assert not path.exists() or path.read_bytes() == rows
        build()
        assert stored(crowded) == complete and path.read_bytes() == rows
        assert crowded.list_saved_views() == ["five", "kalos_relabel"]
    operator("delete_run")(crowded, "kalos")
    assert snapshots.take(crowded, clocks=False) == untouched


def test_what_no_list_has_is_removed(compute, crowded):
    """As killed right after FiftyOne has stored a run, or a view, by itself."""
    compute(crowded, "gt")
    operator("build_relabel_queue")(crowded, n=2)
    before = snapshots.take(crowded, clocks=False)
    database = get_db_conn()
    for name, own in (
        ("runs", {"key": "_kalos_pending", "results": None}),
        ("views", {"name": "kalos_relabel"}),
    ):
        database[name].insert_one({"_dataset_id": crowded._doc.id, **own})
    runs.tidy(crowded)
    operator("build_relabel_queue")(crowded, n=2)
    found = snapshots.take(crowded, clocks=False)
    assert [len(found[name]) for name in ("runs", "views")] == [
        len(before[name]) for name in ("runs", "views")
    ]
