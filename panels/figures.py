"""Core values to Plotly traces and layouts; no FiftyOne, so they test without it."""

import numpy as np

from ..kalos_core.diagnostics.kinds import AGREED
from ..kalos_core.interpretation import BANDS
from .numbers import in_digits, with_interval

FIXED = {"fixedrange": True}
"""An axis that a drag of the mouse does not move."""

FEW_TICKS = {"nticks": 5, "tickangle": 0}
"""So that numbers stay level where the pane is narrow."""

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


# What Plotly takes for the start of a tag, of an entity or of a formula.
SPECIAL = {ord(c): f"&#{ord(c)};" for c in "&<>$"}

ROW = 26
"""Height of a row of a figure with a row for each rater or class, in pixels."""

QUIET = "#8a8a8a"
"""For lines, and for what is not known, on light and dark ground alike."""


# From most to least grave, as a unit is called by the gravest.
KIND_WORDS = {
    "split_merge": ("Split or merged", "#c58bd8"),
    "missed": ("Missed", "#d1495b"),
    "class": ("Classes differ", "#e07a3f"),
    "loose": ("Drawn loosely", "#d9b44a"),
    "agreed": ("Agreed", "#2171b5"),
}


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
        "customdata": [_from_to(low, high) for low, high, _ in bins],
        "hovertemplate": "α from %{customdata[0]} to %{customdata[1]}"
        "<br>%{y} images<extra></extra>",
        "showlegend": False,
    }
    return [bars, *(_legend_entry(least, words) for least, words in reversed(BANDS))]


def _from_to(*ends):
    return [in_digits(end, 1) for end in ends]


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
        }
        | FIXED,
        "yaxis": {
            "title": {"text": "Images"},
            "rangemode": "tozero",
        }
        | FIXED,
        "shapes": [_divider(least) for least, _ in BANDS if least > low],
    }


def kind_bars(counts):
    """Return a bar for each kind of disagreement, with its number of objects."""
    kinds = [kind for kind in counts["kind"] if kind in KIND_WORDS]
    of = [counts["kind"].index(kind) for kind in kinds]
    share = counts["share"]
    # Images that everyone left empty count as agreed, but have no object to be shown.
    empty = [counts["n_empty"] * (kind == AGREED) for kind in kinds]
    number = [counts["n_units"][n] - none for n, none in zip(of, empty, strict=True)]
    words = [
        f"{KIND_WORDS[kind][0]}: {counted(n, 'object')}"
        for kind, n in zip(kinds, number, strict=True)
    ]
    return [
        {
            "type": "bar",
            "orientation": "h",
            "y": [KIND_WORDS[kind][0] for kind in kinds],
            "x": number,
            "text": [f"{n:,}" for n in number],
            "textposition": "outside",
            "cliponaxis": False,
            "marker": {"color": [KIND_WORDS[kind][1] for kind in kinds]},
            "hovertext": [
                f"{told}{share_in_words(share, n, none)}"
                for told, n, none in zip(words, of, empty, strict=True)
            ],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
    ]


def kind_layout():
    """Return the layout of the bars of kinds, the gravest on top."""
    return {
        "margin": {"l": 16, "r": 48, "t": 8, "b": 48},
        "xaxis": {"title": {"text": "Objects"}, "rangemode": "tozero"}
        | FEW_TICKS
        | FIXED,
        "yaxis": {"autorange": "reversed", "ticksuffix": "  ", "automargin": True}
        | FIXED,
    }


def share_in_words(share, n, n_empty=0):
    """Return the n-th of some shares with its interval, to be put after a number.

    Parameters
    ----------
    n_empty : images that are counted as an object on which all agree.
    """
    value, low, high = (share[name][n] for name in ("value", "low", "high"))
    if value is None:
        return ""
    with_empty = f" and {counted(n_empty, 'empty image')}" if n_empty else ""
    interval = "" if low is None else f" ({low:.0%} to {high:.0%})"
    return (
        f"{with_empty},<br>{value:.0%}{interval} of those that several raters were "
        "asked for"
    )


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
        "line": {"color": QUIET, "width": 1, "dash": "dot"},
    }


def as_label(text, most=24):
    """Return text of the user's data so that a figure shows it as it is, on one line.

    Plotly would take tags, entities and formulas for its own wherever it shows text.

    Examples
    --------
    >>> as_label("<b>x")
    '&#60;b&#62;x'
    """
    line = "".join(c if c.isprintable() else " " for c in str(text))
    if len(line) > most:
        line = f"{line[: most - 1]}…"
    return line.translate(SPECIAL)


def number_in_words(estimate, n, places=2, sign=False):
    """Return the n-th of some estimates with its interval and what is behind it."""
    value, low, high = (estimate[name][n] for name in ("value", "low", "high"))
    if value is None:
        return "not known"
    found = with_interval(value, low, high, places, sign)
    return f"{found} from {counted(estimate['n_images'][n], 'image')}"


def counted(number, noun, several=None):
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "image"), counted(2000, "image"), counted(2, "class", "classes")
    ('1 image', '2,000 images', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def interval_rows(estimate, chosen, colours, hover, ends):
    """Return a row for each of some estimates: a dot with its interval.

    A dot is hollow where the number cannot be told from zero.

    Parameters
    ----------
    chosen : which of the estimates, from top to bottom.
    ends : of the axis.
    """
    value, low, high = (
        [estimate[name][n] for n in chosen] for name in ("value", "low", "high")
    )
    told = estimate["told_from_zero"]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": value,
        "y": list(range(len(chosen))),
        "marker": {
            "size": 11,
            "color": colours,
            "symbol": ["circle" if told[n] else "circle-open" for n in chosen],
            "line": {"width": 2, "color": colours},
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": _lengths(value, high),
            "arrayminus": _lengths(low, value),
            "color": QUIET,
            "thickness": 2,
            "width": 4,
        },
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    return [stripes(hover, ends), dots]


def stripes(hover, ends):
    """Return a stripe behind each row, so that all of the row can be clicked."""
    shades = ("rgba(128,128,128,0.10)", "rgba(128,128,128,0.03)")
    places = list(range(len(hover)))
    return {
        "type": "bar",
        "orientation": "h",
        "base": ends[0],
        "x": [ends[1] - ends[0]] * len(places),
        "y": places,
        "width": 1,
        "marker": {"color": [shades[n % 2] for n in places]},
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _lengths(starts, ends):
    pairs = zip(starts, ends, strict=True)
    return [0 if None in pair else pair[1] - pair[0] for pair in pairs]


def ends_of(estimate, chosen, least, most):
    """Return the ends of an axis that holds all intervals, and from least to most."""
    known = [
        value
        for name in ("value", "low", "high")
        for n in chosen
        if (value := estimate[name][n]) is not None
    ]
    low, high = min([least, *known]), max([most, *known])
    return low - (high - low) * 0.03, high + (high - low) * 0.03


def rows_layout(labels, title, ends):
    """Return the layout of a figure with a row for each label, the axis on top.

    Rows are numbered, since names may be equal, or look like numbers or dates.
    """
    return {
        "margin": {"l": 16, "r": 16, "t": 48, "b": 8},
        "bargap": 0,
        "showlegend": False,
        "hoverlabel": {"align": "left"},
        "xaxis": {
            "title": {"text": title, "standoff": 8},
            "side": "top",
            "range": list(ends),
            **FEW_TICKS,
            "zeroline": True,
            "zerolinecolor": QUIET,
            "zerolinewidth": 2,
        }
        | FIXED,
        "yaxis": {
            "tickvals": list(range(len(labels))),
            "ticktext": labels,
            "range": [len(labels) - 0.5, -0.5],
            "automargin": True,
            "ticks": "outside",
            "ticklen": 6,
            "tickcolor": "rgba(0,0,0,0)",
            "showgrid": False,
            "zeroline": False,
        }
        | FIXED,
    }


def rows_height(number):
    """Return the height in pixels of a figure with so many rows."""
    return 64 + ROW * number


BEFORE = "#8a8a8a"
"""Of what was before, as an outline on light and dark ground alike."""


def alpha_comparison(before, after, interpret):
    """Return the bars of the per-image agreement after a change, over outlines before.

    Outlines cannot be clicked, so that every click is on what is shown now.
    """
    bars, *legend = alpha_histogram(after, interpret)
    bars["customdata"] = [[*_from_to(low, high), n] for low, high, n in before]
    bars["hovertemplate"] = (
        "α from %{customdata[0]} to %{customdata[1]}<br>%{y} images, %{customdata[2]} "
        "in the run<extra></extra>"
    )
    outline = {
        "type": "bar",
        "name": "in the run",
        "x": bars["x"],
        "y": [count for _, _, count in before],
        "width": bars["width"],
        "marker": {"color": "rgba(0,0,0,0)", "line": {"color": BEFORE, "width": 1.5}},
        "hoverinfo": "skip",
    }
    return [bars, outline, *legend]


def comparison_layout(before, after):
    """Return the layout of both distributions in one figure."""
    both = [
        (low, high, max(count, own))
        for (low, high, count), (_, _, own) in zip(before, after, strict=True)
    ]
    return {**alpha_layout(both), "barmode": "overlay"}
