"""Panel: how agreement depends on the threshold; a click shows what is lost there."""

from typing import ClassVar

from ..operators import calibrations
from ..operators.disagreement import Question
from . import localization_figures as figures
from .agreement import OVERLAPS
from .numbers import with_interval
from .run_panel import UNCHANGED, RunPanel, plot

CALIBRATE = "@kalos/audit/calibrate"
UNBROKEN = "\N{WORD JOINER}–\N{WORD JOINER}"
"""Between the ends of an interval, which stays on one line where a pane is narrow."""

DRAWN = ("grid", "density_o", "density_e")
"""Of a calibration, the axis and both densities."""

HELP = (
    "Where the curve is flat, it does not matter how near labels must be to count as "
    "one object; where it falls to the left, raters mean the same objects and draw "
    "them differently. A good threshold is τ*: up to there, labels of one image are "
    "that near more often than labels of different images."
)
NO_CALIBRATION = (
    "##### Raters against chance\n"
    "These labels have not been calibrated. A calibration compares how far apart "
    "raters of one image are with labels of other images, and finds the threshold "
    "τ\\* between them."
)


class LocalizationPanel(RunPanel):
    about: ClassVar = {
        "name": "kalos_localization",
        "label": "Localization",
        "icon": "center_focus_strong",
    }
    how_to_read: ClassVar = HELP

    def show(self, ctx, key, config, results):
        d_loc, tau = (config.configuration[n] for n in ("d_loc", "tau"))
        found = results.diagnosis["sensitivity"]
        points = points_of(found, results.thresholds, d_loc, tau)
        known = calibrations.of_run(ctx.dataset, config, results)
        state = {
            "calibrations": calibrations.edition(ctx.dataset),
            "asked": {**config.layout, "shapes": config.shapes},
            "d_loc": d_loc,
            "tau": tau,
            "strict_tau": found["strict_tau"],
            "points": points,
            "text": in_words(found, d_loc, results.thresholds["n_linked"]),
            "calibration": known and said_of(known),
        }
        plots = {"curve": figures.curve(points)}
        if known:
            plots["densities"] = figures.densities(*(known[name] for name in DRAWN))
        return state, plots

    def on_change_view(self, ctx):
        drawn, state = super().on_change_view(ctx), ctx.panel.state
        if drawn is not UNCHANGED or state.run_key is None or state.problem:
            return drawn
        if calibrations.edition(ctx.dataset) == state.calibrations:
            return UNCHANGED
        return self.on_calibrated(ctx)

    def describe(self, panel, ctx):
        state = ctx.panel.state
        panel.md(state.text, name="summary")
        known = state.calibration
        marks = [("This run", state.tau, "solid"), ("Strict", state.strict_tau, "dot")]
        if known and known["tau_star"] is not None and known["d_loc"] == state.d_loc:
            marks.append(("τ*", known["tau_star"], "dash"))
        layout = figures.curve_layout(
            state.points, marks, similarity_of(state.d_loc, "τ")
        )
        plot(panel, "curve", layout, self.on_click_threshold, 340)
        panel.md(
            "Click a point to see the objects that fall apart there, the farthest "
            "apart first; right of the run's threshold, those that are joined with "
            "another one.",
            name="hint",
        )
        if known:
            self._describe_calibration(panel, known, state)
        else:
            panel.md(NO_CALIBRATION, name="no_calibration")
            panel.btn("calibrate", label="Calibrate", on_click=self.on_calibrate)

    def on_click_threshold(self, ctx):
        state = ctx.panel.state
        point = state.points[ctx.params["idx"]]
        if point["n_changed"]:
            return self.ask(ctx, Question(threshold=point["tau"]), as_units=True)
        if not self.is_there(ctx):
            return None
        ctx.ops.notify(nothing_there(point["tau"], state.tau), variant="info")
        return UNCHANGED

    def on_calibrate(self, ctx):
        ctx.prompt(
            CALIBRATE, params=ctx.panel.state.asked, on_success=self.on_calibrated
        )
        return UNCHANGED

    def on_calibrated(self, ctx):
        if self.is_there(ctx):
            self._show(ctx, ctx.panel.state.run_key)

    def _describe_calibration(self, panel, known, state):
        panel.md(calibration_in_words(known, state.d_loc), name="chance")
        marks = []
        if known["d_loc"] == state.d_loc:
            marks.append(("This run", state.tau, "solid"))
        if known["tau_star"] is not None:
            marks.append(("τ*", known["tau_star"], "dash"))
        interval = known["tau_star"] and known["bootstrap"]["tau_interval"]
        layout = figures.densities_layout(
            marks,
            similarity_of(known["d_loc"], "distance"),
            interval and (interval["low"], interval["high"]),
            known["highest"],
        )
        plot(panel, "densities", layout, height=330)
        panel.md(by_size(known["strata"]), name="strata")


def said_of(known):
    """Return what is said of a calibration; what is drawn of it is large."""
    heights = [
        value for name in DRAWN[1:] for value in known[name] if value is not None
    ]
    said = {name: value for name, value in known.items() if name not in DRAWN}
    return {**said, "highest": max(heights, default=0)}


def points_of(found, thresholds, d_loc, own):
    """Return the points of the curve, from strict to lenient."""
    mean = found["mean"]
    points = []
    for n in reversed(range(len(found["tau"]))):
        tau, n_changed = found["tau"][n], thresholds["n_changed"][n]
        value, low, high = (mean[name][n] for name in ("value", "low", "high"))
        alpha = (
            f"mean α {with_interval(value, low, high)}, {mean['n_images'][n]} images"
        )
        change = (
            "the run's own threshold" if tau == own else changes(n_changed, tau < own)
        )
        words = f"{threshold(d_loc, tau)}<br>{alpha}<br>{change}"
        points.append(
            {
                "tau": tau,
                "value": value,
                "low": low,
                "high": high,
                "n_changed": n_changed,
                "words": words,
            }
        )
    return points


def in_words(found, d_loc, n_linked):
    """Return what a stricter threshold costs, in a few lines of Markdown."""
    drop, strict = found["drop"], threshold(d_loc, found["strict_tau"])
    value, low, high = (drop[name][0] for name in ("value", "low", "high"))
    lines = ["##### Agreement over thresholds"]
    if value is None:
        lines.append("No image has a value, so nothing can be told of thresholds.  ")
    elif not drop["told_from_zero"][0]:
        lines.append(
            f"From the run's threshold to the strict one ({strict}) mean α changes by "
            f"{with_interval(-value, _minus(high), _minus(low))}, which cannot be told "
            "from zero.  "
        )
    else:
        lines.append(
            f"Mean α is {with_interval(value, low, high)} lower at the strict "
            f"threshold ({strict}) than at the run's.  "
        )
    if found["cliff"] is not None:
        lines.append(f"It falls fastest below {threshold(d_loc, found['cliff'])}.  ")
    lines.append(f"{n_linked:,} objects were drawn by several raters.")
    return "\n".join(lines)


def calibration_in_words(known, d_loc):
    """Return what a calibration found, in a few lines of Markdown."""
    tau_star, boot = known["tau_star"], known["bootstrap"]
    low, high = _ends(boot["ks_interval"])
    lines = ["##### Raters against chance"]
    if high < 0:
        lines.append("Chance is nearer than raters are: choose another distance.  ")
    elif low <= 0:
        lines.append("Raters cannot be told from chance: no threshold means much.  ")
    elif tau_star is None:
        lines.append("The data name no threshold τ\\*: the two do not cross.  ")
    else:
        where = with_interval(tau_star, *_ends(boot["tau_interval"]))
        meaning = (
            "nearer labels are more often of one object than of chance"
            if known["status"] == "crossing"
            else "the valley between the two, as they do not cross; look at it first"
        )
        lines.append(f"τ\\* {where}: {meaning}.  ")
    lines += [
        f"Raters and chance differ by KS {with_interval(known['ks'], low, high)}, on a "
        "scale from 0 (just as near to each other) to 1 (no distance in common).  ",
        f"From the calibration `{known['run_key']}` of {known['n_images']:,} images.  ",
    ]
    if known["d_loc"] != d_loc:
        lines.append(
            f"It is of another distance (`{known['d_loc']}`) than the run "
            f"(`{d_loc}`), whose threshold cannot be compared with it."
        )
    return "\n".join(lines)


def by_size(strata):
    """Return a table of what objects of each size say by themselves."""
    lines = ["| Objects (labels) | τ\\* | KS |", "| :-- | --: | --: |"]
    for one in strata:
        tau_star, ks = (
            with_interval(one[name], *_ends(one[interval]), between=UNBROKEN)
            for name, interval in (("tau_star", "tau_interval"), ("ks", "ks_interval"))
        )
        name, count = one["size"].capitalize(), f"{one['n_annotations']:,}"
        lines.append(f"| {name} ({count}) | {tau_star} | {ks} |")
    return "\n".join(lines)


def changes(n, apart):
    """Return how many objects fall apart, or are joined with others."""
    if n == 1:
        return "1 object falls apart" if apart else "1 object is joined with another"
    return f"{n:,} objects {'fall apart' if apart else 'are joined with another'}"


def nothing_there(tau, own):
    """Return in words that no object changes at a threshold."""
    if tau == own:
        return "This is the run's own threshold. Click another point."
    what = "falls apart" if tau < own else "is joined with another one"
    return f"No object {what} at τ {tau:.2f}."


def similarity_of(d_loc, distance):
    """Return what people call 1 less a distance, as the title of an axis."""
    return f"{OVERLAPS.get(d_loc.rsplit('_', 1)[-1], 'Similarity')}, 1 − {distance}"


def threshold(d_loc, tau):
    """Return a threshold as a distance and, of overlaps, as people know it."""
    overlap = OVERLAPS.get(d_loc.rsplit("_", 1)[-1])
    return f"τ {tau:.2f}" + (f", {overlap} {1 - tau:.2f}" if overlap else "")


def _ends(interval):
    """Return the ends of an interval, or Nones."""
    return (interval["low"], interval["high"]) if interval else (None, None)


def _minus(value):
    return None if value is None else -value
