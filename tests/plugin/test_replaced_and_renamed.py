"""A run takes the place of an older one, or another name: nothing of the old stays."""

import fiftyone as fo
import pytest
import snapshots
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    names,
    operator,
    plugin_module,
    polygon,
    sample,
    square,
)

runs = plugin_module("operators.runs")
KalosError = plugin_module("kalos_core").KalosError


@pytest.fixture
def many_ways():
    """Return images whose labels are in one field, in one per rater, and as shapes."""
    raters = ["ana", "ben", "cho"]

    def box(n, rater):
        return detection("cat", 10 + n * len(rater), 10, 30, 30, rater=rater)

    def labels(n):
        boxes = {rater: box(n, rater) for rater in raters}
        boxes["ana"].label = "dog"
        shapes = [polygon("cat", square(n, 10, 20), rater=rater) for rater in raters]
        return {
            "gt": detections(*boxes.values()),
            "shapes": fo.Polylines(polylines=shapes),
            **{rater: detections(boxes[rater].copy()) for rater in raters},
        }

    made = make_dataset(
        *(sample(str(n), raters=raters, **labels(n)) for n in range(3)),
        sample("unassigned", gt=detections(), raters=[]),
    )
    yield made
    made.delete()


def kept(dataset):
    """Return schema, indexes and samples, less ids and times."""
    dataset.reload()
    schema = dataset.get_field_schema(flat=True)
    return (
        {path: (str(field), field.info) for path, field in schema.items()},
        dataset._sample_collection.index_information(),
        [_lasting(one) for one in dataset._sample_collection.find().sort("filepath")],
    )


def _lasting(value):
    passing = ("_id", "_dataset_id", "created_at", *snapshots.CLOCKS)
    if isinstance(value, dict):
        return {k: _lasting(v) for k, v in value.items() if k not in passing}
    return [_lasting(one) for one in value] if isinstance(value, list) else value


WAYS = {
    "all": lambda made: (made, "gt", {}),
    "fewer images": lambda made: (made.limit(1), "gt", {}),
    "other images": lambda made: (made.skip(1), "gt", {}),
    "fewer raters": lambda made: (made, "gt", {"raters": ["ana", "ben"]}),
    "a field each": lambda made: (made, ["ana", "ben"], {"assigned": "@all"}),
    "fewer fields": lambda made: (made, ["ben", "cho"], {"assigned": "@all"}),
    "other shapes": lambda made: (made, "shapes", {}),
    "another threshold": lambda made: (made, "gt", {"tau": 0.01}),
}


def audited(compute, dataset, way, **options):
    view, field, more = WAYS[way](dataset)
    return compute(view, field, **more, **options)


def test_nothing_of_a_replaced_run_is_left(compute, many_ways):
    fresh, untouched = many_ways.clone(), kept(many_ways)
    for way in (*WAYS, *reversed(WAYS)):
        audited(compute, fresh, way)
        audited(compute, many_ways, way, overwrite=True)
        assert kept(many_ways) == kept(fresh), way
        assert runs.keys(many_ways) == many_ways.list_runs() == ["kalos"]
        operator("delete_run")(fresh, "kalos")
        assert kept(fresh) == untouched
    operator("delete_run")(many_ways, "kalos")
    assert kept(many_ways) == untouched
    fresh.delete()


def test_marks_of_a_replaced_run_go_with_it(compute, many_ways):
    untouched = snapshots.take(many_ways, clocks=False)
    compute(many_ways, "gt", colours=True)
    operator("build_relabel_queue")(many_ways, by="unit", n=1, csv=False)
    operator("show_disagreement")(many_ways, save_as="worst")
    compute(many_ways, "gt", overwrite=True)
    assert many_ways.list_saved_views() == []
    assert many_ways.count_label_tags() == {}
    assert many_ways.app_config.color_scheme is None
    compute(many_ways, "gt", colours=True, overwrite=True)
    assert many_ways.app_config.color_scheme is not None
    operator("delete_run")(many_ways, "kalos")
    assert snapshots.take(many_ways, clocks=False) == untouched


@pytest.mark.parametrize("way", WAYS)
def test_a_renamed_run_takes_its_fields_along(compute, many_ways, way):
    untouched = snapshots.take(many_ways, clocks=False)
    fresh = many_ways.clone()
    audited(compute, fresh, way, run_key="round_1")
    audited(compute, many_ways, way)
    many_ways.rename_run("kalos", "round_1")
    assert runs.keys(many_ways) == ["round_1"]
    assert kept(many_ways) == kept(fresh)
    assert many_ways.values("round_1_alpha") == fresh.values("round_1_alpha")
    operator("delete_run")(many_ways, "round_1")
    assert snapshots.take(many_ways, clocks=False) == untouched
    fresh.delete()


def test_views_and_queues_follow_a_renamed_run(compute, many_ways):
    untouched = snapshots.take(many_ways, clocks=False)
    compute(many_ways, "gt", colours=True)
    show = operator("show_disagreement")
    shown = names(show(many_ways, save_as="worst"))
    units = show(many_ways, as_units=True, kind="class", save_as="disputed").count()
    operator("build_relabel_queue")(many_ways, by="unit", n=2, csv=False)
    assert shown and units
    many_ways.rename_run("kalos", "round_1")
    assert names(show(many_ways, run_key="round_1")) == shown
    assert names(many_ways.load_saved_view("worst")) == shown
    assert many_ways.load_saved_view("disputed").count() == units
    assert many_ways.load_saved_view("kalos_relabel").count() == 2
    compute(many_ways, "gt")  # the old name is free
    assert runs.keys(many_ways) == ["round_1", "kalos"]
    for key in runs.keys(many_ways):
        operator("delete_run")(many_ways, key)
    assert snapshots.take(many_ways, clocks=False) == untouched


def test_a_name_that_fields_cannot_take_is_said(compute, many_ways):
    compute(many_ways, "gt")
    many_ways.set_values("round_1_alpha", [0.5] * 4)
    many_ways.rename_run("kalos", "round_1")
    with pytest.raises(KalosError, match=r"Run 'round_1' was 'kalos' before, and its"):
        operator("show_disagreement")(many_ways)
    assert many_ways.values("round_1_alpha") == [0.5] * 4
    many_ways.rename_run("round_1", "round_2")
    assert operator("show_disagreement")(many_ways) is not None
    many_ways.delete_sample_field("round_1_alpha")
    many_ways.rename_run("round_2", "kalos")
    assert runs.keys(many_ways) == ["kalos"]
    assert many_ways.has_field("kalos_alpha")


def test_runs_that_change_their_names_with_each_other_are_said(compute, many_ways):
    compute(many_ways, "gt", run_key="first")
    compute(many_ways, "gt", run_key="second", tau=0.01)
    before = many_ways.values("first_alpha"), many_ways.values("second_alpha")
    for old, new in (("first", "third"), ("second", "first"), ("third", "second")):
        many_ways.rename_run(old, new)
    with pytest.raises(KalosError, match="Run 'second' was 'first' before"):
        operator("show_disagreement")(many_ways, run_key="second")
    for old, new in (("first", "fourth"), ("second", "fifth")):
        many_ways.rename_run(old, new)
    assert runs.keys(many_ways) == ["fifth", "fourth"]
    after = many_ways.values("fifth_alpha"), many_ways.values("fourth_alpha")
    assert after == before
