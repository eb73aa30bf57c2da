"""Controls of the What-if panel, and what they ask for."""

import fiftyone.operators.types as types

from ..kalos_core import COSTS, DISTANCES, SOLVERS
from ..kalos_core.calibration.strata import LIMITS

SOLVER_WORDS = {
    "greedy": "Greedy",
    "shm": "Hungarian (slow)",
    "ahc": "Clustering",
    "mgm": "Multi-graph (slow)",
}
COST_WORDS = {"soft": "Class first", "neg": "Places only"}
SIZE_WORDS = {"small": "Small", "medium": "Medium", "large": "Large"}

FARTHEST = 0.95
"""At 1 labels far apart could be one object."""

LONGEST = 0.5
"""The same where distances are parts of the image's diagonal."""


HIDDEN = {"opacity": "0 !important"}
ONLY_KNOWN = {
    "allow_user_input": False,
    "allow_duplicates": False,
    "filter_selected_options": True,
    # FiftyOne says to type and press enter, which is cut off, and not what one does.
    "componentsProps": {"autocomplete": {"sx": {"& input::placeholder": HIDDEN}}},
}

# As many beside each other as there is room for.
AS_MANY = {"sx": {"gridTemplateColumns": "repeat(auto-fit, minmax(132px, 1fr))"}}
ROWS = {"orientation": "vertical", "gap": 2, "componentsProps": {"grid": AS_MANY}}

SETTINGS = ("tau", "solver", "psi")
LISTS = ("left_out", "classes", "sizes")
GRIDS = {
    "tau": "",
    "left_out": "whose.",
    "classes": "whose.",
    "sizes": "ways.",
    "solver": "ways.",
    "psi": "ways.",
}
"""Where the controls of all changes are."""


def describe(panel, state, on_change):
    """Add the controls; ``on_change`` has what is called by each of them."""
    change, initial = state.change, state.initial
    panel.md(state.threshold, name="threshold")
    most = LONGEST if is_relative(state.d_loc) else FARTHEST
    panel.float(
        f"tau_{state.stamp}",
        min=0,
        max=max(most, state.own["tau"], initial["tau"]),
        default=initial["tau"],
        on_change=on_change["tau"],
        view=types.SliderView(
            label="",
            label_position="top",
            value_precision=2,
            view_multiple_of=0.01,
        ),
    )
    whose = panel.grid("whose", columns=2, **ROWS)
    ways = panel.grid("ways", columns=3, **ROWS)
    for grid, name, label, none, known, words in (
        (whose, "left_out", "Without raters", "none", state.raters, {}),
        (whose, "classes", "Only classes", "all", state.known_classes, {}),
        (ways, "sizes", "Only sizes", "all", LIMITS, SIZE_WORDS),
    ):
        grid.list(
            f"{name}_{state.stamp}",
            types.String(),
            default=initial[name],
            label=label if change[name] else f"{label}: {none}",
            view=choices(known, words, types.AutocompleteView(**ONLY_KNOWN)),
            on_change=on_change[name],
        )
    for name, label, known, words in (
        ("solver", "Solver", SOLVERS, SOLVER_WORDS),
        ("psi", "Matching cost", COSTS, COST_WORDS),
    ):
        ways.enum(
            f"{name}_{state.stamp}",
            list(known),
            default=initial[name],
            label=label,
            view=choices(known, words),
            on_change=on_change[name],
        )


def choices(names, words, view=None):
    """Return a selector of names, with words for those that have some."""
    view = view or types.DropdownView()
    for name in names:
        view.add_choice(name, label=words.get(name, name))
    return view


def is_relative(d_loc):
    """Return whether a distance is a part of the image's diagonal."""
    # A distance of the user's own need not be known here.
    return d_loc in DISTANCES and DISTANCES[d_loc].relative


def stamp_of(ctx):
    """Return which controls an event is of; new ones may be unknown to the state."""
    path = ctx.params.get("path")
    return int(path.rpartition("_")[2]) if path else ctx.panel.state.stamp


def asked_for(ctx, name, stamp):
    """Return the change that all controls ask for, of which one has just been moved.

    The App keeps what they say in the state at once, and what is answered later: the
    change that is shown lacks what is still being computed.
    """
    state = ctx.panel.state
    said = {one: state.get(f"{grid}{one}_{stamp}") for one, grid in GRIDS.items()}
    said[name] = ctx.params["value"]
    change = {}
    for one, value in said.items():
        if one in LISTS and (value is not None or one == name):
            change[one] = sorted(value or ())
        elif value is None:  # nothing chosen, or not drawn yet, is nothing changed
            change[one] = state.change[one]
        else:
            change[one] = round(float(value), 4) if one == "tau" else value
    return change
