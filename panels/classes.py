"""Panel: which classes are hard, and which are confused; a click shows the objects."""

from typing import ClassVar

from ..operators.disagreement import Question
from . import class_figures, figures
from .run_panel import RunPanel, plot, sized

HELP = (
    "Agreement on a class is alpha of the objects that anybody gave it, as a mean over "
    "images: 1 where all raters agree on them, 0 where they agree as often as by "
    "chance. Pairs of classes were given to the same objects: where all raters do so "
    "the guideline may be vague, where one does, talk to that rater."
)
MOST = 20
"""Rows that are drawn at first, so that both figures are seen."""


class ClassesPanel(RunPanel):
    about: ClassVar = {
        "name": "kalos_classes",
        "label": "Classes",
        "icon": "category",
    }
    how_to_read: ClassVar = HELP

    def show(self, ctx, key, config, results):
        found, names = results.diagnosis, results.classes["name"]
        raters = results.raters["name"]
        state, plots = _show_difficulty(found["difficulty"], names)
        more, bars = _show_confusion(found["confusion"], names, raters)
        return state | more, plots | bars

    def describe(self, panel, ctx):
        state = ctx.panel.state
        n_shown = len(state.labels if state.all_classes else state.labels[:MOST])
        text = _classes_in_words(state, n_shown)
        panel.md(f"##### Which classes are hard\n{text}", name="classes_text")
        if state.classes:
            self._describe_difficulty(panel, state, n_shown)
        text = _pairs_in_words(state)
        panel.md(f"##### Which classes are confused\n{text}", name="pairs_text")
        if state.pairs:
            self._describe_confusion(panel, state)

    def _describe_difficulty(self, panel, state, n_shown):
        labels = state.labels[:n_shown]
        plot(
            panel,
            sized("difficulty", labels),
            class_figures.difficulty_layout(labels, state.ends),
            self.on_click_class,
            figures.rows_height(n_shown),
        )
        panel.md("Click a class to see its disputed objects.", name="class_hint")
        if len(state.labels) > MOST:
            every, some = f"Show all {len(state.labels)}", f"Show the worst {MOST}"
            label = some if state.all_classes else every
            panel.btn("every_class", label=label, on_click=self.on_every_class)

    def _describe_confusion(self, panel, state):
        labels = state.pair_labels
        plot(
            panel,
            sized("confusion", labels),
            class_figures.confusion_layout(labels, state.most),
            self.on_click_confusion,
            class_figures.confusion_height(len(labels)),
        )
        panel.md("Click a pair to see the objects in dispute.", name="pair_hint")

    def on_every_class(self, ctx):
        ctx.panel.state.all_classes = not ctx.panel.state.all_classes

    def on_click_class(self, ctx):
        name = ctx.panel.state.classes[ctx.params["idx"]]
        question = Question(classes=(name,), disputed=True)
        return self.ask(ctx, question, f"Raters agree on every {name}.", as_units=True)

    def on_click_confusion(self, ctx):
        question = Question(classes=tuple(ctx.panel.state.pairs[ctx.params["idx"]]))
        return self.ask(ctx, question, as_units=True)


def _show_difficulty(difficulty, names):
    """Return state and plots of the classes by themselves."""
    worst = class_figures.worst_classes(difficulty)
    ends = class_figures.difficulty_ends(difficulty, worst)
    state = {
        "classes": [names[n] for n in worst],
        "labels": class_figures.difficulty_labels(difficulty, names, worst),
        "ends": ends,
        "n_without": len(names) - len(worst),
        "all_classes": False,
    }
    plots = {
        sized("difficulty", shown): class_figures.difficulty_rows(
            difficulty, names, shown, ends
        )
        for shown in (worst[:MOST], worst)
    }
    return state, plots


def _show_confusion(confusion, names, raters):
    """Return state and plots of pairs of classes."""
    pairs = class_figures.worst_pairs(confusion)
    shown = pairs[:MOST]
    state = {
        "n_pairs": len(pairs),
        "pairs": [[names[confusion[k][n]] for k in ("label", "other")] for n in shown],
        "pair_labels": class_figures.confusion_labels(confusion, names, shown),
        "most": confusion["n_units"][pairs[0]] if pairs else 0,
    }
    bars = class_figures.confusion_bars(confusion, names, raters, shown)
    return state, {sized("confusion", shown): bars}


def _classes_in_words(state, n_shown):
    """Return how to read the rows, and how many there are not."""
    if not n_shown:
        return "No object was seen by two raters, so there is nothing to compare."
    text = (
        "Hardest first, by the upper end of the interval, as a class of few objects "
        "may be low by chance. In brackets, the number of objects."
    )
    if n_shown < len(state.classes):
        text += f" {n_shown} of {len(state.classes)} classes are shown."
    if state.n_without:
        without = figures.counted(state.n_without, "class", "classes")
        text += f" {without} without a value: no object that two raters saw."
    return f"{text} A hollow dot rests on too little to be told from chance."


def _pairs_in_words(state):
    n_shown = len(state.pairs)
    if not n_shown:
        return "No object was called two different classes."
    text = (
        "Objects that raters gave both classes; in brackets, how many times as often "
        "as by chance, then who does so."
    )
    if n_shown < state.n_pairs:
        text += f" The {n_shown} most frequent of {state.n_pairs:,} pairs are shown."
    return text
