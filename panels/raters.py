"""Panel: who builds agreement, who agrees with whom; a click shows where not."""

from typing import ClassVar

from ..kalos_core.natural_order import natural
from ..operators import palette
from ..operators.disagreement import Question
from ..operators.markdown import as_text
from . import figures, rater_figures
from .run_panel import RunPanel, plot, sized

HELP = (
    "A rater right of 0 agrees with the others more than raters do on average, left of "
    "0 less, which means to be unlike the others and not to be wrong. "
    "A cell tells how far two raters agree on the images that both saw, and raters who "
    "agree stand side by side."
)
VITALITY = (
    "Vitality is how much α of an image falls without the rater, compared with the "
    "mean of all its raters; in brackets, the number of images. A hollow dot cannot be "
    "told from 0, even if its interval leaves 0 out: among many raters, some do by "
    "chance."
)
NO_VITALITY = (
    "Vitality leaves out one rater and compares the others, so it needs images that "
    "three raters saw. This run has none."
)


class RatersPanel(RunPanel):
    about: ClassVar = {
        "name": "kalos_raters",
        "label": "Raters",
        "icon": "groups",
    }
    how_to_read: ClassVar = HELP

    def show(self, ctx, key, config, results):
        found, raters = results.diagnosis, results.raters
        vitality, names = found["vitality"], raters["name"]
        chosen = rater_figures.with_vitality(vitality, names)
        colours = palette.shown(ctx.dataset, config.layout, names)
        rows = rater_figures.vitality_rows(vitality, raters, chosen, colours)
        together, schools = found["collaboration"], found["schools"]
        order, borders = rater_figures.school_order(schools, names)
        cells = rater_figures.collaboration_map(together, names, order)
        state = {
            "raters": [names[n] for n in chosen],
            "labels": rater_figures.vitality_labels(vitality, names, chosen),
            "ends": rater_figures.vitality_ends(vitality, chosen),
            "in_schools": [names[n] for n in order],
            "borders": borders,
            "schools": schools_in_words(schools, names),
            "all_told": all(together["mean"]["told_from_zero"]),
        }
        plots = {sized("vitality", chosen): rows, sized("collaboration", order): cells}
        return state, plots

    def describe(self, panel, ctx):
        state = ctx.panel.state
        text = VITALITY if state.raters else NO_VITALITY
        title = "##### Who builds agreement, and who stands apart"
        panel.md(f"{title}\n{text}", name="vitality_text")
        if state.raters:
            self._describe_vitality(panel, state)
        panel.md(f"##### Who agrees with whom\n{state.schools}", name="schools_text")
        plot(
            panel,
            sized("collaboration", state.in_schools),
            rater_figures.collaboration_layout(state.in_schools, state.borders),
            self.on_click_pair,
            rater_figures.map_height(len(state.in_schools)),
        )
        brackets = "" if state.all_told else " In brackets: not told from chance."
        panel.md(
            "Click a cell to see the images on which these two disagree most, with "
            f"their labels only.{brackets}",
            name="pair_hint",
        )

    def _describe_vitality(self, panel, state):
        plot(
            panel,
            sized("vitality", state.raters),
            rater_figures.vitality_layout(state.labels, state.ends),
            self.on_click_rater,
            figures.rows_height(len(state.labels)),
        )
        panel.md(
            "Click a rater to see the images where the rater stands against the others "
            "most, with the rater's labels only.",
            name="rater_hint",
        )

    def on_click_rater(self, ctx):
        return self._ask_about(ctx, ctx.panel.state.raters[ctx.params["idx"]])

    def on_click_pair(self, ctx):
        names = ctx.panel.state.in_schools
        row, column = ctx.params["idx"]
        return self._ask_about(ctx, *dict.fromkeys((names[row], names[column])))

    def _ask_about(self, ctx, *raters):
        if len(raters) == 1:
            none = f"{raters[0]} never stands against the others."
        else:
            none = f"{raters[0]} and {raters[1]} never disagree."
        question = Question(raters=raters)
        return self.ask(ctx, question, none, only_their_labels=True, most_first=True)


def schools_in_words(schools, names):
    """Return in Markdown whether raters form more than one school."""
    if not schools["school"]:
        return f"No schools of thought: {as_text(schools['reason'])}."
    first, second = (
        sorted(
            (
                name
                for name, school in zip(names, schools["school"], strict=True)
                if school == own
            ),
            key=natural,
        )
        for own in (0, 1)
    )
    return (
        f"**More than one school of thought**: {_listed(first)} agree more with each "
        f"other than with {_listed(second)}, and the other way round. Chance would "
        f"part raters as clearly in {schools['p_value']:.1%} of cases."
    )


def _listed(names, most=8):
    shown = [as_text(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    *but_last, last = shown
    return f"{', '.join(but_last)} and {last}" if but_last else last
