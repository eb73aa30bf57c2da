"""Whatever is at work can be stopped, and leaves no trace."""

import os

import fiftyone as fo
import pytest
from import_builders import FILES, image_files
from plugin_builders import operator, plugin_module, stored

core = plugin_module("kalos_core")
KalosError = core.KalosError
journal = plugin_module("operators.journal")
layouts = plugin_module("operators.layouts")

GT = layouts.OneField("gt")


def audit(dataset, **told):
    plugin_module("operators.audit").audit(
        dataset, GT, core.Configuration(), "second", **told
    )


def calibrate(dataset, **told):
    plugin_module("operators.calibrate").calibrate(dataset, GT, **told)


def queue(dataset, **told):
    relabelling = plugin_module("operators.relabelling")
    relabelling.build(dataset, relabelling.Request("kalos", csv="q.csv"), **told)


def consensus(dataset, **told):
    plugin_module("operators.consensus_labels").create(
        dataset, "kalos", "agreed", **told
    )


def export(dataset, **told):
    plugin_module("operators.exporting").export(dataset, "kalos", "out", **told)


def bring_in(dataset, **told):
    importing = plugin_module("operators.importing")
    importing.run_import(importing.Request(dataset.name, "labels.json"), **told)


def bring_in_new(dataset, **told):
    importing = plugin_module("operators.importing")
    request = importing.Request("kalos-new", "labels.json", images_dir="images")
    importing.run_import(request, **told)


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """Let whatever is written go to a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stop_at(part, dataset, key, monkeypatch):
    """Return arguments that have the work stopped when that part of it is done.

    The signs of life of a work tell it to stop, so it waits for the next one.
    """
    monkeypatch.setattr(journal, "BEAT", 0.01)
    works = []

    def tell(done, label):
        (work,) = works
        if done >= part and not work._stopped.is_set():
            operator("stop_run")(dataset, key)
            assert work._stopped.wait(60)

    return {"tell": tell, "stoppable": works.append}


def files(folder):
    found = (os.path.join(at, name) for at, _, own in os.walk(folder) for name in own)
    return sorted(found)


@pytest.mark.parametrize("part", [0, 0.6])
@pytest.mark.parametrize(
    ("start", "key", "words"),
    [
        (audit, "second", "audit 'second'"),
        (calibrate, "calibration", "calibration 'calibration'"),
        (queue, "relabel queue kalos", "relabel queue 'kalos'"),
        (consensus, "consensus agreed", "consensus 'agreed'"),
        (export, "export kalos", "export 'kalos'"),
    ],
)
def test_nothing_is_left_of_it(
    compute, dataset, snapshot, in_folder, monkeypatch, start, key, words, part
):
    compute(dataset, "gt")
    before, documents = snapshot(dataset), stored(dataset)
    told = stop_at(part, dataset, key, monkeypatch)
    with pytest.raises(KalosError, match=f"The {words} was stopped"):
        start(dataset, **told)
    assert_no_trace(dataset, snapshot, before)
    assert stored(dataset) == documents
    assert not files(in_folder)
    start(dataset)  # and a second try is not in the way of anything


@pytest.mark.parametrize("part", [0, 0.3, 0.4, 0.6])
def test_nothing_is_left_of_an_import(
    samples, file, snapshot, in_folder, monkeypatch, part
):
    monkeypatch.setattr(plugin_module("operators.staging"), "BATCH", 1)
    before = snapshot(samples)
    told = stop_at(part, samples, "import labels.json", monkeypatch)
    with pytest.raises(KalosError, match=r"The import 'labels\.json' was stopped"):
        bring_in(samples, **told)
    assert_no_trace(samples, snapshot, before)
    bring_in(samples)


@pytest.mark.parametrize("part", [0.3, 0.35, 0.4, 0.6])
def test_nothing_is_left_of_a_new_data_set(
    samples, file, snapshot, in_folder, monkeypatch, part
):
    monkeypatch.setattr(plugin_module("operators.staging"), "BATCH", 1)
    image_files(in_folder / "images", *FILES)
    before, known = snapshot(samples), fo.list_datasets()
    told = stop_at(part, "kalos-new", "import labels.json", monkeypatch)
    with pytest.raises(KalosError, match=r"The import 'labels\.json' was stopped"):
        bring_in_new(samples, **told)
    assert fo.list_datasets() == known
    assert_no_trace(samples, snapshot, before)
    bring_in_new(samples)
    fo.delete_dataset("kalos-new")


def assert_no_trace(dataset, snapshot, before):
    assert snapshot(dataset) == before
    assert not journal.records().count_documents({})
    names = journal.get_db_conn().list_collection_names()
    assert not [name for name in names if name.startswith(journal.STAGED)]


def test_what_has_come_to_its_end_is_not_stopped(
    compute, dataset, in_folder, monkeypatch
):
    """When it says that it is done, all is written."""
    compute(dataset, "gt")
    for start in (calibrate, export):
        works = []

        def tell(done, label, works=works):
            if done == 1:
                works[0].stop()

        start(dataset, tell=tell, stoppable=works.append)
    assert sorted(dataset.list_runs()) == ["calibration", "kalos"]
    assert (in_folder / "out" / "run.json").exists()


def test_what_is_not_at_work_cannot_be_stopped(dataset):
    stop = operator("stop_run")
    with pytest.raises(KalosError, match=r"No 'kalos' is at work in .*: nothing"):
        stop(dataset, "kalos")
    with pytest.raises(KalosError, match="No 'import x' is at work in 'kalos-none'"):
        stop("kalos-none", "import x")
    with journal.begin(dataset, "kalos", "export", shared=True) as one:
        with journal.begin(dataset, "kalos", "export", shared=True) as other:
            with pytest.raises(KalosError, match="At work: 'export kalos', 'export"):
                stop(dataset.name, "kalos")
            stop(dataset.view(), "export kalos")
            records = journal.at_work(dataset)
            assert [record["stop"] for record in records] == [True, True]
            assert {r["token"] for r in records} == {
                one.record["token"],
                other.record["token"],
            }


def form(context, dataset):
    return operator("stop_run").resolve_input(context(dataset)).type.properties


def test_the_form_lists_all_that_is_at_work(context, dataset):
    assert form(context, dataset)["nothing"].invalid
    with (
        journal.begin(dataset, "kalos") as work,
        journal.begin("kalos-new", "labels.json", "import") as other,
    ):
        choices = form(context, dataset)["work"].view.choices
        names = ["import 'labels.json' into 'kalos-new'", "audit 'kalos'"]
        assert [c.label for c in choices] == [f"{name}: 0% done" for name in names]
        for asked, choice, name in zip((other, work), choices, names, strict=True):
            ctx = context(dataset, {"work": choice.value})
            operator("stop_run").execute(ctx)
            (said,) = ctx.executor._requests
            assert said.params["message"] == f"The {name} will stop at its next step."
            record = journal.records().find_one({"_id": asked.record["_id"]})
            assert record["stop"]
    operator("stop_run").execute(ctx)
    assert ctx.executor._requests[-1].params["variant"] == "error"
