"""Operator: show the images or objects that raters disagree on, worst first."""

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..kalos_core.calibration.strata import LIMITS
from . import runs
from .disagreement import Disagreement, Question, save_view

KIND_WORDS = {
    "split_merge": "Split or merged: one label covers several of another's",
    "missed": "Missed by somebody",
    "class": "Of different classes",
    "loose": "Drawn loosely",
}


class ShowDisagreement(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="show_disagreement",
            label="KαLOS: show disagreement",
            description="Show the images or objects that raters disagree on",
            icon="compare",
            dynamic=True,
        )

    def __call__(
        self,
        dataset,
        run_key=None,
        alpha=None,
        kind=None,
        raters=(),
        classes=(),
        size=None,
        as_units=False,
        only_their_labels=False,
        limit=None,
        save_as=None,
    ):
        """Return a view of disputed images or objects, worst first.

        Parameters
        ----------
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
        dataset = dataset._root_dataset
        question = Question(
            None if alpha is None else tuple(alpha),
            kind,
            _names(raters),
            _names(classes),
            size,
        )
        found = Disagreement(dataset, run_key or None)
        view = found.view(question, as_units, only_their_labels, limit)
        if save_as:
            save_view(dataset, found.run_key, save_as, view)
        return view

    def resolve_input(self, ctx):
        inputs = types.Object()
        keys = runs.keys(ctx.dataset)
        if not keys:
            nothing = types.Notice(
                label="This data set has no KαLOS run yet. Compute agreement first."
            )
            inputs.view("nothing", nothing).invalid = True
        else:
            _describe(inputs, ctx, keys)
        return types.Property(inputs, view=types.View(label="Show disagreement"))

    def execute(self, ctx):
        try:
            view = self(ctx.dataset, **_arguments(ctx.params))
        except KalosError as error:
            ctx.ops.notify(str(error), variant="error")
            return
        if not len(view):
            ctx.ops.notify("Nothing in this run is like that.", variant="info")
            return
        ctx.ops.set_view(view)


def _describe(inputs, ctx, keys):
    key = ctx.params.get("run_key") or keys[-1]
    inputs.enum("run_key", keys, default=keys[-1], label="Run")
    _, results = runs.load(ctx.dataset, key if key in keys else keys[-1])
    _choice(inputs, "kind", "What is wrong with the objects", KIND_WORDS)
    raters, classes = results.raters["name"], results.classes["name"]
    _several(
        inputs, "raters", "Raters", raters, "One who stands alone, or two who disagree"
    )
    _several(
        inputs,
        "classes",
        "Classes",
        classes,
        "One that is named, or two that are confused",
    )
    _choice(
        inputs,
        "size",
        "Size of the objects",
        {size: size.capitalize() for size in LIMITS},
    )
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
    for value, text in words.items():
        view.add_choice(value, label=text)
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
    low, high = params.get("low"), params.get("high")
    bounded = low not in (None, -1) or high not in (None, 1)
    given = ("run_key", "kind", "size", "as_units", "only_their_labels", "save_as")
    return {
        **{name: params[name] for name in given if params.get(name)},
        "raters": params.get("raters") or (),
        "classes": params.get("classes") or (),
        "alpha": (-1 if low is None else low, 1 if high is None else high)
        if bounded
        else None,
    }


def _names(given):
    names = (given,) if isinstance(given, str) else tuple(given or ())
    if len(names) > 2:
        raise KalosError(f"Name one or two, got {len(names)}: {', '.join(names)}.")
    return names
