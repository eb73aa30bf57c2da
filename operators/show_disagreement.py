"""Operator: show the images or objects that raters disagree on, worst first."""

import math
from typing import ClassVar

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..kalos_core.calibration.strata import LIMITS
from ..kalos_core.diagnostics.kinds import KINDS
from . import runs, saved_views
from .checked_operator import CheckedOperator
from .disagreement import Disagreement, Question, place_of, save_view
from .parameters import (
    checked,
    choice,
    flag,
    names,
    number,
    pair,
    run_key,
    samples,
    text,
    whole,
)
from .problems import refuse
from .run_form import choose_run

KIND_WORDS = {
    "split_merge": "Split or merged: one label covers several of another's",
    "missed": "Missed: drawn by some raters only",
    "class": "Classes differ",
    "loose": "Drawn loosely",
}


class ShowDisagreement(CheckedOperator):
    about: ClassVar = {
        "name": "show_disagreement",
        "label": "KαLOS: show disagreement",
        "description": "Show the images or objects that raters disagree on",
        "icon": "compare",
    }
    title: ClassVar = "Show disagreement"
    takes: ClassVar = {
        "dataset": samples,
        "run_key": run_key,
        "alpha": pair,
        "low": number(-math.inf, math.inf, 0),
        "high": number(-math.inf, math.inf, 0.5),
        "kind": choice(KINDS),
        "raters": names(("ana", "ben"), least=0, most=2, numbered=True),
        "classes": names(("cat", "dog"), least=0, most=2),
        "size": choice(LIMITS),
        "as_units": flag,
        "only_their_labels": flag,
        "limit": whole(1, 20),
        "save_as": text("disputed"),
    }

    @checked(takes)
    def __call__(
        self,
        dataset,
        run_key=None,
        alpha=None,
        kind=None,
        raters=None,
        classes=None,
        size=None,
        as_units=False,
        only_their_labels=False,
        limit=None,
        save_as=None,
    ):
        """Return a view of disputed images or objects, worst first.

        Parameters
        ----------
        dataset : a data set, or a view to look for them in.
        run_key : the run to ask; by default the last one.
        alpha : (low, high) agreement of the images.
        kind : "split_merge", "missed", "class", "loose" or "agreed".
        raters : one rater who stands against others, or two who say different things.
        classes : one class, or two that raters gave the same object.
        size : "small", "medium" or "large".
        as_units : a patch for each object instead of whole images.
        only_their_labels : hide the labels of all but the ``raters``.
        limit : show so many at most.
        save_as : name of a saved view to make.
        """
        if save_as:
            saved_views.check_free(dataset._root_dataset, save_as)
        question = Question(alpha, kind, raters or (), classes or (), size)
        found = Disagreement(dataset, run_key)
        view = found.view(question, as_units, only_their_labels, limit)
        if save_as:
            save_view(found.dataset, found.run_key, save_as, view)
        return view

    def describe(self, inputs, ctx):
        key = choose_run(inputs, ctx)
        if key:
            _describe(inputs, ctx, key)

    def execute(self, ctx):
        try:
            self.keep_rules(ctx)
            view = self(ctx.dataset, **_arguments(ctx.params))
        except KalosError as error:
            ctx.ops.notify(str(error), variant="error")
            return
        if not len(view):
            ctx.ops.notify("Nothing in this run is like that.", variant="info")
            return
        ctx.ops.set_view(view)


def _describe(inputs, ctx, key):
    try:
        _, results = runs.load(ctx.dataset, key)
    except KalosError as error:
        refuse(inputs, error)
        return
    _choice(inputs, "kind", "What is wrong with the objects", KIND_WORDS)
    raters, classes = results.raters["name"], results.classes["name"]
    try:
        for name in ctx.params.get("raters", ()):
            place_of("rater", name, raters)
        for name in ctx.params.get("classes", ()):
            place_of("class", name, classes)
    except KalosError as error:
        refuse(inputs, error)
    one_or_two = "One who stands alone, or two who disagree"
    _several(inputs, "raters", "Raters", raters, one_or_two)
    one_or_two = "One that is named, or two that are confused"
    _several(inputs, "classes", "Classes", classes, one_or_two)
    sizes = {size: size.capitalize() for size in LIMITS}
    _choice(inputs, "size", "Size of the objects", sizes)
    inputs.float("low", label="Agreement on the image, from", default=-1, min=-1, max=1)
    inputs.float("high", label="Agreement on the image, to", default=1, min=-1, max=1)
    inputs.bool(
        "as_units",
        default=False,
        label="One tile per object",
        description="Instead of whole images",
    )
    if ctx.params.get("raters") and not ctx.params.get("as_units"):
        inputs.bool("only_their_labels", default=True, label="Only their labels")
    inputs.str(
        "save_as", label="Save the view as", description="Left empty: it is not saved"
    )


def _choice(inputs, name, label, words):
    view = types.DropdownView()
    for value, meaning in words.items():
        view.add_choice(value, label=meaning)
    inputs.enum(
        name, view.values(), label=label, description="Left empty: any", view=view
    )


def _several(inputs, name, label, known, description):
    view = types.DropdownView(multiple=True)
    for value in known:
        view.add_choice(value, label=value)
    inputs.list(name, types.String(), label=label, description=description, view=view)


def _arguments(params):
    """Return the arguments of a call from what the form holds."""
    given = {name: params[name] for name in ShowDisagreement.takes if name in params}
    ends = given.pop("low", -1), given.pop("high", 1)
    return given if ends == (-1, 1) else {"alpha": ends, **given}
