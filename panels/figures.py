"""Core values to Plotly traces and layouts; no FiftyOne, so they test without it."""

import numpy as np

from ..kalos_core.interpretation import BANDS

EDGES = [round(edge, 1) for edge in np.linspace(-1, 1, 21)]

# From blue to red through yellow, told apart by the colour-blind and on light and
# dark ground alike.
BAND_COLOURS = dict(
    zip(
        (words for _, words in BANDS),
        ("#2171b5", "#6baed6", "#d9b44a", "#e07a3f", "#d1495b"),
        strict=True,
    )
)


def bins_of(alpha):
    """Return ``(low, high, count)`` of all bins, empty ones too.

    A bin holds low <= alpha < high, the last one alpha = 1 too. There are always as
    many, since the App keeps bars of the last figure that the next one has not.
    """
    defined = [value for value in alpha if value is not None]
    counts, _ = np.histogram(defined, bins=EDGES)
    return [
        (low, high, int(count))
        for low, high, count in zip(EDGES[:-1], EDGES[1:], counts, strict=True)
    ]


def alpha_histogram(bins, interpret):
    """Return the bars of the per-image agreement, and the names of their colours."""
    bars = {
        "type": "bar",
        "x": [round((low + high) / 2, 2) for low, high, _ in bins],
        "y": [count for _, _, count in bins],
        "width": [0.094] * len(bins),
        "marker": {"color": [BAND_COLOURS[interpret(low)] for low, _, _ in bins]},
        "customdata": [[low, high] for low, high, _ in bins],
        "hovertemplate": "α from %{customdata[0]} to %{customdata[1]}"
        "<br>%{y} images<extra></extra>",
        "showlegend": False,
    }
    return [bars, *(_legend_entry(least, words) for least, words in reversed(BANDS))]


def alpha_layout(bins):
    """Return the layout of the histogram: axes in words, lines between the bands."""
    shown = [low for low, _, count in bins if count]
    low = min([0.0, *shown])
    return {
        "margin": {"l": 56, "r": 16, "t": 8, "b": 48},
        "bargap": 0,
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "yanchor": "bottom",
            "y": 1.02,
            "x": 0,
            "font": {"size": 11},
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "xaxis": {
            "title": {"text": "Agreement per image, α"},
            "range": [low - 0.02, 1.02],
            "dtick": 0.2,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": "Images"},
            "rangemode": "tozero",
            "fixedrange": True,
        },
        "shapes": [_divider(least) for least, _ in BANDS if least > low],
    }


def _legend_entry(least, words):
    """Return a trace without bars that puts the name of a band into the legend."""
    from_here = "< 0" if least < 0 else f"≥ {least:g}"
    return {
        "type": "bar",
        "x": [None],
        "y": [None],
        "name": f"{words.split()[0]} ({from_here})",
        "marker": {"color": BAND_COLOURS[words]},
    }


def _divider(x):
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "line": {"color": "#8a8a8a", "width": 1, "dash": "dot"},
    }
