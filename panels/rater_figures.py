"""Figures of raters: vitality, and the agreement of every two."""

from ..kalos_core.natural_order import natural
from .figures import (
    BAND_COLOURS,
    FIXED,
    ROW,
    as_label,
    counted,
    ends_of,
    interval_rows,
    number_in_words,
    rows_layout,
)
from .numbers import in_digits

# The colours of the bands, from chance to agreement without a step.
SCALE = [
    [n / (len(BAND_COLOURS) - 1), colour]
    for n, colour in enumerate(reversed(BAND_COLOURS.values()))
]
BORDER = {"color": "#ffffff", "width": 6}, {"color": "#1a1a1a", "width": 2}
"""Between schools: a dark line within a white one, seen on light and dark ground."""

FEW, MANY = 8, 20
"""Raters up to whom there is room for whole numbers and long names, and for any."""

LOWEST = -0.2
"""Alpha from which on downwards all is the colour of systematic disagreement."""


def with_vitality(vitality, names):
    """Return the raters who have a vitality, in the order of names: no ranks."""
    known = [n for n, v in enumerate(vitality["relative"]["value"]) if v is not None]
    return sorted(known, key=lambda n: natural(names[n]))


def vitality_ends(vitality, chosen):
    """Return the ends of the axis of vitality."""
    return ends_of(vitality["relative"], chosen, -0.02, 0.02)


def vitality_rows(vitality, raters, chosen, colours):
    """Return a row for each chosen rater.

    Parameters
    ----------
    raters : columns ``name`` and ``n_annotations``.
    colours : of each rater, by name.
    """
    hover = [_vitality_in_words(vitality, raters, n) for n in chosen]
    own = [colours[raters["name"][n]] for n in chosen]
    ends = vitality_ends(vitality, chosen)
    return interval_rows(vitality["relative"], chosen, own, hover, ends)


def _vitality_in_words(vitality, raters, n):
    def number(which):
        return number_in_words(vitality[which], n, places=3, sign=True)

    told = vitality["relative"]["told_from_zero"][n]
    lines = [
        f"{as_label(raters['name'][n], 60)}, "
        f"{counted(raters['n_annotations'][n], 'label')}",
        f"Against the others {number('relative')}",
        *([] if told else [f"which cannot be told from 0{_by_chance(vitality, n)}"]),
        f"Vitality, mean over images {number('mean')}",
        f"Vitality, all images as one {number('overall')}",
    ]
    return "<br>".join(lines)


def _by_chance(vitality, n):
    """Return why a number is not told from 0 although its interval is."""
    low, high = (vitality["relative"][end][n] for end in ("low", "high"))
    if low is None or low <= 0 <= high:
        return ""
    return ":<br>of so many raters, one has such an interval by chance"


def vitality_labels(vitality, names, chosen):
    """Return what stands beside each row: the rater, and images behind the number."""
    n_images = vitality["relative"]["n_images"]
    return [f"{as_label(names[n])} ({n_images[n]:,})" for n in chosen]


def vitality_layout(labels, ends):
    """Return the layout of the rows of vitality."""
    return rows_layout(labels, "Vitality against the others", ends)


def school_order(schools, names):
    """Return raters as they are drawn, and where each but the first school begins."""
    by_name = sorted(range(len(names)), key=lambda n: natural(names[n]))
    order, school = schools["order"] or by_name, schools["school"]
    if not school:
        return order, []
    by_school = sorted(order, key=lambda rater: school[rater])
    return by_school, [school.count(0)]


def collaboration_map(collaboration, names, order):
    """Return the agreement of every two raters as a map, rows from top to bottom.

    Numbers in brackets cannot be told from chance. What two raters share no image for,
    and the diagonal, is left blank.
    """
    mean, place = collaboration["mean"], {rater: n for n, rater in enumerate(order)}
    size, few = len(order), len(order) <= FEW
    z = [[None] * size for _ in order]
    text, hover = ([[""] * size for _ in order] for _ in range(2))
    for n, pair in enumerate(
        zip(collaboration["a"], collaboration["b"], strict=True),
    ):
        if mean["value"][n] is None:
            continue
        told = mean["told_from_zero"][n]
        short = in_digits(mean["value"][n])
        if not few:
            short = short.replace("0.", ".", 1)
        for one, other in (pair, reversed(pair)):
            row, column = place[one], place[other]
            z[row][column] = mean["value"][n]
            text[row][column] = short if told else f"({short})"
            hover[row][column] = _pair_in_words(
                collaboration, n, names[one], names[other]
            )
    return [
        {
            "type": "heatmap",
            "x": list(range(size)),
            "y": list(range(size)),
            "z": z,
            "zmin": LOWEST,
            "zmax": 1,
            "colorscale": SCALE,
            "xgap": 1,
            "ygap": 1,
            "text": text,
            "texttemplate": "%{text}",
            **({"textfont": {"size": 11 if few else 10}} if size <= MANY else {}),
            "hovertext": hover,
            "hovertemplate": "%{hovertext}<extra></extra>",
            "hoverongaps": False,
            "showscale": few,
            "colorbar": {
                "title": {"text": "α", "side": "top"},
                "thickness": 10,
                "outlinewidth": 0,
                "tickvals": [0, 0.4, 0.6, 0.8, 1],
            },
        }
    ]


def _pair_in_words(collaboration, n, one, other):
    told = collaboration["mean"]["told_from_zero"][n]
    lines = [
        f"{as_label(one, 60)} and {as_label(other, 60)}",
        f"Mean α {number_in_words(collaboration['mean'], n)}",
        *([] if told else ["which cannot be told from chance"]),
        f"All images as one {number_in_words(collaboration['overall'], n)}",
    ]
    return "<br>".join(lines)


def collaboration_layout(names, borders):
    """Return the layout of the map.

    Parameters
    ----------
    names : of the raters, as they are drawn.
    borders : where each but the first school begins.
    """
    size = len(names)
    labels = [as_label(name, 16 if size <= FEW else 10) for name in names]
    axis = {
        "tickvals": list(range(size)),
        "ticktext": labels,
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "rgba(0,0,0,0)",
        **FIXED,
    }
    return {
        "margin": {"l": 16, "r": 16, "t": 32, "b": 8},
        "hoverlabel": {"align": "left"},
        "xaxis": axis | {"side": "top", "range": [-0.5, size - 0.5]},
        "yaxis": axis | {"range": [size - 0.5, -0.5]},
        "shapes": [
            _border(size, line, **{f"{along}0": at - 0.5, f"{along}1": at - 0.5})
            for line in BORDER
            for at in borders
            for along in "xy"
        ],
    }


def _border(size, line, **at):
    """Return a line through the whole map."""
    whole = {"x0": -0.5, "x1": size - 0.5, "y0": -0.5, "y1": size - 0.5}
    return {"type": "line", **whole, **at, "line": line}


def map_height(size):
    """Return the height in pixels of the map of so many raters."""
    return 96 + (40 if size <= FEW else ROW) * size
