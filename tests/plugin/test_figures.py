import pytest
from plugin_builders import plugin_module

figures = plugin_module("panels.figures")
interpret = plugin_module("kalos_core").interpret


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


def test_before_is_an_outline_that_no_click_hits():
    before, after = figures.bins_of([0.5, -0.3]), figures.bins_of([0.5, 0.95])
    bars, outline, *legend = figures.alpha_comparison(before, after, interpret)
    assert bars["y"] == [count for *_, count in after]
    assert outline["y"] == [count for *_, count in before]
    assert outline["hoverinfo"] == "skip"  # Plotly then skips clicks as well
    assert bars["customdata"][15] == [0.5, 0.6, 1]
    assert len(legend) == 5
    layout = figures.comparison_layout(before, after)
    assert layout["barmode"] == "overlay"
    assert layout["xaxis"]["range"][0] == pytest.approx(-0.32)
