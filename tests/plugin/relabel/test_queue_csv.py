"""The CSV file of a queue: any name, harmless to spreadsheets, in its own folder."""

import codecs
from pathlib import Path

import fiftyone as fo
import pandas
import pytest
import snapshots
from plugin_builders import detection, in_one_field, operator, plugin_module
from queue_builders import drawn, rows

KalosError = plugin_module("kalos_core").KalosError
harmless = plugin_module("operators.csv_files").harmless
NAMES = [
    "=1+1",
    "+1",
    "-1",
    "@a",
    'it\'s "quoted"',
    "<b>bold</b>",
    "a.b.c",
    "$set",
    "smile 😀",
    "r" * 200,
    "None",
]


def test_any_name(build, compute):
    cats = [detection("cat", 10, 10, 20, 20), detection("dog", 60, 60, 20, 20)]
    others = {f"{n:02}": {"ana": cats, name: cats[:1]} for n, name in enumerate(NAMES)}
    made = in_one_field(fo.Detections, others)
    compute(made, "gt")
    for n, name in enumerate(NAMES):
        if name.startswith("$"):
            continue
        done = build(made, tag=name, save_as=f"{n} {name}")
        assert done["n"] == len(NAMES)
        found = {row["filepath"][-6:-4]: row["reason"] for row in rows(done["csv"])}
        expected = {f"{n:02}": f"missed by {who}" for n, who in enumerate(NAMES)}
        assert found == expected
        assert len(made.match_tags(name)) == len(NAMES)
        Path(done["csv"]).unlink()
    operator("delete_run")(made, "kalos")
    assert made.count_sample_tags() == {} and made.list_saved_views() == []
    made.delete()


def test_cells_are_harmless_to_spreadsheets(tmp_path):
    for cell in ("=1+1", "+1", "-1", "@a", "\t=1", "\r=1", " =1"):
        assert harmless(cell) == f"'{cell}"
    for cell in ("a=1", "", "'cat'", -0.5, 7):
        assert harmless(cell) == cell


def test_spreadsheets_and_pandas_read_the_names(build, queued):
    path = Path(build(queued)["csv"])
    assert path.read_bytes().startswith(codecs.BOM_UTF8)
    assert pandas.read_csv(path)["order"].tolist() == [1, 2]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return the folder in which FiftyOne puts data sets."""
    monkeypatch.setattr(fo.config, "default_dataset_dir", str(tmp_path / "fiftyone"))
    return tmp_path / "fiftyone"


def test_the_csv_has_a_folder_of_its_own(compute, home, tmp_path):
    made = in_one_field(fo.Detections, drawn())
    made.set_values(
        "filepath", [str(tmp_path / Path(p).name) for p in made.values("filepath")]
    )
    compute(made, "gt")
    build, folder = operator("build_relabel_queue"), home / "kalos-queues" / made.slug
    assert build(made)["csv"] == str(folder / "kalos_relabel.csv")
    assert build(made, n=1)["csv"] == str(folder / "kalos_relabel.csv")
    assert len(rows(folder / "kalos_relabel.csv")) == 1
    again = build(made, tag="kalos/relabel")["csv"]
    assert again == str(folder / "kalos_relabel_2.csv")
    assert build(made, csv=False)["csv"] is None
    assert [path.name for path in tmp_path.iterdir()] == ["fiftyone"]
    made.delete()


def test_a_file_where_its_folder_should_be(queued, home):
    home.write_text("mine")
    before = snapshots.take(queued)
    with pytest.raises(KalosError, match="fiftyone' is a file"):
        operator("build_relabel_queue")(queued)
    assert snapshots.take(queued) == before
    assert home.read_text() == "mine"


@pytest.mark.parametrize("below", ["q.csv", "below/q.csv"])
def test_a_path_below_a_file(queued, tmp_path, below):
    (tmp_path / "file").write_text("mine")
    before = snapshots.take(queued)
    with pytest.raises(KalosError, match="file' is a file"):
        operator("build_relabel_queue")(queued, csv=tmp_path / "file" / below)
    assert snapshots.take(queued) == before


def test_a_folder_that_only_looks_as_if_it_could_be_written_to(queued):
    before = snapshots.take(queued)
    with pytest.raises(KalosError, match="The CSV file cannot be written"):
        operator("build_relabel_queue")(queued, csv="/proc/q.csv")
    assert snapshots.take(queued) == before
