"""What all panels have in common: the run that they show, and where a click leads."""

from typing import ClassVar
from zlib import crc32

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..operators import runs
from ..operators.disagreement import Disagreement

COMPUTE = "@kalos/audit/compute_agreement"
PLOT = {"scrollZoom": False, "displayModeBar": False}


class RunPanel(foo.Panel):
    """A panel that shows one finished run.

    A subclass says what it is (``about``), sets state and plots of a run (``show``) and
    describes what is below the choice of the run (``describe``).
    """

    about: ClassVar = {}
    asks: ClassVar = Disagreement
    """What its clicks ask about the run; None if they do so by themselves."""

    @property
    def config(self):
        # Tabs break at spaces if there are many, and then show the second line only.
        label = self.about["label"].replace(" ", "\N{NO-BREAK SPACE}")
        return foo.PanelConfig(**self.about | {"label": label})

    def show(self, ctx, config, results):
        """Set state and plots, given what is stored of the run."""
        raise NotImplementedError

    def describe(self, panel, ctx):
        """Add what shows the run, from the state alone."""
        raise NotImplementedError

    def on_load(self, ctx):
        keys = runs.keys(ctx.dataset) if ctx.dataset else []
        self._show(ctx, keys[-1] if keys else None)

    def on_change_dataset(self, ctx):
        self.on_load(ctx)

    def on_change_view(self, ctx):
        # Also fires when the data set was reloaded because a run came or went, and
        # while a part of the state is still on its way to the App.
        state = ctx.panel.state
        if ctx.dataset and (
            runs.edition(ctx.dataset) != state.edition or not _is_complete(state)
        ):
            self.on_load(ctx)

    def on_select_run(self, ctx):
        if ctx.params["value"] not in (None, ctx.panel.state.run_key):
            self._show(ctx, ctx.params["value"])

    def on_compute(self, ctx):
        ctx.prompt(COMPUTE, on_success=self.on_load)

    def render(self, ctx):
        panel, state = types.Object(), ctx.panel.state
        if state.run_key is None:
            self._describe_empty(panel)
        elif _is_complete(state):
            self._choose_run(panel, state)
            if state.problem:
                panel.view("problem", types.Warning(label=state.problem))
                panel.btn("compute", label="New run", on_click=self.on_compute)
            else:
                self.describe(panel, ctx)
        view = types.GridView(orientation="vertical", columns=1, gap=2, pad=3)
        return types.Property(panel, view=view)

    def ask(self, ctx, question, if_none="", **how):
        """Show what raters disagree in; see ``Disagreement.view``.

        Parameters
        ----------
        if_none : what to say, instead of showing nothing, where there is none.
        """
        try:
            run = self.run(ctx)
            if run is None:
                return
            chosen = run.units(question)
            if if_none and not len(chosen):
                ctx.ops.notify(if_none, variant="info")
            else:
                ctx.ops.set_view(run.view(question, chosen=chosen, **how))
        except KalosError as error:
            ctx.ops.notify(str(error), variant="error")

    def run(self, ctx):
        """Return the run that is shown; None if it is gone, which is said."""
        if not self.is_there(ctx):
            return None
        return self.asks.recent(ctx.dataset, ctx.panel.state.run_key)

    def is_there(self, ctx):
        """Return whether the run that is shown is there; if not, say so."""
        key = ctx.panel.state.run_key
        if key in runs.keys(ctx.dataset):
            return True
        if key is not None:  # else the panel has noticed already
            ctx.ops.notify(f"Run '{key}' was deleted.", variant="warning")
        self.on_load(ctx)
        return False

    def _show(self, ctx, key):
        state = ctx.panel.state
        state.run_key = key
        state.edition = runs.edition(ctx.dataset) if ctx.dataset else ""
        if key is None:
            return
        state.keys, state.problem = runs.keys(ctx.dataset), None
        self._load(ctx, key)
        state.complete = _mark(state)  # the last of all that is sent

    def _load(self, ctx, key):
        try:
            loaded = runs.load(ctx.dataset, key)
            if self.asks is not None:
                self.asks.recent(ctx.dataset, key, loaded)  # at hand for clicks
            self.show(ctx, *loaded)
        except KalosError as error:
            ctx.panel.state.problem = str(error)

    def _choose_run(self, panel, state):
        # A selector keeps its value under its name, and setting that from here would
        # fire its event without end. So each edition of the runs has its own selector.
        panel.enum(
            f"run_{crc32(state.edition.encode()):08x}",
            state.keys,
            default=state.run_key,
            label="Run",
            on_change=self.on_select_run,
        )

    def _describe_empty(self, panel):
        panel.md(
            "##### No agreement computed yet\n"
            "KαLOS compares what several raters drew on the same images and shows "
            "where they disagree.",
            name="empty",
        )
        panel.btn("compute", label="Compute agreement", on_click=self.on_compute)


def _mark(state):
    return f"{state.run_key} of {state.edition}"


def _is_complete(state):
    """Return whether all that shows the run has been set, which takes several steps."""
    return state.run_key is None or state.complete == _mark(state)


def plot(panel, name, layout, on_click=None, height=320):
    """Add a plot whose data is set under its name."""
    panel.plot(
        name, layout=layout, config=PLOT, on_click=on_click, height=f"{height}px"
    )


def sized(name, rows):
    """Return the name of a plot with so many rows.

    Each number has its own, since the App keeps rows that the next plot has not.
    """
    return f"{name}_{len(rows)}"
