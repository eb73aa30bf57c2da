"""Read-only fields are refused in words, and nothing that is stuck blocks the rest."""

import pytest
import snapshots
from plugin_builders import operator, plugin_module

KalosError = plugin_module("kalos_core").KalosError
journal = plugin_module("operators.journal")
runs = plugin_module("operators.runs")


def lock(dataset, path, locked=True):
    field = dataset.get_field(path)
    field.read_only = locked
    field.save()


@pytest.mark.parametrize("path", ["gt", "gt.detections"])
def test_an_audit_does_not_begin(context, compute, dataset, monkeypatch, path):
    lock(dataset, path)
    before = snapshots.take(dataset)
    reading = plugin_module("operators.audit")
    monkeypatch.setattr(reading, "read_and_count", None)
    for options in ({}, {"delegate": True}):
        with pytest.raises(KalosError, match=f"Field '{path}' .* is read-only"):
            compute(dataset, "gt", **options)
    form = compute.resolve_input(context(dataset)).type.properties
    assert "is read-only" in form["problem"].view.label
    assert snapshots.take(dataset) == before


def test_what_writes_nothing_to_labels_still_works(cells):
    lock(cells, "gt")
    assert operator("calibrate")(cells, "gt")["d_loc"]


def test_a_field_that_is_locked_meanwhile_blocks_nothing_else(
    compute, dataset, monkeypatch
):
    compute(dataset, "gt", run_key="first")
    real = runs.finish

    def lock_first(dataset, record):
        lock(dataset, "gt")
        return real(dataset, record)

    with monkeypatch.context() as late, pytest.raises(KalosError, match="read-only"):
        late.setattr(runs, "finish", lock_first)
        compute(dataset, "gt")
    dataset.reload()
    assert runs.keys(dataset) == ["first"]
    assert len(operator("show_disagreement")(dataset))
    operator("create_consensus")(dataset)
    with pytest.raises(KalosError, match=r"'gt' .* is read-only"):
        operator("delete_run")(dataset, "first")
    with pytest.raises(KalosError, match=r"'kalos' was computed but is not.*read-only"):
        with journal.begin(dataset, "kalos"):
            pass
    dataset.delete_sample_field("first_consensus")
    lock(dataset, "gt", False)
    assert runs.keys(dataset) == ["first", "kalos"]
    assert dataset.values("kalos_alpha") == [0.0, 1.0, None]
    for key in ("first", "kalos"):
        operator("delete_run")(dataset, key)


def test_what_is_stuck_can_be_given_up(compute, dataset, monkeypatch):
    before = snapshots.take(dataset, clocks=False)

    def fail(*_):
        raise ValueError("no space is left")

    with monkeypatch.context() as full:
        full.setattr(runs, "_write", fail)
        with pytest.raises(ValueError, match="no space"):
            compute(dataset, "gt")
        assert runs.keys(dataset) == []
        with pytest.raises(KalosError, match=r"no space is left.*delete_run"):
            compute(dataset, "gt")
        operator("delete_run")(dataset, "kalos")
    assert snapshots.take(dataset, clocks=False) == before
    assert not journal.abandoned(dataset)


def test_labels_that_could_not_be_written_are_not_audited(
    import_annotations, samples, file, monkeypatch
):
    staging = plugin_module("operators.staging")

    def fail(*_):
        raise ValueError("no space is left")

    with monkeypatch.context() as full:
        full.setattr(staging, "merge", fail)
        with pytest.raises(ValueError, match="no space"):
            import_annotations(samples, file)
        runs.tidy(samples)
        with pytest.raises(
            KalosError, match=r"import 'labels.json' .*no space is left"
        ):
            operator("compute_agreement")(samples, "ratings")
    operator("compute_agreement")(samples, "ratings")
