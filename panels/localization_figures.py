"""Thresholds of localization to Plotly traces and layouts; no FiftyOne."""

from math import floor

from ..kalos_core.diagnostics.sensitivity import GRID
from .figures import FIXED

N_POINTS = len(GRID) + 2
"""Points of every curve. The App keeps those of a longer one that was shown before, so
shorter ones are filled up."""

OBSERVED, CHANCE, GREY = "#2f86c8", "#e07a3f", "#8a8a8a"

BAND = {OBSERVED: "rgba(47, 134, 200, 0.25)", CHANCE: "rgba(224, 122, 63, 0.25)"}

HEADER = 0.78
"""Part of the height below the labels of the marks."""

SAME = 0.005
"""Marks that are nearer to each other have one label."""

ROOM = 0.24
"""What a label takes of the width."""

TITLE = {"size": 14, "color": GREY}

MARGIN = {"l": 56, "r": 24, "b": 48}


def curve(points):
    """Return mean alpha over thresholds with its interval; the points can be clicked.

    Parameters
    ----------
    points : of each threshold, from strict to lenient, ``tau``, ``value``, ``low``,
        ``high`` and ``words``.
    """
    banded = [point for point in points if point["low"] is not None]
    there, back = banded, banded[::-1]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": _filled([p["tau"] for p in (*there, *back)], 2),
            "y": _filled([p["low"] for p in there] + [p["high"] for p in back], 2),
            "fill": "toself",
            "fillcolor": BAND[OBSERVED],
            "line": {"width": 0},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": _filled([p["tau"] for p in points]),
            "y": _filled([p["value"] for p in points]),
            "text": _filled([p["words"] for p in points]),
            "hovertemplate": "%{text}<extra></extra>",
            "line": {"color": OBSERVED, "width": 2},
            "marker": {"color": OBSERVED, "size": 10},
            "cliponaxis": False,
        },
        _second_axis(),
    ]


def curve_layout(points, marks, similarity):
    """Return the layout of the curve: similarity on top, thresholds marked.

    Parameters
    ----------
    marks : ``(words, tau, dash)`` of the thresholds to mark.
    similarity : what people call 1 - tau.
    """
    lows = [p["low"] if p["low"] is not None else p["value"] for p in points]
    least = min([0.0, *(low for low in lows if low is not None)])
    bottom = floor(least * 5) / 5
    ticks = [round(n / 5, 1) for n in range(round(bottom * 5), 6)]
    return {
        **_layout(marks, "Threshold τ (a distance)", similarity),
        "yaxis": {
            "title": {"text": "Mean agreement, α", "font": TITLE},
            "range": [bottom - 0.03, bottom + (1 - bottom) / HEADER],
            "tickvals": ticks,
            "zeroline": False,
        }
        | FIXED,
    }


def densities(grid, density_o, density_e):
    """Return how far raters of one image, and chance, are apart."""
    named = (
        ("Raters of one image, D<sub>o</sub>", density_o, OBSERVED),
        ("Chance, D<sub>e</sub>", density_e, CHANCE),
    )
    return [
        *(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": grid,
                "y": density,
                "fill": "tozeroy",
                "fillcolor": BAND[colour],
                "line": {"color": colour, "width": 2},
                "hovertemplate": "distance %{x:.2f}<extra>%{fullData.name}</extra>",
            }
            for name, density, colour in named
        ),
        _second_axis(),
    ]


def densities_layout(marks, similarity, interval, highest):
    """Return the layout of the densities, aligned with the curve above them.

    Parameters
    ----------
    interval : low and high end of that of tau*, or None.
    highest : the largest density.
    """
    made = _layout(marks, "Distance of two labels", similarity)
    if interval:
        low, high = interval
        made["shapes"].append(
            {
                "type": "rect",
                "yref": "paper",
                "x0": low,
                "x1": high,
                "y0": 0,
                "y1": 1,
                "fillcolor": GREY,
                "opacity": 0.35,
                "line": {"width": 0},
            }
        )
    return {
        **made,
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -0.3,
            "x": 0,
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "margin": {**MARGIN, "t": 48, "b": 84},
        "yaxis": {
            "title": {"text": "Density", "font": TITLE},
            "range": [0, (highest or 1) * 1.02 / HEADER],
            "showticklabels": False,
            "zeroline": False,
        }
        | FIXED,
    }


def _layout(marks, distance, similarity):
    marks = _merged(marks)
    return {
        "margin": {**MARGIN, "t": 48},
        "showlegend": False,
        "hovermode": "closest",
        "hoverdistance": 30,
        "xaxis": {
            "title": {"text": distance, "font": TITLE},
            "range": [0, 1],
            "dtick": 0.2,
            "zeroline": False,
        }
        | FIXED,
        "xaxis2": {
            "title": {"text": similarity, "font": TITLE, "standoff": 6},
            "overlaying": "x",
            "side": "top",
            "range": [1, 0],
            "dtick": 0.2,
            "showgrid": False,
            "zeroline": False,
        }
        | FIXED,
        "shapes": [_line(tau, dash) for _, tau, dash in marks],
        "annotations": _labels(marks),
    }


def _merged(marks):
    """Return marks by rising tau; those at one place share a label."""
    merged = []
    for words, tau, dash in sorted(marks, key=lambda mark: mark[1]):
        if merged and tau - merged[-1][1] < SAME:
            earlier, place, its_dash = merged.pop()
            merged.append((f"{earlier} and {words}", place, its_dash))
        else:
            merged.append((words, tau, dash))
    return merged


def _labels(marks):
    """Return the names of marks, one below the other so that none hides another."""
    made = []
    for n, (words, tau, _) in enumerate(marks):
        before = marks[n - 1][1] if n else 0.0
        after = marks[n + 1][1] if n + 1 < len(marks) else 1.0
        left = tau - before > after - tau if tau > ROOM else False
        left = left or tau > 1 - ROOM
        made.append(
            {
                "text": f"{words} {tau:.2f}",
                "x": tau,
                "xanchor": "right" if left else "left",
                "xshift": -4 if left else 4,
                "yref": "paper",
                "y": 1 - n * (1 - HEADER) / 3,
                "yanchor": "top",
                "showarrow": False,
                "font": {"size": 12},
            }
        )
    return made


def _line(x, dash):
    return {
        "type": "line",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "line": {"color": GREY, "width": 1.5, "dash": dash},
    }


def _second_axis():
    """Return a trace without points; Plotly draws no axis that nothing is drawn on."""
    return {
        "type": "scatter",
        "x": [None],
        "y": [None],
        "xaxis": "x2",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _filled(values, times=1):
    """Return as many values as the longest curve has, the others being None."""
    return [*values, *[None] * (N_POINTS * times - len(values))]
