"""The batch for an annotation backend, if there is one that takes it."""

import fake_backend
import fiftyone as fo
import pytest
import snapshots
from plugin_builders import in_a_field_each, plugin_module
from queue_builders import drawn, tagged

KalosError = plugin_module("kalos_core").KalosError


def test_a_backend_gets_the_samples(build, queued, fake):
    made = build(queued, backend="fake")
    assert "handed to 'fake'" in made["annotation"]
    [(key, files, schema)] = fake_backend.UPLOADED
    assert (key, files) == ("kalos_relabel", ["one.jpg", "two.jpg"])
    assert list(schema) == ["gt"]
    assert schema["gt"]["classes"] == ["cat", "dog"]
    assert list(schema["gt"]["attributes"]) == ["rater"]
    with pytest.raises(KalosError, match="annotation run 'kalos_relabel' exists"):
        build(queued, backend="fake")
    build(queued, by="unit", backend="fake", anno_key="second", label_field="fresh")
    assert fake_backend.UPLOADED[-1][2]["fresh"]["type"] == "detections"


def test_a_field_per_rater_has_to_be_named(build, compute, fake):
    made = in_a_field_each(fo.Detections, drawn())
    compute(made, ["ana", "ben"])
    with pytest.raises(KalosError, match="Name the field to label again"):
        build(made, backend="fake")
    build(made, backend="fake", label_field="ben")
    assert list(fake_backend.UPLOADED[0][2]) == ["ben"]
    made.delete()


def test_a_backend_that_nobody_knows_is_refused(build, queued, fake):
    before = snapshots.take(queued)
    for options in ({}, {"delegate": True}):
        with pytest.raises(
            KalosError, match=r"unknown annotation backend 'cvta'.*cvat"
        ):
            build(queued, backend="cvta", **options)
    assert snapshots.take(queued) == before


def test_a_backend_that_is_not_configured_or_fails_does_no_harm(build, queued, fake):
    made = build(queued, backend="cvat")
    assert made["annotation"].startswith(
        "The annotation backend 'cvat' is not configured: no username and no password."
    )
    fake["fail"] = True
    made = build(queued, backend="fake")
    assert made["annotation"].endswith("'fake' said: the server is away")
    assert queued.list_annotation_runs() == []
    assert tagged(queued) == ["one", "two"]
