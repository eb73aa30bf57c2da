"""Panel: how far the raters agree; a click on a bar shows those images."""

from zlib import crc32

import fiftyone.operators as foo
import fiftyone.operators.types as types
from fiftyone import ViewField as F

from ..kalos_core import DISTANCES, KalosError, interpret
from ..kalos_core.model import UNDEFINED
from ..operators import runs
from . import figures

COMPUTE = "@kalos/audit/compute_agreement"


class AgreementPanel(foo.Panel):
    @property
    def config(self):
        return foo.PanelConfig(
            name="kalos_agreement",
            label="KαLOS agreement",
            icon="handshake",
            help_markdown=HELP,
        )

    def on_load(self, ctx):
        keys = runs.keys(ctx.dataset) if ctx.dataset else []
        self._show(ctx, keys[-1] if keys else None)

    def on_change_dataset(self, ctx):
        self.on_load(ctx)

    def on_change_view(self, ctx):
        # Also fires when the data set was reloaded because a run came or went.
        if ctx.dataset and runs.edition(ctx.dataset) != ctx.panel.state.edition:
            self.on_load(ctx)

    def on_select_run(self, ctx):
        if ctx.params["value"] not in (None, ctx.panel.state.run_key):
            self._show(ctx, ctx.params["value"])

    def on_compute(self, ctx):
        ctx.prompt(COMPUTE, on_success=self.on_load)

    def on_click_bar(self, ctx):
        low, high, _ = ctx.panel.state.bins[ctx.params["idx"]]
        alpha = self._alpha(ctx)
        if alpha is not None:
            below = alpha <= high if high == 1 else alpha < high
            self._show_images(ctx, (alpha >= low) & below)

    def on_show_all(self, ctx):
        alpha = self._alpha(ctx)
        if alpha is not None:
            self._show_images(ctx, alpha.exists())

    def on_show_undefined(self, ctx):
        if self._alpha(ctx) is not None:
            self._show_images(ctx, F(f"{ctx.panel.state.run_key}_status") == UNDEFINED)

    def render(self, ctx):
        panel = types.Object()
        if ctx.panel.state.run_key is None:
            _describe_empty(panel, self.on_compute)
        else:
            self._describe_run(panel, ctx.panel.state)
        view = types.GridView(orientation="vertical", columns=1, gap=2, pad=3)
        return types.Property(panel, view=view)

    def _alpha(self, ctx):
        """Return the alpha field of the shown run; None if the run is gone."""
        key = ctx.panel.state.run_key
        if key in runs.keys(ctx.dataset):
            return F(f"{key}_alpha")
        ctx.ops.notify(f"Run '{key}' was deleted.", variant="warning")
        self.on_load(ctx)
        return None

    def _show_images(self, ctx, condition):
        """Show the images that meet the condition, worst first."""
        key = ctx.panel.state.run_key
        ctx.ops.set_view(runs.worst_first(ctx.dataset, key, condition))

    def _show(self, ctx, key):
        ctx.panel.state.run_key = key
        ctx.panel.state.edition = runs.edition(ctx.dataset) if ctx.dataset else ""
        if key is None:
            return
        ctx.panel.state.keys = runs.keys(ctx.dataset)
        ctx.panel.state.problem = None
        try:
            config, results = runs.load(ctx.dataset, key)
        except KalosError as error:
            ctx.panel.state.problem = str(error)
            return
        bins = figures.bins_of(results.alpha)
        ctx.panel.state.bins = bins
        ctx.panel.state.text = summary(config, results)
        ctx.panel.state.n_undefined = results.statuses.get(UNDEFINED, 0)
        ctx.panel.set_data("histogram", figures.alpha_histogram(bins, interpret))

    def _describe_run(self, panel, state):
        # A selector keeps its value under its name, and setting that from here would
        # fire its event without end. So each edition of the runs has its own selector.
        panel.enum(
            f"run_{crc32(state.edition.encode()):08x}",
            state.keys,
            default=state.run_key,
            label="Run",
            on_change=self.on_select_run,
        )
        if state.problem:
            panel.view("problem", types.Warning(label=state.problem))
            panel.btn("compute", label="New run", on_click=self.on_compute)
            return
        panel.md(state.text, name="summary")
        panel.plot(
            "histogram",
            layout=figures.alpha_layout(state.bins),
            config={"scrollZoom": False, "displayModeBar": False},
            on_click=self.on_click_bar,
            height="320px",
        )
        panel.md("Click a bar to see its images, worst first.", name="hint")
        actions = panel.h_stack("actions", gap=2)
        actions.btn("show_all", label="Worst images first", on_click=self.on_show_all)
        if state.n_undefined:
            actions.btn(
                "show_undefined",
                label=f"Without a value ({state.n_undefined})",
                on_click=self.on_show_undefined,
            )
        actions.btn("compute", label="New run", on_click=self.on_compute)


def summary(config, results):
    """Return the run in a few lines of Markdown."""
    statuses = results.statuses
    lines = [
        f"##### Mean α {_alpha_in_words(results.mean_alpha)}",
        f"Global α {_alpha_in_words(results.global_alpha)}  ",
        f"`{config.notation}`  ",
        f"Labels can be one object {_threshold(config.configuration)}  ",
        f"{results.n_images} images, {len(results.raters['name'])} raters, "
        f"{results.n_annotations} labels, {results.n_units} objects  ",
    ]
    if statuses.get("empty_agreed"):
        n_empty = statuses["empty_agreed"]
        lines.append(f"{n_empty} images that everyone left empty count as agreed")
    return "\n".join(lines)


OVERLAPS = {"iou": "IoU", "giou": "GIoU (from 0 to 1)", "oks": "OKS"}


def _threshold(configuration):
    """Return how near two labels must be, in the words of their distance."""
    d_loc, tau = configuration["d_loc"], configuration["tau"]
    # A distance of the user's own need not be known here.
    if d_loc in DISTANCES and DISTANCES[d_loc].relative:
        return f"up to {tau:.2f} of the image's diagonal apart"
    similarity = OVERLAPS.get(d_loc.rsplit("_", 1)[-1], "a similarity of")
    return f"from {similarity} {1 - tau:.2f} up"


def _alpha_in_words(alpha):
    number = "" if alpha is None else f"{alpha:.2f}, "
    return number + interpret(alpha)


def _describe_empty(panel, on_compute):
    panel.md(
        "##### No agreement computed yet\n"
        "KαLOS compares what several raters drew on the same images and shows where "
        "they disagree.",
        name="empty",
    )
    panel.btn("compute", label="Compute agreement", on_click=on_compute)


HELP = (
    "Alpha is 1 where all raters agree, 0 where they agree as often as by chance, and "
    "negative where they contradict each other. Images on the left are worth a look "
    "first: their objects were missed, named or drawn differently."
)
