"""Names as people give them, and data sets of odd sizes, through an audit and back."""

import pytest
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    operator,
    plugin_module,
    sample,
    stored,
)

KalosError = plugin_module("kalos_core").KalosError

ODD = [
    "with \"quotes\" and 'more'",
    "<img src=x onerror=alert(1)>",
    "a.dotted.name",
    "$dollar$ign",
    "🦊 emoji",
    "x" * 200,
    "None",
    "nan",
    "-1",
    " spaces around ",
    "Ünïcödé",
    "back\\slash",
    "line\nbreak",
]


@pytest.fixture
def odd():
    boxes = [
        detection(label, 10, 10, 20, 20, rater=rater)
        for label, rater in zip(ODD[1:] + ODD[:1], ODD, strict=True)
    ]
    made = make_dataset(sample("odd", gt=detections(*boxes), raters=ODD))
    yield made
    made.delete()


def test_odd_names_survive_an_audit_and_its_undoing(compute, odd):
    before = stored(odd)
    compute(odd, "gt")
    assert stored(odd, less=["kalos"]) == before
    results = odd.load_run_results("kalos")
    assert sorted(results.raters["name"]) == sorted(ODD)
    assert sorted(results.classes["name"]) == sorted(ODD)
    [unit] = odd.first().kalos_units.detections
    assert sorted(unit.raters) == sorted(ODD)
    assert unit.label in ODD
    show = operator("show_disagreement")
    for name in ODD:
        assert len(show(odd, classes=[name])) == 1
        assert len(show(odd, raters=[name, ODD[0]], kind="class")) == (name != ODD[0])
    operator("delete_run")(odd, "kalos")
    assert stored(odd) == before


@pytest.mark.parametrize("key", ["a.b", "$x", "_hidden", "with space", "", "🦊", 5])
def test_odd_keys_are_refused(compute, dataset, snapshot, key):
    before = snapshot(dataset)
    with pytest.raises(KalosError, match="A run key must be a name like"):
        compute(dataset, "gt", run_key=key)
    assert snapshot(dataset) == before


def test_sixty_four_raters_and_more(compute):
    raters = [f"rater {n:03}" for n in range(70)]
    boxes = [detection("cat", 10, 10, 20, 20, rater=name) for name in raters[:66]]
    made = make_dataset(sample("crowd", gt=detections(*boxes), raters=raters))
    figures = compute(made, "gt")
    # In one unit agreement is what chance explains: 69 * (66 * 65 + 4 * 3) / 69.
    assert figures["mean_alpha"] == pytest.approx(0)
    [unit] = made.first().kalos_units.detections
    assert (len(unit.raters), len(unit.no_object)) == (66, 4)
    made.delete()


def test_nothing_to_audit_is_said(compute):
    made = make_dataset(sample("x", gt=detections(), raters=["ana"]))
    made.clear()
    with pytest.raises(KalosError, match="no samples"):
        compute(made, "gt")
    with pytest.raises(KalosError, match="no samples"):
        operator("calibrate")(made, "gt")
    made.delete()
