"""Panel: what agreement would be with other raters, another threshold or solver."""

from dataclasses import asdict, replace
from typing import ClassVar
from uuid import uuid4

import fiftyone.operators.types as types
import numpy as np

from ..kalos_core import KalosError, interpret
from ..kalos_core.natural_order import natural
from ..kalos_core.what_if import Restriction
from ..operators import runs, what_if
from . import figures
from . import what_if_controls as controls
from .agreement import threshold_in_words
from .newest import Newest
from .numbers import in_digits
from .run_panel import COMPUTE, FROM_PANEL, UNCHANGED, RunPanel, buttons, plot
from .what_if_controls import LISTS, SETTINGS, asked_for, stamp_of
from .what_if_words import defined, summary, why_not_kept

HELP = (
    "Change something and see what agreement would be; nothing is written, and grey "
    "outlines are the run as it is. Labels that are left out count as never drawn, so "
    "that an object of which only some labels are left looks missed."
)

WORST = 50
"""Images that the button shows."""

LISTED = 5
"""Of them, those that the table names."""


class WhatIfPanel(RunPanel):
    about: ClassVar = {
        "name": "kalos_what_if",
        "label": "What\N{NON-BREAKING HYPHEN}if",  # a tab would break there
        "icon": "tune",
    }
    how_to_read: ClassVar = HELP
    asks: ClassVar = None
    _newest: ClassVar = Newest()

    def show(self, ctx, key, config, results):
        why_not = what_if.why_not(results)
        if why_not is not None:
            return {"why_not": why_not}, {}
        run = what_if.of_run(ctx.dataset, key, (config, results))
        state = ctx.panel.state
        # Where its tab comes to the front again, what was changed there is kept.
        is_same = (state.run_key, state.edition) == (key, runs.edition(ctx.dataset))
        kept = state.change if is_same else None
        news, plots = self._start(ctx, run, kept)
        return {"why_not": None, **news}, plots

    def describe(self, panel, ctx):
        state = ctx.panel.state
        if state.why_not:
            panel.view("why_not", types.Notice(label=state.why_not))
            panel.btn("compute", label="New run", on_click=self.on_compute)
            return
        handlers = {name: getattr(self, f"on_{name}") for name in controls.GRIDS}
        controls.describe(panel, state, handlers)
        if state.refused:
            panel.view("refused", types.Warning(label=state.refused))
        panel.md(state.summary, name="summary")
        layout = figures.comparison_layout(state.before, state.bins)
        plot(panel, "histogram", layout, self.on_click_bar)
        panel.md("Click a bar to see its images, worst first.", name="hint")
        if state.n_worst:
            self._describe_worst(panel, state)
        self._describe_keeping(panel, state)

    def on_tau(self, ctx):
        return self._change(ctx, "tau")

    def on_solver(self, ctx):
        return self._change(ctx, "solver")

    def on_psi(self, ctx):
        return self._change(ctx, "psi")

    def on_left_out(self, ctx):
        return self._change(ctx, "left_out")

    def on_classes(self, ctx):
        return self._change(ctx, "classes")

    def on_sizes(self, ctx):
        return self._change(ctx, "sizes")

    def on_reset(self, ctx):
        if self.is_there(ctx):
            self.set_all(ctx, *self._start(ctx, self._run(ctx)))

    def on_click_bar(self, ctx):
        low, high, _ = ctx.panel.state.bins[ctx.params["idx"]]
        if not self.is_there(ctx):
            return None
        alpha = self._again(ctx).alpha
        inside = (alpha >= low) & (alpha <= high if high == 1 else alpha < high)
        return self._show_images(ctx, worst_first(alpha, inside))

    def on_show_worst(self, ctx):
        if not self.is_there(ctx):
            return None
        alpha = self._again(ctx).alpha
        return self._show_images(ctx, worst_first(alpha, alpha < 1)[:WORST])

    def on_keep(self, ctx):
        if not self.is_there(ctx):
            return None
        run, change = self._run(ctx), ctx.panel.state.change
        asked = run.form(ctx.dataset, configuration_of(run, change), left(run, change))
        ctx.prompt(COMPUTE, params=asked | FROM_PANEL, on_success=self.on_load)
        return UNCHANGED

    def _run(self, ctx):
        return what_if.of_run(ctx.dataset, ctx.panel.state.run_key)

    def _again(self, ctx):
        run, change = self._run(ctx), ctx.panel.state.change
        return run.again(configuration_of(run, change), restriction_of(run, change))

    def _start(self, ctx, run, change=None):
        """Return state and plots of the run as it is, or with a change."""
        own = {
            **{name: getattr(run.configuration, name) for name in SETTINGS},
            **{name: [] for name in LISTS},
        }
        known = ctx.panel.state
        visitor, stamp = known.visitor or uuid4().hex, (known.stamp or 0) + 1
        self._newest.ask(visitor, (stamp, change or own))
        state = {
            "own": own,
            "d_loc": run.configuration.d_loc,
            "raters": sorted(run.raters, key=natural),
            "known_classes": sorted(run.classes, key=natural),
            "before": figures.bins_of(defined(run.found.alpha)),
            "initial": change or own,
            # A control keeps its value under its name: new values need new names, and
            # an event that the App sends twice the same ones.
            "stamp": stamp,
            "visitor": visitor,
        }
        more, plots = self._changed(ctx, run, own, state["before"])
        if change is not None:
            changed, drawn = self._changed(ctx, run, change, state["before"])
            more, plots = more | changed, plots | drawn
        return state | more, plots

    def _change(self, ctx, name):
        """Show what the controls say, unless that is shown or something newer asked."""
        state, stamp = ctx.panel.state, stamp_of(ctx)
        asked = stamp, asked_for(ctx, name, stamp)
        last = self._newest.last(state.visitor) or (state.stamp, state.change)
        # The App draws controls that are gone for a moment, as they were at first.
        if stamp < last[0] or asked == last:
            return UNCHANGED
        self._newest.ask(state.visitor, asked)
        if not self.is_there(ctx):
            return None
        found = self._changed(ctx, self._run(ctx), asked[1], state.before)
        if self._newest.last(state.visitor) != asked:
            return UNCHANGED
        return self.set_all(ctx, *found)

    def _changed(self, ctx, run, change, before):
        """Return state and plots of a change; where it is refused, the plots stay."""
        # Texts have the names of what shows them, so that they change with the bars.
        configuration = configuration_of(run, change)
        words = threshold_in_words(asdict(configuration))
        told = f"Threshold τ {change['tau']:.2f}: labels can be one object {words}"
        news = {"change": change, "threshold": told, "refused": None}
        try:
            news |= self._found(ctx, run, change)
        except KalosError as error:
            return {**news, "refused": str(error)}, {}
        bars = figures.alpha_comparison(before, news["bins"], interpret)
        return news, {"histogram": bars}

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
            "summary": summary(run.found, found, configuration_of(run, change)),
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
        return self.go_to(ctx, self._run(ctx).view(ctx.dataset, images))

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


def worst_first(alpha, chosen):
    """Return the places of the chosen images by rising alpha; nan is never chosen."""
    images = np.flatnonzero(chosen)
    return images[np.argsort(alpha[images], kind="stable")].tolist()
