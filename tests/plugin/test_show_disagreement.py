"""Views of what raters disagree in, worst first."""

import fiftyone.operators as foo
import pytest
from plugin_builders import (
    detection,
    detections,
    make_dataset,
    names,
    operator,
    plugin_module,
    sample,
)

KalosError = plugin_module("kalos_core").KalosError


@pytest.fixture
def show():
    return operator("show_disagreement")


@pytest.fixture
def audited(compute):
    """Four images: agreed, a class, a miss by ben, and a large object cho misses."""

    def by(*drawn):
        return detections(
            *(detection(label, *box, rater=who) for who, label, box in drawn)
        )

    small, far, large = (10, 10, 4, 4), (60, 60, 4, 4), (5, 5, 60, 60)
    everyone = ["ana", "ben", "cho"]
    agreed = [(who, "cat", small) for who in everyone]
    far_too = [(who, "dog", far) for who in everyone]
    made = make_dataset(
        sample("agreed", gt=by(*agreed, *far_too), raters=everyone),
        sample(
            "class",
            gt=by(*agreed[:2], ("cho", "dog", small), *far_too),
            raters=everyone,
        ),
        sample("miss", gt=by(agreed[0], agreed[2], *far_too), raters=everyone),
        sample(
            "large",
            gt=by(("ana", "cow", large), ("ben", "cow", large), *far_too),
            raters=everyone,
        ),
    )
    compute(made, "gt")
    yield made
    made.delete()


def test_only_what_a_view_shows(show, audited):
    some = audited.match_tags("mine")
    audited[:2].tag_samples("mine")
    assert names(show(some)) == ["class", "agreed"]
    assert names(show(some, kind="class")) == ["class"]
    assert not len(show(some, kind="missed"))
    assert len(show(audited, kind="missed", as_units=True)) == 2
    assert not len(show(some, kind="missed", as_units=True))
    assert names(show(audited.view())) == names(show(audited))
    with pytest.raises(KalosError, match="This view shows patches"):
        show(audited.to_patches("gt"))


def test_worst_first(show, audited):
    view = show(audited)
    assert names(view)[-1] == "agreed"
    alpha = view.values("kalos_alpha")
    assert alpha == sorted(alpha)
    assert names(show(audited, limit=1)) == names(view)[:1]
    assert names(show(audited, alpha=(0.9, 1))) == ["agreed"]


def test_by_kind_class_size_and_rater(show, audited):
    assert names(show(audited, kind="class")) == ["class"]
    assert sorted(names(show(audited, kind="missed"))) == ["large", "miss"]
    assert names(show(audited, raters="ben")) == ["miss"]
    assert sorted(names(show(audited, raters=["cho"]))) == ["class", "large"]
    assert names(show(audited, raters=["ana", "ben"])) == ["miss"]
    assert sorted(names(show(audited, raters=["ben", "cho"]))) == [
        "class",
        "large",
        "miss",
    ]
    assert names(show(audited, classes=["cat", "dog"])) == ["class"]
    assert names(show(audited, classes="cow")) == ["large"]
    assert names(show(audited, size="large")) == ["large"]
    assert names(show(audited, kind="missed", size="large")) == ["large"]


def test_each_disputed_object_is_a_tile(show, audited):
    tiles = show(audited, kind="missed", as_units=True)
    assert len(tiles) == 2
    assert tiles.values("kalos_units.kind") == ["missed"] * 2
    gains = tiles.values("kalos_units.gain")
    assert gains == sorted(gains, reverse=True)
    assert len(show(audited, as_units=True)) == 8


def test_only_their_labels(show, audited):
    view = show(audited, raters=["ana", "ben"], only_their_labels=True)
    [raters] = view.values("gt.detections.rater")
    assert set(raters) == {"ana", "ben"}
    assert names(view) == ["miss"]


@pytest.mark.parametrize("raters", [(1, 2, 3), ("True", "None", "0"), (-1, 0, 10)])
@pytest.mark.parametrize("as_text", [False, True])
def test_raters_named_by_numbers_and_words_of_python(show, compute, raters, as_text):
    """The second rater misses the cat, the third calls the cow a dog."""
    first, second, third = raters
    cat, cow = (10, 10, 4, 4), (60, 60, 4, 4)
    said = [(first, "cat", cat), (third, "cat", cat)]
    said += [(first, "cow", cow), (second, "cow", cow), (third, "dog", cow)]
    boxes = [detection(label, *box, rater=who) for who, label, box in said]
    made = make_dataset(sample("x", gt=detections(*boxes), raters=list(raters)))
    compute(made, "gt")

    def shown(*who, **options):
        asked = [str(name) for name in who] if as_text else list(who)
        asked = asked[0] if len(asked) == 1 else asked
        return show(made, raters=asked, **options)

    for who in ((second,), (third,), (first, second), (first, third)):
        [left] = shown(*who, only_their_labels=True).values("gt.detections.rater")
        assert set(left) == set(who)
    for who in ((second,), (first, second)):
        tiles = shown(*who, as_units=True)
        assert tiles.values("kalos_units.label") == ["cat"]
    assert shown(third, as_units=True).values("kalos_units.label") == ["cow"]
    compute(made, "gt", raters=[first, second], run_key="two")
    assert show(made, "two", raters=[first, second]).values("filepath")
    for unknown, message in (
        (7, "There is no rater '7'"),
        (True, "raters must be at most 2 names"),
        (None, "raters must be at most 2 names"),
        (1.0, "raters must be at most 2 names"),
    ):
        with pytest.raises(KalosError, match=message):
            show(made, raters=[unknown])
    made.delete()


def test_a_view_is_saved_once(show, audited):
    show(audited, kind="class", save_as="disputed classes")
    assert names(audited.load_saved_view("disputed classes")) == ["class"]
    for name in ("disputed classes", "Disputed Classes"):
        with pytest.raises(KalosError, match="saved view 'disputed classes' exists"):
            show(audited, save_as=name)
    with pytest.raises(KalosError, match="No view can be saved as '!!!'"):
        show(audited, save_as="!!!")
    operator("delete_run")(audited, "kalos")
    assert audited.list_saved_views() == []  # it would show a field that is gone


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"kind": "wrong"}, "unknown kind 'wrong'; choose from agreed, class, loose"),
        ({"size": "tiny"}, "unknown size 'tiny'; choose from large, medium, small"),
        ({"raters": ["kim"]}, "no rater 'kim' in this run"),
        ({"classes": ["a", "b", "c"]}, "classes must be at most 2 names, got"),
        ({"run_key": "none"}, "no finished KαLOS run 'none'. Runs are: kalos"),
    ],
)
def test_bad_questions(show, audited, asked, message):
    with pytest.raises(KalosError, match=message):
        show(audited, **asked)


def test_without_a_run(show, dataset, context):
    with pytest.raises(KalosError, match="has no KαLOS run yet"):
        show(dataset)
    form = show.resolve_input(context(dataset)).type.properties
    assert form["nothing"].invalid


def test_the_form_shows_the_same(show, audited, context):
    form = show.resolve_input(context(audited)).type.properties
    assert {"kind", "raters", "classes", "size", "as_units"} <= set(form)
    result = foo.execute_operator(
        show.uri,
        {"dataset": audited, "params": {"kind": "class", "low": -1, "high": 1}},
    )
    [request] = result.executor._requests
    assert request.operator_uri == "set_view"
    assert len(request.params["view"]) == 1
    nothing = foo.execute_operator(
        show.uri, {"dataset": audited, "params": {"kind": "split_merge"}}
    )
    [request] = nothing.executor._requests
    assert request.params["message"] == "Nothing in this run is like that."
