"""The field of a consensus: all of it or nothing, over nothing of the user's."""

import os
import random
import signal
import time

import fiftyone as fo
import pytest
from consensus_builders import values, without
from plugin_builders import (
    detection,
    in_one_field,
    operator,
    plugin_module,
    start,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError
journal = plugin_module("operators.journal")
staging = plugin_module("operators.staging")


def test_nothing_is_overwritten(create, audited, snapshot):
    create(audited)
    before = snapshot(audited)
    refused = {
        "has a field 'kalos_consensus' already": {},
        "has a field 'gt' already": {"field": "gt"},
        "The consensus must have a name like": {"field": "a.b"},
        "no finished KαLOS run 'none'": {"run_key": "none"},
        "unknown shape 'mode'": {"field": "x", "shape": "mode"},
        "min_votes must be": {"field": "x", "min_votes": 0},
        "min_existence must be a number from 0 to 1": {
            "field": "x",
            "min_existence": 2,
        },
        "unknown on_changed": {"field": "x", "on_changed": "ignore"},
    }
    for message, options in refused.items():
        with pytest.raises(KalosError, match=message):
            create(audited, **options)
    assert snapshot(audited) == before


def test_it_outlives_its_run_unless_asked(create, compute, audited):
    create(audited)
    audited.clone_sample_field("kalos_consensus", "mine")
    operator("delete_run")(audited, "kalos")
    assert values(audited, "label")[0] == ["cat", "cat"]
    compute(audited, "gt")
    operator("delete_run")(audited, "kalos", consensus=True)
    assert audited.get_field("kalos_consensus") is None
    assert audited.get_field("mine") is not None


def test_deleting_both_leaves_no_trace(create, compute, dataset, snapshot):
    before = snapshot(dataset, clocks=False)
    compute(dataset, "gt")
    create(dataset)
    operator("delete_run")(dataset, "kalos", consensus=True)
    assert snapshot(dataset, clocks=False) == before


def test_a_consensus_is_no_rater(create, compute, per_rater):
    compute(per_rater, ["ana", "ben"])
    create(per_rater)
    found = plugin_module("operators.layouts").detect_layout(per_rater)
    assert found.label_fields == ("ana", "ben")


def die(*_, **__):
    raise KeyboardInterrupt


def test_a_second_try_begins_anew(create, audited, monkeypatch):
    before = stored(audited)
    for _ in range(2):
        with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
            broken.setattr(staging, "merge", die)
            create(audited)
        assert stored(audited) == before
    made = create(audited, min_votes=2)
    assert made["n_labels"] == 2
    assert values(audited, "label")[2] == []
    assert not journal.abandoned(audited)


def test_what_only_lacked_writing_is_written_by_the_next(
    create, compute, audited, monkeypatch
):
    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(staging, "merge", die)
        create(audited)
    compute(audited, "gt", run_key="next")
    assert values(audited, "label")[0] == ["cat", "cat"]
    assert not journal.abandoned(audited)


def test_a_field_that_came_meanwhile_is_left(create, audited, monkeypatch):
    real = staging.stage

    def first_somebody_else(*given):
        audited.add_sample_field("kalos_consensus", fo.IntField)
        audited.set_values("kalos_consensus", [1, 2, 3])
        real(*given)

    with monkeypatch.context() as changed:
        changed.setattr(staging, "stage", first_somebody_else)
        with pytest.raises(KalosError, match="has a field 'kalos_consensus' already"):
            create(audited)
    assert audited.values("kalos_consensus") == [1, 2, 3]
    assert not journal.abandoned(audited)


def test_a_kill_leaves_all_or_nothing(create, compute):
    rng = random.Random(0)

    def boxes():
        return [
            detection(rng.choice("ab"), *(10 + 20 * v for v in divmod(n, 4)), 12, 12)
            for n in range(12)
        ]

    made = in_one_field(
        fo.Detections,
        {f"{n}": {"ana": boxes(), "ben": boxes()} for n in range(60)},
    )
    compute(made, "gt")
    before = stored(made)
    begin = time.monotonic()
    os.waitpid(start(lambda: create(made)), 0)
    length = time.monotonic() - begin
    made.reload()
    complete = values(made, "label")
    made.delete_sample_field("kalos_consensus")
    for _ in range(8):
        child = start(lambda: create(made))
        time.sleep(rng.uniform(0, length))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        made.reload()
        assert [without(record) for record in stored(made)] == before
        if any("kalos_consensus" in record for record in stored(made)):
            assert values(made, "label") == complete
        finished = made.get_field("kalos_consensus") is not None and not (
            journal.abandoned(made)
        )
        if not finished:
            create(made)
        assert values(made, "label") == complete
        made.delete_sample_field("kalos_consensus")
        assert stored(made) == before
    made.delete()
