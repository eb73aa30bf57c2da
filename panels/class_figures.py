"""Figures of classes: how hard each is, and which are confused."""

from ..kalos_core.interpretation import interpret
from .figures import (
    BAND_COLOURS,
    QUIET,
    SPECIAL,
    as_label,
    counted,
    ends_of,
    interval_rows,
    number_in_words,
    rows_layout,
    stripes,
)

# Where a confusion comes from, told apart by the colour-blind; blue as all agree that
# the guideline is vague, grey as nothing is known.
SOURCE_WORDS = {
    "one_rater": ("One rater's", "#d1495b"),
    "directed": ("One rater's against another's", "#d9b44a"),
    "symmetric": ("Nobody's in particular", "#2171b5"),
    "undetermined": ("Too few to say", QUIET),
}


def worst_classes(difficulty):
    """Return the classes that have an alpha, those first that are surely low.

    By the upper end of the interval: of hundreds of classes the lowest numbers are
    those of a few objects, which say little. Without an interval they come last.
    """
    value, high = (difficulty["mean"][name] for name in ("value", "high"))
    known = [n for n, alpha in enumerate(value) if alpha is not None]
    ends = {n: 2 if high[n] is None else high[n] for n in known}
    return sorted(known, key=lambda n: (ends[n], value[n], n))


def difficulty_ends(difficulty, chosen):
    """Return the ends of the axis of alpha."""
    return ends_of(difficulty["mean"], chosen, 0, 1)


def difficulty_rows(difficulty, names, chosen, ends):
    """Return a row for each chosen class, in the colour of its band."""
    alpha = difficulty["mean"]
    colours = [BAND_COLOURS[interpret(alpha["value"][n])] for n in chosen]
    hover = [_difficulty_in_words(difficulty, names[n], n) for n in chosen]
    return interval_rows(alpha, chosen, colours, hover, ends)


def _difficulty_in_words(difficulty, name, n):
    alpha = difficulty["mean"]
    told = "" if alpha["told_from_zero"][n] else ", cannot be told from chance"
    lines = [
        f"{as_label(name, 60)}, {counted(difficulty['n_units'][n], 'object')}",
        f"Mean α {number_in_words(alpha, n)}",
        f"{interpret(alpha['value'][n])}{told}",
    ]
    return "<br>".join(lines)


def difficulty_labels(difficulty, names, chosen):
    """Return what stands beside each row: the class, and its number of objects."""
    n_units = difficulty["n_units"]
    return [f"{as_label(names[n])} ({n_units[n]:,})" for n in chosen]


def difficulty_layout(labels, ends):
    """Return the layout of the rows of classes."""
    return rows_layout(labels, "Agreement, mean α", ends)


def worst_pairs(confusion):
    """Return the pairs of classes, those of the most objects first."""
    n_units, ratio = confusion["n_units"], confusion["ratio"]
    return sorted(range(len(n_units)), key=lambda n: (-n_units[n], -ratio[n], n))


def confusion_bars(confusion, classes, raters, chosen):
    """Return a bar for each chosen pair, and the names of the colours."""
    swaps, n_units = confusion["swaps"], confusion["n_units"]
    hover = [_pair_in_words(confusion, classes, raters, n) for n in chosen]
    number = [n_units[n] for n in chosen]
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(chosen))),
        "x": number,
        "width": 0.7,
        "text": [_beside_bar(confusion, raters, n) for n in chosen],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": [SOURCE_WORDS[swaps["source"][n]][1] for n in chosen]},
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }
    used = {swaps["source"][n] for n in chosen}
    legend = [_legend_entry(source, source in used) for source in SOURCE_WORDS]
    return [stripes(hover, confusion_ends(max(number, default=0))), bars, *legend]


def confusion_ends(most):
    """Return the ends of the axis; the text beside the longest bar must fit too."""
    return 0, most * 2.5


def _legend_entry(source, shown):
    """Return a trace without bars that puts a source into the legend."""
    words, colour = SOURCE_WORDS[source]
    return {
        "type": "bar",
        "orientation": "h",
        "x": [None],
        "y": [None],
        "name": words,
        "marker": {"color": colour},
        "showlegend": shown,
    }


def _beside_bar(confusion, raters, n):
    rater = confusion["swaps"]["rater"][n]
    whose = f" {as_label(raters[rater], 12)}" if rater >= 0 else ""
    return f"{confusion['n_units'][n]:,} ({times(confusion['ratio'][n])}){whose}"


def times(ratio):
    """Return how often against chance.

    Examples
    --------
    >>> times(10.01), times(0.25), times(0.001)
    ('10×', '0.2×', '&#60;0.1×')
    """
    if ratio < 0.1:
        return "<0.1×".translate(SPECIAL)
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def _pair_in_words(confusion, classes, raters, n):
    one, other = (as_label(classes[confusion[k][n]], 60) for k in ("label", "other"))
    lines = [
        f"{one} and {other}",
        f"{counted(confusion['n_units'][n], 'object')} called both, "
        f"{times(confusion['ratio'][n])} as often as by chance",
        *_source_in_words(confusion["swaps"], classes, raters, n),
    ]
    return "<br>".join(lines)


def _source_in_words(swaps, classes, raters, n):
    """Return lines that say whose confusion it is."""
    source, n_cases, said = (swaps[k][n] for k in ("source", "n_cases", "said"))
    if source == "undetermined":
        return ["Whose it is cannot be told"]
    if source == "symmetric":
        return [
            f"Nobody's in particular, from {counted(n_cases, 'object')}:",
            "the guideline may be vague",
        ]
    who, theirs = as_label(raters[swaps["rater"][n]], 60), swaps["n_theirs"][n]
    says = f"says {as_label(classes[said], 60)}" if said >= 0 else "says either"
    chance = f"p {_p_in_words(swaps['p_value'][n])}"
    if source == "directed":
        against = as_label(raters[swaps["against"][n]], 60)
        return [f"{who} {says} in {theirs} of {n_cases} against {against}, {chance}"]
    return [
        f"{who} stands alone in {theirs} of {n_cases} that can tell, {chance}",
        f"and mostly {says}" if said >= 0 else "and says the one as often as the other",
    ]


def _p_in_words(p):
    return "&#60; 0.001" if p < 0.001 else f"= {p:.3f}"


def confusion_labels(confusion, classes, chosen):
    """Return what stands beside each bar: both classes, one below the other."""
    return [
        " /<br>".join(
            as_label(classes[confusion[k][n]], 20) for k in ("label", "other")
        )
        for n in chosen
    ]


def confusion_layout(labels, most):
    """Return the layout of the bars.

    Parameters
    ----------
    most : the largest number of objects.
    """
    title, ends = "Objects called both", confusion_ends(most)
    layout = rows_layout(labels, title, ends)
    if most < 5:
        layout["xaxis"]["dtick"] = 1
    legend = {
        "orientation": "h",
        "yanchor": "top",
        "y": 0,
        "x": 0,
        "font": {"size": 11},
        "itemclick": False,
        "itemdoubleclick": False,
    }
    below = layout["margin"] | {"b": 40}
    return layout | {
        "showlegend": True,
        "legend": legend,
        "barmode": "overlay",
        "margin": below,
    }


def confusion_height(number):
    """Return the height in pixels of so many bars, with two lines each and a legend."""
    return 96 + 40 * number
