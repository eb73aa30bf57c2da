import pytest
from plugin_builders import plugin_module

figures = plugin_module("panels.figures")
interpret = plugin_module("kalos_core").interpret


def test_every_value_falls_into_one_bin():
    alpha = [None, 0.0, 0.1, 0.30000000000000004, 0.99, 1.0]
    bins = figures.bins_of(alpha)
    assert bins[0][0] == 0
    assert bins[-1][:2] == (0.9, 1.0)
    assert sum(count for *_, count in bins) == 5
    assert [low for low, _, count in bins if count] == [0.0, 0.1, 0.3, 0.9]


def test_negative_bins_appear_when_they_are_needed():
    assert figures.bins_of([-0.01])[0] == (-0.2, -0.1, 0)
    assert figures.bins_of([-0.01])[1] == (-0.1, 0.0, 1)
    assert figures.bins_of([-1.0])[0] == (-1.0, -0.9, 1)
    assert figures.bins_of([])[0][0] == 0


@pytest.mark.parametrize("alpha", [[0.5], [-0.7, 1.0], []])
def test_bars_have_the_colour_of_their_band_and_bands_their_name(alpha):
    bins = figures.bins_of(alpha)
    trace = figures.alpha_histogram(bins, interpret)
    assert len(trace["x"]) == len(trace["y"]) == len(trace["marker"]["color"])
    assert trace["marker"]["color"][-1] == figures.BAND_COLOURS[interpret(0.9)]
    layout = figures.alpha_layout(bins)
    names = [note["text"] for note in layout["annotations"]]
    assert ("systematic" in names) == (bins[0][0] < 0)
    assert names[:4] == ["near-perfect", "substantial", "moderate", "weak"]
