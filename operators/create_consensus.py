"""Operator: make a label field of what the raters say together."""

from typing import ClassVar

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..kalos_core.consensus import SHAPES
from . import consensus_labels, runs
from .consensus_labels import HAVE_MEANS
from .live_run import ON_CHANGED
from .long_operator import LongOperator
from .parameters import checked, choice, data_set, flag, number, run_key, text, whole
from .problems import refuse
from .run_form import choose_run, on_changed


class CreateConsensus(LongOperator):
    about: ClassVar = {
        "name": "create_consensus",
        "label": "KαLOS: create consensus labels",
        "description": "Make a label field of what the raters say together",
        "icon": "how_to_vote",
    }
    title: ClassVar = "Create consensus labels"
    takes: ClassVar = {
        "dataset": data_set,
        "run_key": run_key,
        "field": text("consensus"),
        "weighted": flag,
        "shape": choice(SHAPES),
        "min_votes": whole(1, 2),
        "min_existence": number(0, 1, 0.5),
        "on_changed": choice(ON_CHANGED),
        "recompute": flag,
        "delegate": flag,
    }

    @checked(takes)
    def __call__(
        self,
        dataset,
        run_key=None,
        field=None,
        weighted=False,
        shape="medoid",
        min_votes=None,
        min_existence=None,
        on_changed="refuse",
        delegate=False,
    ):
        """Make a new label field of a run's units and return what is in it.

        Parameters
        ----------
        run_key : the run to take; by default the last one.
        field : its name, by default ``<run_key>_consensus``; one that exists is
            refused.
        weighted : whether raters vote by their agreement with the others.
        shape : "medoid", a shape that somebody drew, or "mean" of boxes or keypoints.
        min_votes : raters who have to draw an object; others are left out.
        min_existence : the least part of those asked who drew it, likewise.
        on_changed : "refuse", or "recompute" the run if labels changed since.
        delegate : queue it for ``fiftyone delegated launch``.
        """
        run_key = run_key or runs.last(dataset)
        params = {
            "run_key": run_key,
            "field": field or f"{run_key}_consensus",
            "weighted": weighted,
            "shape": shape,
            "min_votes": min_votes,
            "min_existence": min_existence,
            "on_changed": on_changed,
        }
        if not delegate:
            return consensus_labels.create(dataset, **params)
        consensus_labels.check(dataset, run_key, params["field"], shape)
        return self.delegated({"dataset": dataset}, params)

    def describe(self, inputs, ctx):
        key = choose_run(inputs, ctx)
        if key:
            _describe(inputs, ctx, key)

    def show(self, ctx, made):
        yield ctx.ops.set_progress(progress=1, label=in_words(made))
        yield ctx.ops.reload_dataset()

    def run(self, ctx, tell, stoppable=None):
        return consensus_labels.create(
            ctx.dataset, **_arguments(ctx), tell=tell, stoppable=stoppable
        )


def in_words(made):
    """Return what was made as a sentence."""
    left_out = (
        f"; {made['n_left_out']} objects had too few votes"
        if made["n_left_out"]
        else ""
    )
    return (
        f"{made['n_labels']} labels on {made['n_images']} images in the field "
        f"'{made['field']}'{left_out}."
    )


def _arguments(ctx):
    params = ctx.params
    key = params.get("run_key") or runs.last(ctx.dataset)
    return {
        "run_key": key,
        "field": params.get("field") or f"{key}_consensus",
        "weighted": params.get("weighted", False),
        "shape": params.get("shape", "medoid"),
        "min_votes": params.get("min_votes"),
        "min_existence": params.get("min_existence"),
        "on_changed": on_changed(params),
    }


def _describe(inputs, ctx, key):
    wanted = _arguments(ctx)
    try:
        consensus_labels.check(
            ctx.dataset, key, wanted["field"], wanted["shape"], look=False
        )
    except KalosError as error:
        refuse(inputs, error)
    inputs.str("field", default=f"{key}_consensus", label="New field")
    inputs.bool(
        "weighted",
        default=False,
        label="Weigh raters by their agreement with the others",
        description="Agreement is not truth: a lone expert loses weight",
    )
    shapes = types.RadioGroup(orientation="horizontal")
    shapes.add_choice("medoid", label="The drawn one nearest to all others")
    config = runs.config_of(ctx.dataset, key)
    if getattr(config, "shapes", None) in HAVE_MEANS:
        shapes.add_choice("mean", label="The mean of those drawn")
    inputs.enum("shape", shapes.values(), default="medoid", label="Shape", view=shapes)
    inputs.int(
        "min_votes",
        min=1,
        label="Least number of raters who drew it",
        description="Left empty: every object is kept",
    )
    inputs.float(
        "min_existence",
        min=0,
        max=1,
        label="Least share of the raters asked who drew it",
        description="From 0 to 1. Left empty: every object is kept",
    )
    inputs.bool(
        "recompute",
        default=False,
        label="Compute the run anew if labels have changed since",
        description="Otherwise nothing is written then",
    )
