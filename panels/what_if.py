"""Panel: what agreement would be with other raters, another threshold or solver."""

from dataclasses import replace
from typing import ClassVar
from zlib import crc32

import fiftyone.operators.types as types
import numpy as np

from ..kalos_core import COSTS, DISTANCES, SOLVERS, KalosError, compare, interpret
from ..kalos_core.calibration.strata import LIMITS
from ..kalos_core.natural_order import natural
from ..kalos_core.what_if import Restriction
from ..operators import what_if
from . import figures
from .agreement import threshold_in_words
from .run_panel import COMPUTE, RunPanel, buttons, plot

HELP = (
    "Change something and see what agreement would be; nothing is written, and grey "
    "outlines are the run as it is. Labels that are left out count as never drawn, so "
    "that an object of which only some labels are left looks missed."
)

WORST = 50
"""Images that the button shows."""

LISTED = 5
"""Of them, those that the table names."""

N_BOOT = 200
"""Rounds of the interval of a difference; few, so that it is there at once."""

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
CHANGES = {f"on_{name}": name for name in (*SETTINGS, *LISTS)}
"""What is changed by each handler."""


class WhatIfPanel(RunPanel):
    about: ClassVar = {
        "name": "kalos_what_if",
        "label": "What\N{NON-BREAKING HYPHEN}if",  # a tab would break there
        "icon": "tune",
    }
    how_to_read: ClassVar = HELP
    asks: ClassVar = None

    def execute(self, ctx):
        # The App repeats the events of lists when anything changes, with a state that
        # may be an older one by now; drawing that would hide what came since.
        name = CHANGES.get(ctx.params.get("__method__"))
        if name is not None and not self._is_news(ctx, name):
            return None
        return super().execute(ctx)

    def show(self, ctx, config, results):
        state = ctx.panel.state
        state.why_not = what_if.why_not(results)
        if state.why_not is None:
            run = what_if.of_run(ctx.dataset, state.run_key, (config, results))
            self._start(ctx, run)

    def describe(self, panel, ctx):
        state = ctx.panel.state
        if state.why_not:
            panel.view("why_not", types.Notice(label=state.why_not))
            panel.btn("compute", label="New run", on_click=self.on_compute)
            return
        self._describe_changes(panel, state)
        if state.refused:
            panel.view("refused", types.Warning(label=state.refused))
        panel.md(state.text, name="summary")
        layout = figures.comparison_layout(state.before, state.bins)
        plot(panel, "histogram", layout, self.on_click_bar)
        panel.md("Click a bar to see its images, worst first.", name="hint")
        if state.n_worst:
            self._describe_worst(panel, state)
        self._describe_keeping(panel, state)

    def on_tau(self, ctx):
        self._change(ctx, "tau")

    def on_solver(self, ctx):
        self._change(ctx, "solver")

    def on_psi(self, ctx):
        self._change(ctx, "psi")

    def on_left_out(self, ctx):
        self._change(ctx, "left_out")

    def on_classes(self, ctx):
        self._change(ctx, "classes")

    def on_sizes(self, ctx):
        self._change(ctx, "sizes")

    def on_reset(self, ctx):
        if self.is_there(ctx):
            self._start(ctx, self._run(ctx))

    def on_click_bar(self, ctx):
        low, high, _ = ctx.panel.state.bins[ctx.params["idx"]]
        if self.is_there(ctx):
            alpha = self._again(ctx).alpha
            inside = (alpha >= low) & (alpha <= high if high == 1 else alpha < high)
            self._show_images(ctx, worst_first(alpha, inside))

    def on_show_worst(self, ctx):
        if self.is_there(ctx):
            alpha = self._again(ctx).alpha
            self._show_images(ctx, worst_first(alpha, alpha < 1)[:WORST])

    def on_keep(self, ctx):
        if self.is_there(ctx):
            run, change = self._run(ctx), ctx.panel.state.change
            asked = run.form(
                ctx.dataset, configuration_of(run, change), left(run, change)
            )
            ctx.prompt(COMPUTE, params=asked, on_success=self.on_load)

    def _run(self, ctx):
        return what_if.of_run(ctx.dataset, ctx.panel.state.run_key)

    def _again(self, ctx):
        run, change = self._run(ctx), ctx.panel.state.change
        return run.again(configuration_of(run, change), restriction_of(run, change))

    def _start(self, ctx, run):
        """Show the run as it is."""
        own = {
            **{name: getattr(run.configuration, name) for name in SETTINGS},
            **{name: [] for name in LISTS},
        }
        self._show_change(
            ctx,
            run,
            own,
            own=own,
            d_loc=run.configuration.d_loc,
            raters=sorted(run.raters, key=natural),
            classes=sorted(run.classes, key=natural),
            before=figures.bins_of(defined(run.found.alpha)),
            # A control keeps its value under its name: new values need new names.
            n_starts=(ctx.panel.state.n_starts or 0) + 1,
        )

    def _is_news(self, ctx, name):
        change = ctx.panel.state.change
        return change is not None and change[name] != asked_for(ctx, name)

    def _change(self, ctx, name):
        if self.is_there(ctx):
            change = {**ctx.panel.state.change, name: asked_for(ctx, name)}
            self._show_change(ctx, self._run(ctx), change)

    def _show_change(self, ctx, run, change, **news):
        """Set state and plot; all at once, so that no event sees half of it."""
        news |= {"change": change, "refused": None}
        try:
            news |= self._found(ctx, run, change)
        except KalosError as error:
            news["refused"] = str(error)
        ctx.panel.state.set(news)
        bars = figures.alpha_comparison(
            ctx.panel.state.before, ctx.panel.state.bins, interpret
        )
        ctx.panel.set_data("histogram", bars)

    def _found(self, ctx, run, change):
        """Return what is shown of a change."""
        if len(left(run, change)) < 2:
            raise KalosError("Two raters at least are needed to agree or disagree.")
        found = run.again(configuration_of(run, change), restriction_of(run, change))
        worst = worst_first(found.alpha, found.alpha < 1)
        listed = worst[:LISTED]
        files = run.files(ctx.dataset, listed)
        return {
            "bins": figures.bins_of(defined(found.alpha)),
            "text": summary(run, change, found),
            "n_worst": min(len(worst), WORST),
            "worst_images": [
                {
                    "file": file or "(deleted)",
                    "now": in_digits(found.alpha[n]),
                    "before": in_digits(run.found.alpha[n]),
                }
                for n, file in zip(listed, files, strict=True)
            ],
        }

    def _show_images(self, ctx, images):
        self.go_to(ctx, self._run(ctx).view(ctx.dataset, images))

    def _describe_changes(self, panel, state):
        change, own = state.change, state.own
        words = threshold_in_words({"d_loc": state.d_loc, **change})
        told = f"Threshold τ {change['tau']:.2f}: labels can be one object {words}"
        panel.md(told, name="threshold")
        stamp = crc32(f"{state.edition} {state.run_key} {state.n_starts}".encode())
        most = LONGEST if is_relative(state.d_loc) else FARTHEST
        panel.float(
            f"tau_{stamp:08x}",
            min=0,
            max=max(most, own["tau"]),
            default=own["tau"],
            on_change=self.on_tau,
            view=types.SliderView(
                label="",
                label_position="top",
                value_precision=2,
                view_multiple_of=0.01,
            ),
        )
        whose = panel.grid("whose", columns=2, **ROWS)
        ways = panel.grid("ways", columns=3, **ROWS)
        for grid, name, label, none, known, words, on_change in (
            (
                whose,
                "left_out",
                "Without raters",
                "none",
                state.raters,
                {},
                self.on_left_out,
            ),
            (
                whose,
                "classes",
                "Only classes",
                "all",
                state.classes,
                {},
                self.on_classes,
            ),
            (ways, "sizes", "Only sizes", "all", LIMITS, SIZE_WORDS, self.on_sizes),
        ):
            grid.list(
                f"{name}_{stamp:08x}",
                types.String(),
                default=[],
                label=label if change[name] else f"{label}: {none}",
                view=choices(known, words, types.AutocompleteView(**ONLY_KNOWN)),
                on_change=on_change,
            )
        for name, label, known, words, on_change in (
            ("solver", "Solver", SOLVERS, SOLVER_WORDS, self.on_solver),
            ("psi", "Matching cost", COSTS, COST_WORDS, self.on_psi),
        ):
            ways.enum(
                f"{name}_{stamp:08x}",
                list(known),
                default=own[name],
                label=label,
                view=choices(known, words),
                on_change=on_change,
            )

    def _describe_worst(self, panel, state):
        # FiftyOne's tables are at least 650 pixels wide, which panels need not be.
        narrow = {"table": {"sx": {"minWidth": 0}}}
        table = types.TableView(componentsProps=narrow)
        table.add_column("file", label="Worst images")
        table.add_column("now", label="α now")
        table.add_column("before", label="α in the run")
        panel.list("worst_images", types.Object(), view=table)
        panel.btn(
            "show_worst",
            label=f"Show the {state.n_worst} worst images",
            on_click=self.on_show_worst,
        )

    def _describe_keeping(self, panel, state):
        why_not = why_not_kept(state)
        actions = buttons(panel, "actions")
        actions.btn(
            "keep",
            label="Keep as a new run",
            on_click=self.on_keep,
            disabled=why_not is not None,
        )
        actions.btn(
            "reset",
            label="Back to the run",
            on_click=self.on_reset,
            disabled=state.change == state.own,
        )
        if why_not:
            panel.md(why_not, name="why_not_kept")


def asked_for(ctx, name):
    """Return what an event of a control asks for, in the form that state has it."""
    value = ctx.params["value"]
    if name in LISTS:
        return sorted(value or ())
    if value is None:
        return ctx.panel.state.change[name]  # nothing chosen is nothing changed
    return round(float(value), 4) if name == "tau" else value


def configuration_of(run, change):
    """Return the run's configuration with what is changed."""
    return replace(run.configuration, **{name: change[name] for name in SETTINGS})


def restriction_of(run, change):
    """Return the labels that are left; an empty list of classes or sizes is all."""
    return Restriction(
        tuple(left(run, change)) if change["left_out"] else None,
        tuple(change["classes"]) or None,
        tuple(change["sizes"]) or None,
    )


def left(run, change):
    """Return the raters that are not left out."""
    return [name for name in run.raters if name not in change["left_out"]]


def why_not_kept(state):
    """Return in words why this cannot become a run; None if it can."""
    if state.change == state.own:
        return "This is the run as it is: change something above."
    if state.change["classes"] or state.change["sizes"]:
        return (
            "This cannot be kept as a run: a run compares labels of all classes and "
            "sizes."
        )
    return state.refused


def worst_first(alpha, chosen):
    """Return the places of the chosen images by rising alpha; nan is never chosen."""
    images = np.flatnonzero(chosen)
    return images[np.argsort(alpha[images], kind="stable")].tolist()


def defined(alpha):
    """Return the numbers that are not nan."""
    return alpha[~np.isnan(alpha)].tolist()


def in_digits(number):
    """Return a number rounded, or a dash for nan."""
    return "–" if np.isnan(number) else f"{number:.2f}"


def is_relative(d_loc):
    """Return whether a distance is a part of the image's diagonal."""
    # A distance of the user's own need not be known here.
    return d_loc in DISTANCES and DISTANCES[d_loc].relative


def choices(names, words, view=None):
    """Return a selector of names, with words for those that have some."""
    view = view or types.DropdownView()
    for name in names:
        view.add_choice(name, label=words.get(name, name))
    return view


def summary(run, change, found):
    """Return what changed in a few lines of Markdown; no name of the data is in it."""
    before, reading = run.found, interpret(found.mean_alpha)
    n_before, n_now = len(defined(before.alpha)), len(defined(found.alpha))
    mean = before_and_after(before.mean_alpha, found.mean_alpha)
    lines = [
        f"##### Mean α {mean}, {reading}",
        f"{difference_in_words(before.alpha, found.alpha)}  ",
        f"Global α {before_and_after(before.global_alpha, found.global_alpha)}  ",
        f"{before_and_after(n_before, n_now)} images have a value, of which everyone "
        f"left {before_and_after(before.n_empty, found.n_empty)} empty  ",
        f"`{configuration_of(run, change)}`",
    ]
    return "\n".join(lines)


def before_and_after(before, after):
    """Return two numbers with an arrow between them, or one if they look alike."""
    was, now = (
        f"{number:,}" if isinstance(number, int) else in_digits(number)
        for number in (before, after)
    )
    return now if was == now else f"{was} → {now}"


def difference_in_words(before, after):
    """Return how far the mean rose where both are defined, and how surely."""
    if np.array_equal(before, after, equal_nan=True):
        return "All images are as in the run"
    images = [str(n) for n in range(len(before))]
    rng = np.random.default_rng(0)
    found = compare(images, before, images, after, rng=rng, n_boot=N_BOOT)
    rise, n_both = found.difference, int(np.isfinite(found.change).sum())
    changed = f"{found.n_better:,} better, {found.n_worse:,} worse"
    if np.isnan(rise.low[0]):
        return f"Of {n_both:,} images {changed}"
    told = "" if rise.told_from_zero[0] else ", not told from zero"
    return (
        f"{rise.value[0]:+.2f} ({rise.low[0]:+.2f} to {rise.high[0]:+.2f}{told}) over "
        f"{n_both:,} images: {changed}"
    )
