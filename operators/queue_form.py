"""The form of build_relabel_queue: the budget, and where the queue goes."""

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..kalos_core.diagnostics.queue import MINUTES_PER_IMAGE, MINUTES_PER_UNIT
from . import hand_over, layouts, queue_csv, relabelling, runs
from .layouts import OneField
from .problems import refuse
from .relabelling import Request
from .run_form import choose_run, on_changed

COUNT, MINUTES, ALL = "count", "minutes", "all"
BUDGETS = {COUNT: "A number", MINUTES: "What fits a time", ALL: "All that is disputed"}
FEW, AN_HOUR = 20, 60


def describe(inputs, ctx):
    """Add the inputs, the reason on top why they cannot be executed, if any."""
    key = choose_run(inputs, ctx)
    if key is None:
        return
    try:
        relabelling.check(ctx.dataset, request_of(ctx), look=False)
    except KalosError as error:
        refuse(inputs, error)
    _describe_budget(inputs, ctx.params)
    _describe_places(inputs, ctx, key)
    inputs.bool(
        "recompute",
        default=False,
        label="Compute the run anew if labels have changed since",
        description="Otherwise nothing is done then",
    )


def request_of(ctx):
    """Return what the form asks for."""
    params = ctx.params
    if params.get("request"):  # a call from Python, delegated
        return Request(**params["request"])
    budget = params.get("budget") or COUNT
    csv = params.get("csv", True)
    return Request(
        params.get("run_key") or runs.last(ctx.dataset),
        by=params.get("by") or "image",
        n=params.get("n", FEW) if budget == COUNT else None,
        minutes=params.get("minutes", AN_HOUR) if budget == MINUTES else None,
        minutes_per_image=params.get("minutes_per_image", MINUTES_PER_IMAGE),
        minutes_per_unit=params.get("minutes_per_unit", MINUTES_PER_UNIT),
        tag=params.get("tag"),
        save_as=params.get("save_as"),
        csv=params.get("csv_path", csv) if csv is True else csv,
        backend=params.get("backend"),
        anno_key=params.get("anno_key"),
        label_field=params.get("label_field"),
        on_changed=on_changed(params),
    )


def _describe_budget(inputs, params):
    _choice(
        inputs,
        "by",
        "What to label again",
        {"image": "Whole images", "unit": "Single objects"},
    )
    _choice(inputs, "budget", "How much", BUDGETS)
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


def _describe_places(inputs, ctx, key):
    tag = ctx.params.get("tag") or f"{key}_relabel"
    inputs.str("tag", default=f"{key}_relabel", label="Tag")
    inputs.str("save_as", default=tag, label="Save the view as")
    inputs.bool("csv", default=True, label="Write a CSV file with the reasons")
    if ctx.params.get("csv") is not False:
        inputs.str(
            "csv_path",
            label="CSV file",
            description=f"Left empty: in {queue_csv.default_folder(ctx.dataset)}",
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
        _describe_hand_over(inputs, ctx, key)


def _describe_hand_over(inputs, ctx, key):
    inputs.str("anno_key", label="Annotation key", description="Left empty: the tag")
    config = runs.config_of(ctx.dataset, key)
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
