import doctest
import html

import pytest
from plugin_builders import plugin_module

figures = plugin_module("panels.figures")
rater_figures = plugin_module("panels.rater_figures")
class_figures = plugin_module("panels.class_figures")
interpret = plugin_module("kalos_core").interpret


@pytest.mark.parametrize("name", ["class_figures", "figures", "numbers"])
def test_examples_are_true(name):
    tried = doctest.testmod(plugin_module(f"panels.{name}"))
    assert tried.attempted and not tried.failed


def test_every_value_falls_into_one_bin():
    alpha = [None, -1.0, -0.01, 0.0, 0.1, 0.30000000000000004, 0.99, 1.0]
    bins = figures.bins_of(alpha)
    assert sum(count for *_, count in bins) == 7
    assert [low for low, _, count in bins if count] == [-1, -0.1, 0.0, 0.1, 0.3, 0.9]
    assert bins[-1] == (0.9, 1.0, 2)
    assert len(figures.bins_of([])) == len(bins)


@pytest.mark.parametrize(("alpha", "low"), [([0.5], 0), ([-0.7, 1.0], -0.7), ([], 0)])
def test_bars_have_the_colour_of_their_band_and_bands_a_name(alpha, low):
    bins = figures.bins_of(alpha)
    bars, *legend = figures.alpha_histogram(bins, interpret)
    assert len(bars["x"]) == len(bars["y"]) == len(bars["marker"]["color"]) == 20
    assert bars["marker"]["color"][-1] == figures.BAND_COLOURS[interpret(0.9)]
    assert [entry["name"] for entry in legend] == [
        "systematic (< 0)",
        "weak (≥ 0)",
        "moderate (≥ 0.4)",
        "substantial (≥ 0.6)",
        "near-perfect (≥ 0.8)",
    ]
    assert figures.alpha_layout(bins)["xaxis"]["range"][0] == pytest.approx(low - 0.02)


@pytest.mark.parametrize(
    "text", ["<b>x</b>", "<a href='http://y'>x</a>", "$\\alpha$", "a&lt;b", "x<br>y"]
)
def test_text_of_the_data_is_never_markup(text):
    shown = figures.as_label(text, 60)
    assert not set("<>$") & set(shown)
    assert html.unescape(shown) == text


def test_labels_are_short_and_on_one_line():
    assert figures.as_label("a\nb\u202ec") == "a b c"
    assert figures.as_label("x" * 30, 5) == "xxxx…"
    assert figures.as_label("&" * 30, 3) == "&#38;&#38;…"


def estimates(*rows):
    """Return estimates of (value, low, high, told from zero)."""
    value, low, high, told = map(list, zip(*rows, strict=True))
    n_images = [0 if v is None else 2 for v in value]
    return {
        "value": value,
        "low": low,
        "high": high,
        "told_from_zero": told,
        "n_images": n_images,
    }


SOME = estimates(
    (0.5, 0.4, 0.7, True),
    (0.1, -0.2, 0.3, False),
    (None, None, None, False),
    (-0.4, None, None, False),
)


def test_rows_have_intervals_and_are_hollow_where_nothing_is_told():
    stripes, dots = figures.interval_rows(
        SOME, [1, 0, 3], ["#111111"] * 3, ["a", "b", "c"], (-1, 1)
    )
    assert dots["x"] == [0.1, 0.5, -0.4]
    assert dots["marker"]["symbol"] == ["circle-open", "circle", "circle-open"]
    assert dots["error_x"]["array"] == pytest.approx([0.2, 0.2, 0])
    assert dots["error_x"]["arrayminus"] == pytest.approx([0.3, 0.1, 0])
    assert stripes["y"] == dots["y"] and stripes["hovertext"] == dots["hovertext"]
    low, high = figures.ends_of(SOME, [0, 1, 3], 0, 0.5)
    assert low < -0.4 and high > 0.7


def test_numbers_come_with_their_interval_and_images():
    say = figures.number_in_words
    assert say(SOME, 0) == "0.50 (0.40 to 0.70) from 2 images"
    assert say(SOME, 2) == "not known"
    assert say(SOME, 3, 1, sign=True) == "−0.4 from 2 images"


def test_the_map_of_raters_is_symmetric_and_marks_what_is_not_told():
    pairs = estimates(
        (0.5, 0.4, 0.6, True), (0.05, -0.1, 0.2, False), (None, None, None, False)
    )
    found = {"a": [0, 0, 1], "b": [1, 2, 2], "mean": pairs, "overall": pairs}
    (cells,) = rater_figures.collaboration_map(found, ["ana", "ben", "<b>"], [2, 0, 1])
    assert cells["z"] == [[None, 0.05, None], [0.05, None, 0.5], [None, 0.5, None]]
    assert cells["text"] == [
        ["", "(0.05)", ""],
        ["(0.05)", "", "0.50"],
        ["", "0.50", ""],
    ]
    assert cells["hovertext"][0][1].startswith("&#60;b&#62; and ana<br>Mean α 0.05")
    assert "cannot be told from chance" in cells["hovertext"][0][1]


def test_raters_of_a_school_stand_together():
    order = rater_figures.school_order
    names = ["dee", "ana", "cho", "ben"]
    known = {"order": [2, 0, 3, 1], "school": [0, 1, 1, 0]}
    assert order(known, names) == ([0, 3, 2, 1], [2])
    assert order({**known, "school": []}, names) == ([2, 0, 3, 1], [])
    assert order({"order": [], "school": []}, names) == ([1, 3, 2, 0], [])


def test_surely_hard_classes_come_first():
    difficulty = {"overall": SOME, "mean": SOME, "n_units": [5, 1000, 0, 1]}
    worst = class_figures.worst_classes(difficulty)
    assert worst == [1, 0, 3]
    labels = class_figures.difficulty_labels(
        difficulty, ["<b>", "cat", "x", "y"], worst
    )
    assert labels == ["cat (1,000)", "&#60;b&#62; (5)", "y (1)"]


def swaps(**columns):
    given = {"source": "symmetric", "rater": -1, "against": -1, "said": -1}
    given |= {"n_cases": 9, "n_theirs": 0, "p_value": 0.0001} | columns
    return {name: [value] for name, value in given.items()}


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({}, "Nobody's in particular, from 9 objects"),
        ({"source": "undetermined"}, "Whose it is cannot be told"),
        (
            {"source": "one_rater", "rater": 1, "said": 0, "n_theirs": 8},
            "ben stands alone in 8 of 9 that can tell, p &#60; 0.001<br>"
            "and mostly says cat",
        ),
        (
            {"source": "one_rater", "rater": 1, "n_theirs": 8, "p_value": 0.01},
            "p = 0.010<br>and says the one as often as the other",
        ),
        (
            {"source": "directed", "rater": 0, "against": 1, "said": 1, "n_theirs": 8},
            "ana says dog in 8 of 9 against ben",
        ),
    ],
)
def test_whose_a_confusion_is(columns, words):
    confusion = {
        "label": [0],
        "other": [1],
        "n_units": [12],
        "ratio": [10.2],
        "swaps": swaps(**columns),
    }
    stripes, bars, *legend = class_figures.confusion_bars(
        confusion, ["cat", "dog"], ["ana", "ben"], [0]
    )
    assert words in bars["hovertext"][0]
    assert "12 objects called both, 10× as often as by chance" in bars["hovertext"][0]
    assert bars["text"][0].startswith("12 (10×)")
    assert [entry["showlegend"] for entry in legend].count(True) == 1
    assert stripes["x"][0] > bars["x"][0]


def test_before_is_an_outline_that_no_click_hits():
    before, after = figures.bins_of([0.5, -0.3]), figures.bins_of([0.5, 0.95])
    bars, outline, *legend = figures.alpha_comparison(before, after, interpret)
    assert bars["y"] == [count for *_, count in after]
    assert outline["y"] == [count for *_, count in before]
    assert outline["hoverinfo"] == "skip"  # Plotly then skips clicks as well
    assert bars["customdata"][15] == ["0.5", "0.6", 1]
    assert len(legend) == 5
    layout = figures.comparison_layout(before, after)
    assert layout["barmode"] == "overlay"
    assert layout["xaxis"]["range"][0] == pytest.approx(-0.32)
