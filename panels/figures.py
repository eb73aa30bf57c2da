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
    """Return ``(low, high, count)`` of the bins from 0, or the lowest alpha, up to 1.

    A bin holds low <= alpha < high, the last one alpha = 1 too. Negative bins come in
    twos at least, for their name to fit above them.
    """
    defined = [value for value in alpha if value is not None]
    counts, _ = np.histogram(defined, bins=EDGES)
    lowest = min([0.0, *defined])
    start = min(lowest, -0.15) if lowest < 0 else 0.0
    return [
        (low, high, int(count))
        for low, high, count in zip(EDGES[:-1], EDGES[1:], counts, strict=True)
        if high > start
    ]


def alpha_histogram(bins, interpret):
    """Return the bar trace of the per-image agreement."""
    return {
        "type": "bar",
        "x": [round((low + high) / 2, 2) for low, high, _ in bins],
        "y": [count for _, _, count in bins],
        "width": [0.094] * len(bins),
        "marker": {"color": [BAND_COLOURS[interpret(low)] for low, _, _ in bins]},
        "customdata": [[low, high] for low, high, _ in bins],
        "hovertemplate": "α from %{customdata[0]} to %{customdata[1]}"
        "<br>%{y} images<extra></extra>",
    }


def alpha_layout(bins):
    """Return the layout of the histogram: axes in words, bands named above."""
    low = bins[0][0]
    edges = [max(least, low) for least, _ in BANDS]
    uppers = [1.0, *edges[:-1]]
    return {
        "margin": {"l": 56, "r": 16, "t": 34, "b": 48},
        "bargap": 0,
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
        "annotations": [
            _band_name(words, (lower + upper) / 2)
            for (_, words), lower, upper in zip(BANDS, edges, uppers, strict=True)
            if upper > lower
        ],
    }


def _divider(x):
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1.06,
        "line": {"color": "#8a8a8a", "width": 1, "dash": "dot"},
    }


def _band_name(words, x):
    return {
        "text": words.split()[0],
        "x": x,
        "y": 1.01,
        "xref": "x",
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 10, "color": BAND_COLOURS[words]},
    }
