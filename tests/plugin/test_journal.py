"""Who may work on a run, and what becomes of work that ended early."""

import os
import signal
import threading

import fiftyone as fo
import pytest
from plugin_builders import operator, plugin_module, start
from pymongo.collection import Collection

KalosError = plugin_module("kalos_core").KalosError
runs = plugin_module("operators.runs")
journal = plugin_module("operators.journal")
leftovers = plugin_module("operators.leftovers")
audits = plugin_module("operators.audit")
disagreement = plugin_module("operators.disagreement")
pending = plugin_module("operators.pending")
run_fields = plugin_module("operators.run_fields")
staging = plugin_module("operators.staging")


def staged():
    names = journal.get_db_conn().list_collection_names()
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


def test_what_died_while_clearing_up_is_not_written_again(
    compute, dataset, monkeypatch
):
    def die(*_, **__):
        raise KeyboardInterrupt

    for n_dropped in range(3):
        with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
            dropped, real = [], Collection.drop

            def drop(collection, *given, n=n_dropped, seen=dropped, real=real):
                seen.append(collection.name)
                return die() if len(seen) > n else real(collection, *given)

            broken.setattr(Collection, "drop", drop)
            compute(dataset, "gt", overwrite=True)
        runs.tidy(dataset)
        assert dataset.values("kalos_alpha") == [0.0, 1.0, None]
        assert not staged()


def test_what_died_while_computing_leaves_no_trace(
    compute, dataset, snapshot, monkeypatch
):
    before = snapshot(dataset)
    for name in ("read_and_count", "measure_pairs", "diagnose", "UnitLabels"):

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
        return real(dataset, record)

    monkeypatch.setattr(runs, "finish", change_first)
    compute(dataset, "gt")
    boxes = dataset.first().gt.detections
    assert [(box.label, box.rater, box.kalos_unit) for box in boxes] == [
        ("dog", "ben", 2),
        ("cat", "ana", 2),
        ("cat", "ben", 1),
    ]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_label_field_that_goes_meanwhile_is_said(
    compute, dataset, monkeypatch, replaced
):
    if replaced:
        compute(dataset, "gt")
    real = runs.finish

    def rename_first(dataset, record):
        dataset.rename_sample_field("gt", "renamed")
        return real(dataset, record)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(runs, "finish", rename_first)
        with pytest.raises(KalosError, match=r"'gt' of .* was renamed or deleted whi"):
            compute(dataset, "gt", overwrite=replaced)
    assert not staged()
    assert runs.keys(dataset) == ["kalos"] * replaced
    kept = [name for name in dataset.get_field_schema() if name.startswith("kalos_")]
    assert bool(kept) == replaced
    if replaced:
        assert dataset.values("kalos_alpha") == [0.0, 1.0, None]
        assert dataset.values("renamed.detections.kalos_unit")[0] == [1, 1, 2, 2]


def test_a_label_field_that_goes_after_a_kill_locks_nobody_out(
    compute, dataset, monkeypatch
):
    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(type(dataset), "register_run", die)
        compute(dataset, "gt")
    dataset.rename_sample_field("gt", "renamed")
    assert runs.keys(dataset) == []
    assert not any(name.startswith("kalos_") for name in dataset.get_field_schema())
    assert compute(dataset, "renamed")["mean_alpha"] == 0.5


MOMENTS = {
    "reading": (audits, "read_and_count"),
    "computing": (audits, "diagnose"),
    "staging": (staging, "stage"),
    "ready": (runs, "finish"),
    "declaring": (run_fields, "write"),
    "filling": (staging, "merge"),
    "registering": (pending, "register"),
    "ending": (pending, "put"),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("by_another", [False, True])
def test_a_data_set_that_goes_meanwhile_is_said(
    compute, dataset, monkeypatch, moment, by_another
):
    gone, (where, name) = dataset.clone(), MOMENTS[moment]
    gone.persistent = True
    real, before = getattr(where, name), collections()

    def delete():
        if fo.dataset_exists(gone.name):
            fo.delete_dataset(gone.name)

    def after_deleting(*given, **options):
        if by_another:
            os.waitpid(start(delete), 0)
        else:
            delete()
        return real(*given, **options)

    monkeypatch.setattr(where, name, after_deleting)
    with pytest.raises(KalosError, match=r"data set was deleted during the audit 'kal"):
        compute(gone, "gt")
    assert not staged()
    assert not journal.records().count_documents({})
    assert collections() <= before
    assert not fo.dataset_exists(gone.name)


def collections():
    names = journal.get_db_conn().list_collection_names()
    return {name for name in names if name.startswith("samples.")}


def test_a_run_that_another_process_replaces_is_read_anew(compute, dataset):
    compute(dataset, "gt")
    dataset.persistent = True
    show = operator("show_disagreement")
    assert len(show(dataset, kind="class")) == 1
    os.waitpid(start(lambda: compute(dataset.skip(1), "gt", overwrite=True)), 0)
    assert len(show(dataset, kind="class")) == 0
    dataset.persistent = False


def test_no_view_is_saved_of_a_run_that_is_deleted_meanwhile(
    compute, dataset, monkeypatch
):
    compute(dataset, "gt")
    real = disagreement.Disagreement.view

    def view(*given):
        operator("delete_run")(dataset, "kalos")
        return real(*given)

    monkeypatch.setattr(disagreement.Disagreement, "view", view)
    with pytest.raises(KalosError, match=r"Run 'kalos' of .* was deleted meanwhile"):
        operator("show_disagreement")(dataset, save_as="mine")
    assert dataset.list_saved_views() == []


def test_a_run_is_not_deleted_while_its_audit_is_at_work(compute, dataset):
    compute(dataset, "gt")
    with journal.begin(dataset, "kalos"):
        with pytest.raises(KalosError, match=r"is at work\. Stop it first"):
            operator("delete_run")(dataset, "kalos")
    operator("delete_run")(dataset, "kalos")
    assert runs.keys(dataset) == []


def test_what_is_left_of_a_data_set_that_is_gone_is_removed(compute, dataset):
    def audit():
        runs.finish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        compute(gone, "gt")

    gone = dataset.clone()
    os.waitpid(start(audit), 0)
    gone.delete()
    orphan = journal.get_db_conn()[f"{journal.STAGED}.0123"]
    orphan.insert_one({})
    with journal.begin(dataset, "kalos") as work:  # what is at work stays
        work.staged.insert_one({})
        (record,) = leftovers.homeless()
        assert {f"{journal.STAGED}.{record['token']}", orphan.name} < set(staged())
        compute(dataset, "gt", run_key="next")
        assert staged() == [work.staged.name]
        assert not leftovers.homeless()
    assert not staged()


def test_what_died_is_finished_once(compute, dataset, monkeypatch):
    """Two who look at the same time do not both write, or remove, what is staged."""

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(type(dataset), "register_run", die)
        compute(dataset, "gt")
    (record,) = journal.abandoned(dataset)
    began = []

    def fail(own):
        began.append(own)
        assert not journal.abandoned(dataset)
        journal.take_over(record, began.append)
        assert not journal.abandoned(dataset)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.take_over(record, fail)
    assert began == [record]
    (record,) = journal.abandoned(dataset)
    assert runs.keys(dataset) == ["kalos"]
    assert not staged()


def test_who_was_taken_for_dead_writes_nothing(compute, dataset, snapshot, monkeypatch):
    before = snapshot(dataset)
    real = audits.runs.save

    def forgotten(work, *given):
        journal.forget(work.record)
        real(work, *given)

    monkeypatch.setattr(audits.runs, "save", forgotten)
    with pytest.raises(KalosError, match="The audit 'kalos' was stopped"):
        compute(dataset, "gt")
    assert snapshot(dataset) == before
    assert not staged()
