"""Panel: how far the raters agree; a click on a bar shows those images."""

from typing import ClassVar

from fiftyone import ViewField as F

from ..kalos_core import DISTANCES, interpret
from ..kalos_core.model import EMPTY_AGREED, UNDEFINED
from ..operators import runs
from ..operators.disagreement import Question
from . import figures
from .numbers import with_interval
from .run_panel import RunPanel, buttons, plot

HELP = (
    "Alpha is 1 where all raters agree, 0 where they agree as often as by chance, and "
    "negative where they contradict each other. Bars on the left hold the images to "
    "look at first: their objects were missed, named or drawn differently."
)


class AgreementPanel(RunPanel):
    about: ClassVar = {
        "name": "kalos_agreement",
        "label": "Agreement",
        "icon": "handshake",
    }
    how_to_read: ClassVar = HELP

    def show(self, ctx, key, config, results):
        bins, kinds = figures.bins_of(results.alpha), results.diagnosis["kind_counts"]
        state = {
            "bins": bins,
            "text": summary(config, results),
            "n_undefined": results.statuses.get(UNDEFINED, 0),
            "kinds_hint": _hint(kinds),
            "kinds": [kind for kind in kinds["kind"] if kind in figures.KIND_WORDS],
        }
        plots = {
            "histogram": figures.alpha_histogram(bins, interpret),
            "kinds": figures.kind_bars(kinds),
        }
        return state, plots

    def describe(self, panel, ctx):
        state = ctx.panel.state
        panel.md(state.text, name="summary")
        layout = figures.alpha_layout(state.bins)
        plot(panel, "histogram", layout, self.on_click_bar)
        panel.md("Click a bar to see its images, worst first.", name="hint")
        actions = buttons(panel, "actions")
        actions.btn("show_all", label="Worst images first", on_click=self.on_show_all)
        if state.n_undefined:
            actions.btn(
                "show_undefined",
                label=f"Undefined images ({state.n_undefined})",
                on_click=self.on_show_undefined,
            )
        actions.btn("compute", label="New run", on_click=self.on_compute)
        panel.md("##### What the raters disagree in", name="kinds_title")
        plot(panel, "kinds", figures.kind_layout(), self.on_click_kind, 230)
        panel.md(state.kinds_hint, name="kinds_hint")
        panel.bool(
            "as_units",
            default=False,
            label="Show each object by itself instead of its image",
        )

    def on_click_bar(self, ctx):
        low, high, _ = ctx.panel.state.bins[ctx.params["idx"]]
        alpha = F(f"{ctx.panel.state.run_key}_alpha")
        below = alpha <= high if high == 1 else alpha < high
        return self._show_images(ctx, (alpha >= low) & below)

    def on_show_all(self, ctx):
        alpha = F(f"{ctx.panel.state.run_key}_alpha")
        return self._show_images(ctx, alpha.exists())

    def on_show_undefined(self, ctx):
        status = F(f"{ctx.panel.state.run_key}_status")
        return self._show_images(ctx, status == UNDEFINED)

    def on_click_kind(self, ctx):
        kind = ctx.panel.state.kinds[ctx.params["idx"]]
        as_units = bool(ctx.panel.state.as_units)
        return self.ask(ctx, Question(kind=kind), as_units=as_units)

    def _show_images(self, ctx, condition):
        """Show the images that meet the condition, worst first."""
        if not self.is_there(ctx):
            return None
        key = ctx.panel.state.run_key
        return self.go_to(ctx, runs.worst_first(ctx.dataset, key, condition))


def _hint(kinds):
    """Return what a click does, and how many objects have no bar."""
    words = (
        "Click a bar to see its images, or its objects, worst first. An object counts "
        "once, by the first kind that holds; the panel Classes has all whose classes "
        "differ."
    )
    number = dict(zip(kinds["kind"], kinds["n_units"], strict=True))
    if number.get(UNDEFINED):
        words += (
            f" {number[UNDEFINED]:,} objects have no bar: only one rater was asked "
            "for them."
        )
    return words


def summary(config, results):
    """Return the run in a few lines of Markdown."""
    statuses, found = results.statuses, results.diagnosis
    lines = [
        f"##### Mean α {_in_words(results.mean_alpha, found['mean_alpha'])}",
        f"Global α {_in_words(results.global_alpha, found['global_alpha'])}  ",
        f"`{config.notation}`  ",
        f"Labels can be one object {threshold_in_words(config.configuration)}  ",
        f"{results.n_images:,} images, {len(results.raters['name'])} raters, "
        f"{results.n_annotations:,} labels, {results.n_units:,} objects  ",
        f"{results.n_no_object:,} times no object (NO_OBJECT): a rater was asked and "
        "drew none  ",
    ]
    n_empty, n_undefined = statuses.get(EMPTY_AGREED), statuses.get(UNDEFINED)
    if n_empty:
        images = figures.counted(n_empty, "image")
        count = "counts" if n_empty == 1 else "count"
        lines.append(f"{images} that everyone left empty {count} as agreed  ")
    if n_undefined:
        images = figures.counted(n_undefined, "image")
        are = "is" if n_undefined == 1 else "are"
        lines.append(f"{images} {are} undefined: fewer than two raters were asked")
    return "\n".join(lines)


OVERLAPS = {"iou": "IoU", "giou": "GIoU (from 0 to 1)", "oks": "OKS"}


def threshold_in_words(configuration):
    """Return how near two labels must be, in the words of their distance."""
    d_loc, tau = configuration["d_loc"], configuration["tau"]
    # A distance of the user's own need not be known here.
    if d_loc in DISTANCES and DISTANCES[d_loc].relative:
        return f"up to {tau:.2f} of the image's diagonal apart"
    similarity = OVERLAPS.get(d_loc.rsplit("_", 1)[-1], "a similarity of")
    return f"from {similarity} {1 - tau:.2f} up"


def _in_words(alpha, estimate):
    """Return alpha with its interval, and how to read it."""
    if alpha is None:
        return interpret(alpha)
    found = with_interval(alpha, estimate["low"][0], estimate["high"][0])
    return f"{found}, {interpret(alpha)}"
