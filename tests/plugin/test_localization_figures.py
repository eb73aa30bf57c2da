import pytest
from plugin_builders import plugin_module

figures = plugin_module("panels.localization_figures")
panel = plugin_module("panels.localization")


def point(tau, value, low=None, high=None):
    return {"tau": tau, "value": value, "low": low, "high": high, "words": "x"}


POINTS = [point(0.25, 0.4, 0.3, 0.5), point(0.5, 0.6, 0.5, 0.7), point(0.9, None)]


def test_every_curve_has_as_many_points():
    for points in (POINTS, POINTS[:1], []):
        band, line, axis = figures.curve(points)
        assert len(line["x"]) == len(line["y"]) == len(line["text"])
        assert len(line["x"]) * 2 == len(band["x"]) == len(band["y"])
        assert len(line["x"]) == len(figures.GRID) + 2
        assert axis["xaxis"] == "x2"


def test_the_band_goes_there_and_back():
    band, line, _ = figures.curve(POINTS)
    assert band["x"][:4] == [0.25, 0.5, 0.5, 0.25]
    assert band["y"][:5] == [0.3, 0.5, 0.7, 0.5, None]
    assert line["y"][:3] == [0.4, 0.6, None]


@pytest.mark.parametrize(("low", "bottom"), [(0.3, 0), (-0.3, -0.4), (-1.0, -1)])
def test_the_axis_shows_all_of_the_band(low, bottom):
    layout = figures.curve_layout([point(0.5, 0.5, low, 0.6)], [], "IoU")
    assert layout["yaxis"]["tickvals"][0] == bottom
    assert layout["yaxis"]["tickvals"][-1] == 1
    assert layout["yaxis"]["range"][0] < bottom


def labels(*marks):
    layout = figures.curve_layout(POINTS, marks, "IoU")
    assert len(layout["shapes"]) == len(layout["annotations"])
    return [(mark["text"], mark["xanchor"]) for mark in layout["annotations"]]


def test_labels_of_marks_keep_off_each_other():
    run, strict, star = ("run", 0.5, "solid"), ("strict", 0.25, "dot"), "τ*"
    found = labels(run, strict, (star, 0.56, "dash"))
    assert found == [
        ("strict 0.25", "left"),
        ("run 0.50", "right"),
        ("τ* 0.56", "left"),
    ]
    assert labels(run, (star, 0.502, "dash")) == [("run and τ* 0.50", "left")]
    assert labels(("run", 0.08, ""), ("strict", 0.04, "")) == [
        ("strict 0.04", "left"),
        ("run 0.08", "left"),
    ]
    assert labels(("run", 0.95, "")) == [("run 0.95", "right")]
    rows = [
        mark["y"]
        for mark in figures.curve_layout(POINTS, [run, strict], "")["annotations"]
    ]
    assert len(set(rows)) == 2


def test_densities_of_one_value_have_no_height():
    layout = figures.densities_layout([], "IoU", None, 0)
    assert layout["yaxis"]["range"][1] > 0
    assert layout["shapes"] == []


def drop(value, low, high, told):
    estimate = {
        "value": [value],
        "low": [low],
        "high": [high],
        "told_from_zero": [told],
    }
    return {"drop": estimate, "strict_tau": 0.25, "cliff": None}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (drop(0.3, 0.2, 0.4, True), "0.30 (0.20 to 0.40) lower at the strict"),
        (drop(0.01, -0.02, 0.04, False), "−0.01 (−0.04 to 0.02), which cannot be told"),
        (drop(None, None, None, False), "No image has a value"),
    ],
)
def test_the_drop_in_words(found, words):
    text = panel.in_words(found, "box_iou", 1234)
    assert words in text
    assert "1,234 objects" in text


def calibration(**given):
    known = {
        "tau_star": 0.5,
        "status": "crossing",
        "ks": 0.8,
        "bootstrap": {
            "tau_interval": {"low": 0.4, "high": 0.6},
            "ks_interval": {"low": 0.7, "high": 0.9},
        },
        "run_key": "calibration",
        "n_images": 12,
        "d_loc": "box_iou",
    }
    return {**known, **given}


NO_KS = {"tau_interval": None, "ks_interval": {"low": -0.1, "high": 0.9}}
WORSE = {"tau_interval": None, "ks_interval": {"low": -0.5, "high": -0.1}}


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (calibration(), "τ\\* 0.50 (0.40 to 0.60): nearer labels are"),
        (calibration(status="valley"), "the valley between the two"),
        (calibration(tau_star=None), "The data name no threshold"),
        (calibration(bootstrap=NO_KS), "cannot be told from chance"),
        (calibration(bootstrap=WORSE), "Chance is nearer than raters are"),
        (calibration(d_loc="box_giou"), "of another distance (`box_giou`)"),
    ],
)
def test_a_calibration_in_words(known, words):
    assert words in panel.calibration_in_words(known, "box_iou")


def test_sizes_without_a_threshold_have_a_dash():
    one = {"size": "small", "n_annotations": 3, "ks": None, "tau_star": None}
    table = panel.by_size([{**one, "tau_interval": None, "ks_interval": None}])
    assert table.splitlines()[-1] == "| Small (3) | – | – |"
