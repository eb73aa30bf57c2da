"""The reliability matrix of one image as a table; no FiftyOne, so it tests without it.

The App shows the text of a table's cells as it is, whatever it holds, so nothing of
the user's data is escaped here.
"""

from ..kalos_core import NO_OBJECT, UNASSIGNED
from .figures import KIND_WORDS

# Paul Tol's light set: made to be written on in black and told apart by the
# colour-blind. Raters have the other colours, so no class looks like a rater.
CLASS_COLOURS = (
    "#77aadd",
    "#eedd88",
    "#ee8866",
    "#44bb99",
    "#ffaabb",
    "#99ddff",
    "#bbcc33",
    "#aaaa00",
)

ABSENT = {NO_OBJECT: "no object", UNASSIGNED: "not asked"}
WORDS = {"fontStyle": "italic"}
"""What is said instead of a class does not look like one."""

ALONE = {"fontWeight": 700, "textDecoration": "underline"}
"""Of the rater who stands alone."""

KINDS = {
    **{kind: words for kind, (words, _) in KIND_WORDS.items()},
    "undefined": "Not compared",
}
UNITS = {"number": "#", "gain": "α lost", "kind": "Disagreement"}
"""What is said of units, in the columns before those of the raters."""

WIDTHS = (24, 44, 84)
"""Of these columns, in pixels; raters share what is left."""

FEW, ROOMY, TIGHT = 5, (11, 62), (10, 53)
"""Up to how many raters there is room, and size of text and least width in pixels: six
raters fit into half of a small screen."""

KIND = list(UNITS).index("kind")


TABLE = {
    "contain": "inline-size",  # scrolls by itself instead of widening the panel
    "width": "auto",
    "marginRight": "36px",  # where the App has its arrow to the next image
    "maxHeight": "max(260px, calc(100vh - 430px))",
    "overflow": "auto",
    "& td, & th": {
        "fontSize": 11,
        "letterSpacing": 0,
        "lineHeight": 1.3,
        "padding": "5px 4px",
        "overflowWrap": "anywhere",
    },
    "& td": {"cursor": "pointer"},
    "& th": {
        "position": "sticky",
        "top": 0,
        "zIndex": 2,
        "bgcolor": "background.level2",
        "verticalAlign": "bottom",
        "fontWeight": 600,
    },
    "& td:nth-of-type(1)": {
        "position": "sticky",
        "left": 0,
        "zIndex": 1,
        "bgcolor": "background.level2",
    },
    **{
        f"& th:nth-of-type({n})": {"width": width}
        for n, width in enumerate(WIDTHS, start=1)
    },
    "& th:nth-of-type(1)": {"left": 0, "zIndex": 3, "width": WIDTHS[0]},
    "& :is(td, th):is(:nth-of-type(1), :nth-of-type(2))": {"textAlign": "right"},
}


def matrix_columns(image):
    """Return ``(key, label)`` of each column: what is said of units, then raters."""
    raters = [(f"rater_{n}", name) for n, name in enumerate(image["raters"])]
    return [*UNITS.items(), *raters]


def matrix_rows(image):
    """Return a row for each unit, all of it text."""
    return [
        {
            "id": str(number),
            "number": str(number),
            "gain": cost(gain),
            "kind": KINDS[kind],
            **{f"rater_{n}": said(image, value) for n, value in enumerate(values)},
        }
        for number, gain, kind, values in zip(
            *(image[name] for name in ("unit", "gain", "kind", "values")),
            strict=True,
        )
    ]


def said(image, value):
    """Return what a rater said of a unit, in a word."""
    return ABSENT.get(value) or image["classes"][str(value)]


def cost(gain):
    """Return what a unit costs its image's alpha; nothing where it costs nothing."""
    if gain is None:
        return ""
    return "0" if abs(gain) < 0.0005 else f"{gain:.3f}"


def matrix_looks(image, colour_of_rater, chosen=None):
    """Return the looks of the table: styles by CSS selector within it.

    Cells of a class have its colour, a miss is outlined, who was not asked is faint,
    and who stands alone is underlined. Labels of the unit ``chosen`` are selected.
    """
    looks = {**TABLE, **_raters(image, colour_of_rater)}
    for part in (
        _values(image),
        _outliers(image),
        _kinds(image),
        _chosen(image, chosen),
    ):
        for where, look in part.items():
            looks[where] = {**looks.get(where, {}), **look}
    return looks


def table_looks(image):
    """Return the looks of the table itself, which scrolls where raters are many."""
    n_raters = len(image["raters"])
    _, least = ROOMY if n_raters <= FEW else TIGHT
    return {
        "tableLayout": "fixed",
        "borderCollapse": "separate",
        "minWidth": sum(WIDTHS) + n_raters * least,
    }


def _raters(image, colour_of_rater):
    """Return the size of text, and a line in the rater's colour under each name."""
    size, _ = ROOMY if len(image["raters"]) <= FEW else TIGHT
    return {
        f"& :is(td, th):nth-of-type(n + {len(UNITS) + 1})": {
            "fontSize": size,
            "paddingInline": "1px",
            "textAlign": "center",
        },
        **{
            f"& th:nth-of-type({len(UNITS) + n + 1})": {
                "borderBottom": f"3px solid {colour_of_rater[name]}"
            }
            for n, name in enumerate(image["raters"])
        },
    }


def _outliers(image):
    cells = [
        _cell(row, len(UNITS) + image["raters"].index(rater))
        for row, rater in enumerate(image["outlier"])
        if rater is not None
    ]
    return {", ".join(cells): ALONE} if cells else {}


def _values(image):
    cells = {}
    for row, values in enumerate(image["values"]):
        for n, value in enumerate(values):
            cells.setdefault(value, []).append(_cell(row, len(UNITS) + n))
    return {
        ", ".join(places): _look_of(value) for value, places in sorted(cells.items())
    }


def _look_of(value):
    if value == UNASSIGNED:
        return {"opacity": 0.45, **WORDS}
    if value == NO_OBJECT:
        line = KIND_WORDS["missed"][1]
        return {"boxShadow": f"inset 0 0 0 2px {line}", **WORDS}
    colour = CLASS_COLOURS[value % len(CLASS_COLOURS)]
    return {"backgroundColor": colour, "color": "#1a1a1a"}


def _kinds(image):
    cells = {}
    for row, kind in enumerate(image["kind"]):
        cells.setdefault(kind, []).append(_cell(row, KIND))
    return {
        ", ".join(places): {"borderLeft": f"4px solid {KIND_WORDS[kind][1]}"}
        for kind, places in cells.items()
        if kind in KIND_WORDS
    }


def _chosen(image, chosen):
    if chosen not in image["unit"]:
        return {}
    return {
        f"{_cell(image['unit'].index(chosen), 0)}": {
            "bgcolor": "primary.main",
            "color": "primary.contrastText",
            "fontWeight": 700,
        }
    }


def _cell(row, column):
    return f"& tbody tr:nth-of-type({row + 1}) td:nth-of-type({column + 1})"
