"""Importing: killed at any moment, and twice at once."""

import os
import signal

import fiftyone as fo
import pytest
from import_builders import FILES, RATERS, boxes_only, coco, forget, image_files, write
from plugin_builders import operator, plugin_module, start, stored

core = plugin_module("kalos_core")
KalosError = core.KalosError
importing = plugin_module("operators.importing")
import_targets = plugin_module("operators.import_targets")
journal = plugin_module("operators.journal")
new_fields = plugin_module("operators.new_fields")
runs = plugin_module("operators.runs")
staging = plugin_module("operators.staging")

BEFORE_READY = [
    (importing, "read_source", 1),
    (journal.Work, "tell", 5),
    (staging, "stage", 1),
]
"""Where it is killed: in which function, after how many calls of it have ended."""

AFTER_READY = [
    (journal.Work, "ready", 1),
    (fo.Dataset, "add_dynamic_sample_fields", 0),
    (fo.Dataset, "add_dynamic_sample_fields", 1),
    (staging, "merge", 0),
    (staging, "merge", 1),
    (journal, "forget", 2),  # the first one is of the turn to write
]


def kill(work, where, name, n_calls):
    """Run ``work`` in a process that is killed at a call of a function."""
    real, ended = getattr(where, name), []

    def dying(*arguments, **options):
        if len(ended) == n_calls:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*arguments, **options)
        ended.append(name)
        if len(ended) == n_calls:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    def run():
        setattr(where, name, dying)
        staging.BATCH = 1
        work()

    _, status = os.waitpid(start(run), 0)
    assert os.WIFSIGNALED(status), "it ended by itself"


def leftovers():
    names = journal.get_db_conn().list_collection_names()
    records = list(journal.records().find())
    return [name for name in names if name.startswith(journal.STAGED)], records


@pytest.fixture
def complete(import_annotations, samples, file):
    """Return the labels that an import makes, and undo it."""
    import_annotations(samples, file)
    labels = drawn(samples)
    samples.delete_sample_fields(["ratings", "raters"])
    return labels


def drawn(dataset):
    """Return what an import writes; ids of labels are new each time."""
    own = [f"ratings.detections.{name}" for name in ("label", "bounding_box", "rater")]
    files, *labels = dataset.values(["filepath", *own, "raters"])
    return [os.path.basename(file) for file in files], *labels


@pytest.mark.parametrize("moment", BEFORE_READY, ids=lambda m: f"{m[1]}-{m[2]}")
def test_killed_while_reading_nothing_is_left(
    import_annotations, samples, file, complete, moment
):
    before = stored(samples)
    kill(lambda: import_annotations(samples, file), *moment)
    samples.reload()
    assert "ratings" not in samples.get_field_schema()
    assert stored(samples) == before
    import_annotations(samples, file)
    assert drawn(samples) == complete
    assert leftovers() == ([], [])


@pytest.mark.parametrize("moment", AFTER_READY, ids=lambda m: f"{m[1]}-{m[2]}")
def test_killed_while_writing_the_next_one_finishes(
    import_annotations, samples, file, complete, moment
):
    kill(lambda: import_annotations(samples, file), *moment)
    samples.reload()
    operator("compute_agreement")(samples, "ratings")
    assert drawn(samples) == complete
    operator("delete_run")(samples, "kalos")
    assert leftovers() == ([], [])


def test_the_form_finishes_what_was_killed(
    import_annotations, samples, file, complete, context
):
    kill(lambda: import_annotations(samples, file), staging, "merge", 0)
    ctx = context(samples, {"path": {"absolute_path": str(file)}})
    form = operator("import_annotations").resolve_input(ctx).type.properties
    assert "has a field 'ratings' already" in form["problem"].view.label
    samples.reload()
    assert drawn(samples) == complete
    assert leftovers() == ([], [])


def test_half_of_the_labels_are_never_audited(
    import_annotations, samples, file, monkeypatch
):
    real = staging.merge

    def merge_some(dataset, record, values):
        waiting = journal.staged(record)
        one = waiting.find_one_and_delete({})
        real(dataset, record, values)
        waiting.insert_one(one)
        raise KeyboardInterrupt

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(staging, "merge", merge_some)
        import_annotations(samples, file)
    samples.reload()
    assert samples.count("ratings") == len(FILES) - 1
    edited = samples.exists("ratings").first()
    edited.ratings.detections[0].label = "edited"
    edited.save()
    operator("compute_agreement")(samples, "ratings")
    assert samples.count("ratings") == len(FILES)
    assert samples[edited.id].ratings.detections[0].label == "edited"


def test_labels_that_are_just_being_written_are_not_audited(
    import_annotations, samples, file, monkeypatch, tmp_path
):
    other = write(tmp_path / "other.json", boxes_only(coco(RATERS, FILES, seed=1)))
    real, said = staging.merge, []

    def merge(dataset, record, values):
        for work in (
            lambda: operator("compute_agreement")(samples, "ratings"),
            lambda: import_annotations(samples, other),
        ):
            with pytest.raises(KalosError) as raised:
                work()
            said.append(str(raised.value))
        real(dataset, record, values)

    with monkeypatch.context() as watched:
        watched.setattr(staging, "merge", merge)
        import_annotations(samples, file)
    assert len(said) == 2
    for words in said:
        assert words.startswith("The import 'labels.json' is writing its labels to")
    operator("compute_agreement")(samples, "ratings")


@pytest.fixture
def new(import_annotations, file, tmp_path):
    """Return a function that imports into a new data set."""
    forget("kalos-new")
    folder = image_files(tmp_path / "images", *FILES)
    yield lambda: import_annotations("kalos-new", file, images_dir=folder)
    forget("kalos-new")


@pytest.mark.parametrize(
    "moment",
    [*BEFORE_READY, (fo.Dataset, "add_samples", 1)],
    ids=lambda m: f"{m[1]}-{m[2]}",
)
def test_a_new_data_set_that_was_killed_is_removed(new, samples, complete, moment):
    before = fo.list_datasets()
    kill(new, *moment)
    left = set(fo.list_datasets()).difference(before)
    assert all(name.startswith("kalos-import-unfinished-") for name in left)
    assert not any(fo.load_dataset(name).persistent for name in left)
    runs.tidy(samples)  # of any data set
    assert fo.list_datasets() == before
    assert leftovers() == ([], [])
    new()
    assert drawn(fo.load_dataset("kalos-new")) == complete


@pytest.mark.parametrize(
    "moment",
    [
        *AFTER_READY,
        (new_fields, "finish", 1),
        (import_targets, "_dress", 1),
        (import_targets, "finish_new", 1),
    ],
    ids=lambda m: f"{m[1]}-{m[2]}",
)
def test_a_new_data_set_that_was_killed_is_finished(new, samples, complete, moment):
    before = fo.list_datasets()
    kill(new, *moment)
    runs.tidy(samples)
    assert set(fo.list_datasets()).difference(before) == {"kalos-new"}
    assert leftovers() == ([], [])
    made = fo.load_dataset("kalos-new")
    assert made.persistent
    assert drawn(made) == complete
    assert made.app_config.color_scheme.fields[0]["colorByAttribute"] == "rater"
    assert made.list_workspaces() == ["KαLOS audit"]
    with pytest.raises(KalosError, match="A data set 'kalos-new' exists"):
        new()


def test_a_name_that_was_taken_meanwhile(new, monkeypatch):
    real = staging.stage

    def first_somebody_else(*given):
        fo.Dataset("kalos-new")
        real(*given)

    before = fo.list_datasets()
    monkeypatch.setattr(staging, "stage", first_somebody_else)
    with pytest.raises(KalosError, match="'kalos-new' was made meanwhile"):
        new()
    assert len(fo.load_dataset("kalos-new")) == 0
    assert set(fo.list_datasets()).difference(before) == {"kalos-new"}
    assert leftovers() == ([], [])


def test_killed_with_a_name_that_was_taken_meanwhile_it_blocks_nobody(new, samples):
    before = fo.list_datasets()
    kill(new, journal.Work, "ready", 1)
    forget("Kalos New")
    fo.Dataset("Kalos New")  # whose address is that of the one that was killed
    runs.tidy(samples)
    assert set(fo.list_datasets()).difference(before) == {"Kalos New"}
    assert leftovers() == ([], [])
    forget("Kalos New")


def test_two_imports_at_once(import_annotations, samples, file, tmp_path, monkeypatch):
    other = write(tmp_path / "other.json", boxes_only(coco(RATERS, FILES, seed=1)))
    real, said = staging.stage, []

    def meanwhile(*given):
        monkeypatch.setattr(staging, "stage", real)
        with pytest.raises(KalosError, match=r"An import 'labels\.json' of .*work"):
            import_annotations(samples, file)
        said.append(import_annotations(samples, other))
        real(*given)

    monkeypatch.setattr(staging, "stage", meanwhile)
    with pytest.raises(KalosError, match="has a field 'ratings' already"):
        import_annotations(samples, file)
    (report,) = said
    assert samples.count("ratings.detections") == report["n_labels"]
    assert leftovers() == ([], [])


def test_a_field_that_came_meanwhile_is_left(
    import_annotations, samples, file, monkeypatch
):
    """One of two: the other one is not written either."""
    real = staging.stage

    def first_somebody_else(*given):
        samples.set_values("raters", list(range(len(FILES))))
        real(*given)

    monkeypatch.setattr(staging, "stage", first_somebody_else)
    with pytest.raises(KalosError, match="has a field 'raters' already"):
        import_annotations(samples, file)
    samples.reload()
    assert "ratings" not in samples.get_field_schema()
    assert samples.values("raters") == list(range(len(FILES)))
    assert leftovers() == ([], [])
