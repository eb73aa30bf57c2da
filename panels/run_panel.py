"""What all panels have in common: the run that they show, and where a click leads."""

from typing import ClassVar
from zlib import crc32

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..operators import runs
from ..operators.disagreement import Disagreement
from ..operators.schema import label_fields

COMPUTE = "@kalos/audit/compute_agreement"
FROM_PANEL = {"from_panel": True}
IMPORT = "@kalos/audit/import_annotations"
DEMO = "@kalos/audit/load_demo"

NO_RUN = (
    "##### No agreement computed yet\n"
    "KαLOS compares what several raters drew on the same images and shows where they "
    "disagree."
)
NO_LABELS = (
    "##### No labels yet\n"
    "KαLOS compares what several raters drew on the same images, and this data set has "
    "no labels. Bring in those of your raters, or look at the demo first."
)
PLOT = {"scrollZoom": False, "displayModeBar": False}

# FiftyOne's columns grow with what is in them, beyond a narrow pane.
FIT = {"grid": {"sx": {"gridTemplateColumns": "minmax(0, 1fr)"}}}
WRAPPED = {
    "grid": {"sx": {"display": "flex", "flexWrap": "wrap", "& > *": {"width": "auto"}}}
}
UNCHANGED = object()
"""What an event returns that leaves the panel as it is drawn."""

DRAWN = ("as_units", "only_their_labels")
"""Of how a question is answered, what the drawing depends on."""

CAPTION = {"caption": {"sx": {"color": "text.secondary", "pt": 0.5}}}
"""FiftyOne's own colour of captions is hardly read on dark ground."""


class RunPanel(foo.Panel):
    """A panel that shows one finished run.

    A subclass says what it is (``about``), what state and plots of a run are (``show``)
    and what is below the choice of the run (``describe``).
    """

    about: ClassVar = {}
    how_to_read: ClassVar = ""
    """Help in two sentences. It stands below the choice of the run: beside the name of
    the panel the App would make a mark of it, and five such names fit in no pane."""

    asks: ClassVar = Disagreement
    """What its clicks ask about the run; None if they do so by themselves."""

    @property
    def config(self):
        return foo.PanelConfig(**self.about)

    def execute(self, ctx):
        # Events of a panel that is being opened or moved may be sent before what it
        # loads has arrived, and would draw it as if there were no run.
        if "panel_id" not in ctx.params:  # the App has just started
            return super().execute(ctx)
        event = "on_load"
        if ctx.panel.state.edition is not None:
            event = ctx.params["__method__"]
        # The App sends many events that ask for nothing, with a state that may be an
        # older one by now; drawing that would hide what came since.
        if getattr(self, event)(ctx) is not UNCHANGED:
            ctx.ops.show_panel_output(self.render(ctx))
        return None

    def show(self, ctx, key, config, results):
        """Return state and plots by name, given what is stored of the run."""
        raise NotImplementedError

    def describe(self, panel, ctx):
        """Add what shows the run, from the state alone."""
        raise NotImplementedError

    def on_load(self, ctx):
        # Also when its tab comes to the front again, or a run was deleted: the run that
        # was chosen stays, unless there is a new one.
        keys = runs.keys(ctx.dataset) if ctx.dataset else []
        chosen, last = ctx.panel.state.run_key, keys[-1] if keys else None
        is_kept = chosen in keys and set(keys) <= set(ctx.panel.state.keys)
        self._show(ctx, chosen if is_kept else last)

    def on_change_dataset(self, ctx):
        self.on_load(ctx)

    def on_change_view(self, ctx):
        # Also fires when the data set was reloaded because a run came or went.
        if ctx.dataset and runs.edition(ctx.dataset) != ctx.panel.state.edition:
            return self.on_load(ctx)
        return UNCHANGED

    def on_select_run(self, ctx):
        if ctx.params["value"] in (None, ctx.panel.state.run_key):
            return UNCHANGED
        return self._show(ctx, ctx.params["value"])

    def on_compute(self, ctx):
        ctx.prompt(COMPUTE, params=FROM_PANEL, on_success=self.on_load)
        return UNCHANGED

    def on_import(self, ctx):
        ctx.prompt(IMPORT, on_success=self.on_load)
        return UNCHANGED

    def on_demo(self, ctx):
        ctx.prompt(DEMO)
        return UNCHANGED

    def render(self, ctx):
        panel, state = types.Object(), ctx.panel.state
        if state.run_key is None:
            self._describe_empty(panel, ctx)
        else:
            self._choose_run(panel, state)
            if state.problem:
                panel.view("problem", types.Warning(label=state.problem))
                panel.btn("compute", label="New run", on_click=self.on_compute)
            else:
                self.describe(panel, ctx)
        view = types.GridView(
            orientation="vertical", columns=1, gap=2, pad=3, componentsProps=FIT
        )
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
                return None
            chosen = run.units(question)
            if if_none and not len(chosen):
                ctx.ops.notify(if_none, variant="info")
            else:
                view = run.view(question, chosen=chosen, **how)
                self.go_to(ctx, view, **{n: how[n] for n in how if n in DRAWN})
        except KalosError as error:
            ctx.ops.notify(str(error), variant="error")
        return UNCHANGED

    def go_to(self, ctx, view, as_units=False, only_their_labels=False):
        """Show a view, and draw what it is about.

        The App draws the fields that are chosen in its sidebar, and does not tell those
        that the view of objects hides.
        """
        ctx.ops.set_view(view)
        state, active = ctx.panel.state, list(ctx.active_fields)
        units, raters = f"{state.run_key}_units", state.label_fields
        hidden = not set(raters) & set(active)
        fields = self._of_run(ctx, active)
        if as_units:
            fields += [units]
        elif hidden or only_their_labels:
            fields = [name for name in fields if name != units]
            fields += [*raters, f"{state.run_key}_alpha"] if hidden else []
        self._draw(ctx, fields)
        return UNCHANGED

    def _of_run(self, ctx, fields):
        """Return fields with those of this run in the place of another one's.

        What images say of themselves must be what this run says of them.
        """
        other = {
            f"{key}_{what}": f"{ctx.panel.state.run_key}_{what}"
            for key in runs.keys(ctx.dataset)
            for what in ("alpha", "units")
        }
        return [other.get(name, name) for name in fields]

    def _draw(self, ctx, fields):
        if set(fields) != set(ctx.active_fields or ()):
            ctx.ops.set_active_fields(list(dict.fromkeys(fields)))

    def set_all(self, ctx, state, plots):
        """Set state and plots in one piece each, so that no event sees half of it."""
        ctx.panel.state.set(state)
        if plots:
            ctx.panel.data.set(plots)

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
        """Set all that shows a run."""
        news = {
            "run_key": key,
            "edition": runs.edition(ctx.dataset) if ctx.dataset else "",
            "problem": None,
        }
        plots = {}
        if key is not None:
            news["keys"] = runs.keys(ctx.dataset)
            try:
                loaded = runs.load(ctx.dataset, key)
                one = loaded[0].layout.get("label_field")
                news["label_fields"] = (
                    [one] if one else loaded[0].layout["label_fields"]
                )
                if self.asks is not None:
                    self.asks.recent(ctx.dataset, key, loaded)  # at hand for clicks
                more, plots = self.show(ctx, key, *loaded)
                news |= more
            except KalosError as error:
                news["problem"] = str(error)
        self.set_all(ctx, news, plots)
        if key is not None:
            self._draw(ctx, self._of_run(ctx, ctx.active_fields or ()))

    def _choose_run(self, panel, state):
        # A selector keeps its value under its name, and setting that from here would
        # fire its event without end. So each edition of the runs has its own selector.
        panel.enum(
            f"run_{crc32(state.edition.encode()):08x}",
            state.keys,
            default=state.run_key,
            label="Run",
            view=types.DropdownView(caption=self.how_to_read, componentsProps=CAPTION),
            on_change=self.on_select_run,
        )

    def _describe_empty(self, panel, ctx):
        if ctx.dataset is not None and label_fields(ctx.dataset):
            panel.md(NO_RUN, name="empty")
            panel.btn("compute", label="Compute agreement", on_click=self.on_compute)
            return
        panel.md(NO_LABELS, name="empty")
        steps = buttons(panel, "steps")
        steps.btn("bring_in", label="Import annotations", on_click=self.on_import)
        steps.btn("demo", label="Load the demo", on_click=self.on_demo)


def buttons(panel, name):
    """Return a row for buttons, which goes on below where the pane is narrow."""
    return panel.h_stack(name, gap=2, componentsProps=WRAPPED)


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
