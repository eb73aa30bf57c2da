"""The form of build_relabel_queue: the budget, and where the queue goes."""

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..kalos_core.diagnostics.queue import MINUTES_PER_IMAGE, MINUTES_PER_UNIT
from . import hand_over, layouts, relabelling, runs
from .layouts import OneField
from .relabelling import Request

COUNT, MINUTES, ALL = "count", "minutes", "all"
FEW, AN_HOUR = 20, 60


def describe(ctx):
    """Return the inputs, the reason on top why they cannot be executed, if any."""
    inputs, keys = types.Object(), runs.keys(ctx.dataset)
    if not keys:
        nothing = types.Notice(
            label="This data set has no KαLOS run yet. Compute agreement first."
        )
        inputs.view("nothing", nothing).invalid = True
        return inputs
    try:
        relabelling.check(ctx.dataset, request_of(ctx), look=False)
    except KalosError as error:
        inputs.view("problem", types.Warning(label=str(error))).invalid = True
    inputs.enum("run_key", keys, default=keys[-1], label="Run")
    _describe_budget(inputs, ctx.params)
    _describe_places(inputs, ctx, keys)
    inputs.bool(
        "recompute",
        default=False,
        label="Compute the run anew if labels have changed since",
        description="Otherwise nothing is done then",
    )
    return inputs


def request_of(ctx):
    """Return what the form asks for."""
    params = ctx.params
    if params.get("request"):  # a call from Python, delegated
        return Request(**params["request"])
    budget = params.get("budget") or COUNT
    csv = params.get("csv")
    return Request(
        params.get("run_key") or runs.last(ctx.dataset),
        by=params.get("by") or "image",
        n=_or(params.get("n"), FEW) if budget == COUNT else None,
        minutes=_or(params.get("minutes"), AN_HOUR) if budget == MINUTES else None,
        minutes_per_image=_or(params.get("minutes_per_image"), MINUTES_PER_IMAGE),
        minutes_per_unit=_or(params.get("minutes_per_unit"), MINUTES_PER_UNIT),
        tag=params.get("tag") or None,
        save_as=params.get("save_as") or None,
        csv=False if csv is False else params.get("csv_path") or True,
        backend=params.get("backend") or None,
        anno_key=params.get("anno_key") or None,
        label_field=params.get("label_field") or None,
        on_changed="recompute" if params.get("recompute") else "refuse",
    )


def _describe_budget(inputs, params):
    _choice(
        inputs,
        "by",
        "What to label again",
        {"image": "Whole images", "unit": "Single objects"},
    )
    words = {
        COUNT: "A number",
        MINUTES: "What fits a time",
        ALL: "All that is disputed",
    }
    _choice(inputs, "budget", "How much", words)
    budget = params.get("budget") or COUNT
    if budget == COUNT:
        what = "objects" if params.get("by") == "unit" else "images"
        inputs.int("n", default=FEW, min=1, label=f"Number of {what}")
    if budget == MINUTES:
        inputs.float("minutes", default=AN_HOUR, min=0, label="Minutes for all of it")
        inputs.float(
            "minutes_per_image",
            default=MINUTES_PER_IMAGE,
            min=0,
            label="Minutes to open an image",
        )
        inputs.float(
            "minutes_per_unit",
            default=MINUTES_PER_UNIT,
            min=0,
            label="Minutes to settle an object",
        )


def _describe_places(inputs, ctx, keys):
    key = ctx.params.get("run_key") or keys[-1]
    tag = ctx.params.get("tag") or f"{key}_relabel"
    inputs.str("tag", default=f"{key}_relabel", label="Tag")
    inputs.str("save_as", default=tag, label="Save the view as")
    inputs.bool("csv", default=True, label="Write a CSV file with the reasons")
    if ctx.params.get("csv") is not False:
        inputs.str(
            "csv_path", label="CSV file", description="Left empty: beside the images"
        )
    backends = hand_over.configured()
    if not backends:
        inputs.view(
            "no_backend",
            types.Notice(
                label="No annotation backend (CVAT, Label Studio) is configured in "
                "FiftyOne, so the batch cannot be handed over from here."
            ),
        )
        return
    inputs.enum("backend", backends, label="Hand the images to")
    if ctx.params.get("backend"):
        _describe_hand_over(inputs, ctx, key, keys)


def _describe_hand_over(inputs, ctx, key, keys):
    inputs.str("anno_key", label="Annotation key", description="Left empty: the tag")
    config = runs.config_of(ctx.dataset, key if key in keys else keys[-1])
    layout = layouts.from_params(config.layout, ctx.dataset)
    fields = types.AutocompleteView()
    for name in layout.label_fields:
        fields.add_choice(name, label=name)
    first = layout.label_field if isinstance(layout, OneField) else None
    inputs.str(
        "label_field",
        default=first,
        required=first is None,
        label="Field to label",
        description="One of the raters' fields, or a new one",
        view=fields,
    )


def _choice(inputs, name, label, words):
    view = types.RadioGroup(orientation="horizontal")
    for value, text in words.items():
        view.add_choice(value, label=text)
    first = next(iter(words))
    inputs.enum(name, view.values(), default=first, label=label, view=view)


def _or(value, default):
    return default if value is None else value
