"""Who may work on a run, and what becomes of work that ended early."""

import threading

import pytest
from plugin_builders import operator, plugin_module

KalosError = plugin_module("kalos_core").KalosError
runs = plugin_module("operators.runs")
journal = plugin_module("operators.journal")
audits = plugin_module("operators.audit")


def staged():
    names = plugin_module("operators.journal").get_db_conn().list_collection_names()
    return [name for name in names if name.startswith(journal.STAGED)]


def test_the_same_key_is_refused_while_it_is_at_work(compute, dataset):
    with journal.begin(dataset, "kalos") as work:
        work.tell(0.25, "Reading")
        with pytest.raises(KalosError, match=r"An audit 'kalos' of .* is at work"):
            compute(dataset, "gt")
        compute(dataset, "gt", run_key="other")
    compute(dataset, "gt")
    assert runs.keys(dataset) == ["other", "kalos"]


def test_two_audits_at_once_both_succeed(compute, dataset):
    errors = []

    def audit(key):
        try:
            compute(dataset, "gt", run_key=key)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=audit, args=(f"run_{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    dataset.reload()
    assert sorted(runs.keys(dataset)) == [f"run_{n}" for n in range(4)]
    for n in range(4):
        assert dataset.values(f"run_{n}_alpha") == [0.0, 1.0, None]
        assert dataset.values(f"gt.detections.run_{n}_unit")[0] == [1, 1, 2, 2]


def test_an_audit_can_be_stopped(compute, dataset, snapshot, monkeypatch):
    monkeypatch.setattr(journal, "BEAT", 0.01)
    before = snapshot(dataset)
    reached, go_on = threading.Event(), threading.Event()

    def tell(done, label):
        if done > 0.3:
            reached.set()
            go_on.wait(10)

    ended = []

    def audit():
        layout = plugin_module("operators.layouts").OneField("gt")
        configuration = plugin_module("kalos_core").Configuration()
        try:
            audits.audit(dataset, layout, configuration, tell=tell)
        except KalosError as error:
            ended.append(str(error))

    thread = threading.Thread(target=audit)
    thread.start()
    reached.wait(10)
    operator("stop_run")(dataset, "kalos")
    while not journal.at_work(dataset)[0].get("stop"):
        pass
    threading.Event().wait(0.2)  # a few beats
    go_on.set()
    thread.join()
    assert ended == ["The audit 'kalos' was stopped."]
    assert snapshot(dataset) == before
    assert not staged()
    with pytest.raises(KalosError, match=r"No audit 'kalos' of .* At work: none"):
        operator("stop_run")(dataset, "kalos")


@pytest.mark.parametrize("step", ["register_run", "save_run_results"])
def test_what_only_lacked_writing_is_written_by_the_next(
    compute, dataset, monkeypatch, step
):
    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(type(dataset), step, die)
        compute(dataset, "gt")
    assert operator("show_disagreement")(dataset, run_key="kalos") is not None
    assert runs.keys(dataset) == ["kalos"]
    assert dataset.values("kalos_alpha") == [0.0, 1.0, None]
    assert not staged()


def test_what_died_while_computing_leaves_no_trace(
    compute, dataset, snapshot, monkeypatch
):
    before = snapshot(dataset)
    for name in ("read_annotations", "measure_pairs", "diagnose", "UnitLabels"):

        def die(*_, **__):
            raise MemoryError

        with monkeypatch.context() as broken, pytest.raises(MemoryError):
            broken.setattr(audits, name, die)
            compute(dataset, "gt")
        assert snapshot(dataset) == before
        assert not staged()


def test_labels_that_change_meanwhile_keep_their_own_units(
    compute, dataset, monkeypatch
):
    real = runs.finish

    def change_first(dataset, record):
        first = dataset.first()
        del first.gt.detections[0]
        first.gt.detections.reverse()
        first.save()
        real(dataset, record)

    monkeypatch.setattr(runs, "finish", change_first)
    compute(dataset, "gt")
    boxes = dataset.first().gt.detections
    assert [(box.label, box.rater, box.kalos_unit) for box in boxes] == [
        ("dog", "ben", 2),
        ("cat", "ana", 2),
        ("cat", "ben", 1),
    ]


def test_a_run_is_not_deleted_while_its_audit_is_at_work(compute, dataset):
    compute(dataset, "gt")
    with journal.begin(dataset, "kalos"):
        with pytest.raises(KalosError, match=r"is at work\. Stop it first"):
            operator("delete_run")(dataset, "kalos")
    operator("delete_run")(dataset, "kalos")
    assert runs.keys(dataset) == []
