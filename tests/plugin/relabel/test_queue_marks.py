"""Tags and views of a queue: its own are replaced and undone, the user's are left."""

import fiftyone as fo
import pytest
from plugin_builders import in_one_field, operator, plugin_module
from queue_builders import drawn, picked, tagged

KalosError = plugin_module("kalos_core").KalosError


def test_again_replaces_its_own_tags_only(build, queued):
    picked(queued, "three").tag_samples("mine")
    build(queued)
    build(queued, tag="other", csv=False)
    build(queued, n=1)
    assert tagged(queued) == ["one"]
    assert tagged(queued, "other") == ["one", "two"]
    assert tagged(queued, "mine") == ["three"]
    build(queued, by="unit")
    assert tagged(queued) == []
    assert queued.count_label_tags(label_fields="kalos_units") == {"kalos_relabel": 2}
    assert sorted(queued.list_saved_views()) == ["kalos_relabel", "other"]


def test_what_is_the_users_is_refused(build, compute, queued, snapshot, tmp_path):
    queued.limit(1).tag_samples("mine")
    queued.save_view("My view", queued.limit(1))
    (tmp_path / "mine.csv").write_text("mine")
    before = snapshot(queued)
    refused = {
        "1 samples .* have a tag 'mine' that this queue did not": {"tag": "mine"},
        "A saved view 'My view' exists": {"save_as": "my-view"},
        "No view can be saved as '😀'": {"save_as": "😀"},
        r"mine\.csv' exists already": {"csv": tmp_path / "mine.csv"},
        "There is no folder": {"csv": tmp_path / "no" / "x.csv"},
        r"does not begin with '\$', got '\$set'": {"tag": "$set"},
        "no finished KαLOS run 'none'": {"run_key": "none"},
        "unknown on_changed 'ignore'": {"on_changed": "ignore"},
    }
    for message, options in refused.items():
        with pytest.raises(KalosError, match=message):
            build(queued, **options)
    assert snapshot(queued) == before
    assert (tmp_path / "mine.csv").read_text() == "mine"
    compute(queued, "gt", run_key="second")
    build(queued, run_key="kalos", tag="x")
    with pytest.raises(KalosError, match="is that of a queue of run 'kalos'"):
        build(queued, run_key="second", tag="x")


def test_a_tag_that_the_user_also_gave_is_left(build, queued):
    build(queued, n=1)
    picked(queued, "three").tag_samples("kalos_relabel")
    with pytest.raises(KalosError, match="1 samples"):
        build(queued)
    operator("delete_run")(queued, "kalos")
    assert tagged(queued) == ["three"]


def test_a_view_that_the_user_made_under_the_name_is_left(build, queued):
    build(queued)
    queued.delete_saved_view("kalos_relabel")
    queued.save_view("kalos_relabel", queued.limit(1))
    with pytest.raises(KalosError, match="A saved view 'kalos_relabel' exists"):
        build(queued)
    operator("delete_run")(queued, "kalos")
    assert queued.list_saved_views() == ["kalos_relabel"]


def test_undo_leaves_no_trace(build, compute, snapshot):
    made = in_one_field(fo.Detections, drawn())
    before = snapshot(made, clocks=False)
    compute(made, "gt")
    build(made)
    build(made, by="unit", tag="objects", csv=False)
    operator("delete_run")(made, "kalos")
    assert snapshot(made, clocks=False) == before
    made.delete()


def test_a_replaced_run_takes_its_queues_along(build, compute, queued):
    build(queued)
    compute(queued, "gt", overwrite=True)
    assert tagged(queued) == [] and queued.list_saved_views() == []
    build(queued)
    assert tagged(queued) == ["one", "two"]


def test_what_was_interrupted_is_replaced(build, queued, monkeypatch):
    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(fo.Dataset, "save_view", die)
        build(queued)
    assert tagged(queued) == ["one", "two"]
    build(queued, n=1)
    assert tagged(queued) == ["one"]
    operator("delete_run")(queued, "kalos")
    assert tagged(queued) == [] and queued.list_saved_views() == []
