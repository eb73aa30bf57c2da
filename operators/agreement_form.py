"""The form of compute_agreement: where raters are, how to compare, the run."""

import fiftyone.operators.types as types
from fiftyone.operators.constants import ViewTarget

from ..kalos_core import KalosError
from . import layouts, measure_form, runs
from .layout_form import ask_layout
from .layouts import EVERY_RATER, WHO_DREW, FieldPerRater
from .problems import refuse

FIRST = 100
"""Samples that a form may look at, so that it opens at once on any data set."""


def describe(inputs, ctx):
    """Add the inputs, the reason on top why they cannot be executed, if any."""
    view = ctx.target_view()
    layout = layouts.from_params(ctx.params, view)
    choice = None
    try:
        layouts.check_layout(view, layout, first=FIRST)
        choice = measure_form.chosen(ctx.params, view, layout)
        overwrite = bool(ctx.params.get("overwrite"))
        containers = layouts.containers(view, layout)
        runs.check_key(ctx.dataset, run_key_of(ctx), overwrite, containers, look=False)
    except KalosError as error:
        refuse(inputs, error)
    if not layouts.label_fields(view):
        return  # there is nothing to choose from
    _describe_target(inputs, ctx)
    describe_layout(inputs, view, layout)
    if choice:
        measure_form.describe(inputs, choice, ctx.params)
    if ctx.dataset.app_config.color_scheme is None:
        inputs.bool(
            "colours",
            default=True,
            label="Colour labels by rater",
            view=types.CheckboxView(),
        )
    _describe_run(inputs, ctx)


def _describe_target(inputs, ctx):
    """Add the choice of samples, unless whoever opened the form has made it."""
    target = inputs.view_target(ctx)
    if ctx.request_params.get("view_target") == ViewTarget.CUSTOM_VIEW_TARGET:
        target.type = types.Enum([ViewTarget.CUSTOM_VIEW_TARGET])
        target.default = ViewTarget.CUSTOM_VIEW_TARGET
        target.view = types.HiddenView(read_only=False)


def run_key_of(ctx):
    """Return the key to use: the one typed, else one that is free."""
    return ctx.params.get("run_key") or runs.free_key(ctx.dataset)


def describe_layout(inputs, view, layout):
    """Add the inputs that say where raters are."""
    ask_layout(inputs, layout.layout, "Where are the raters?")
    fields = types.DropdownView(multiple=isinstance(layout, FieldPerRater))
    for name in layouts.label_fields(view):
        fields.add_choice(name, label=name)
    if isinstance(layout, FieldPerRater):
        inputs.list(
            "label_fields",
            types.String(),
            default=list(layout.label_fields),
            label="The raters' fields",
            description="A sample counts as seen by a rater if the field is set there.",
            view=fields,
        )
        return
    inputs.enum(
        "label_field",
        fields.values(),
        default=layout.label_field,
        label="Labels of all raters",
        view=fields,
    )
    _describe_raters(inputs, view, layout)
    if layout.raters is not None:
        _describe_choice_of_raters(inputs, layout)


def _describe_choice_of_raters(inputs, layout):
    """Add who is compared, where not everyone is."""
    names = types.DropdownView(multiple=True)
    for name in layout.raters:
        names.add_choice(name, label=name)
    inputs.list(
        "raters",
        types.String(),
        default=list(layout.raters),
        label="Raters to compare",
        view=names,
    )


def _describe_raters(inputs, view, layout):
    attributes = types.AutocompleteView()
    for name in layouts.rater_attributes(view, layout.label_field):
        attributes.add_choice(name, label=name)
    inputs.str(
        "rater_attribute",
        default=layout.rater_attribute,
        label="Attribute that names the rater",
        view=attributes,
    )
    assigned = types.DropdownView()
    for name in layouts.assigned_fields(view):
        assigned.add_choice(name, label=f"Those listed in '{name}'")
    assigned.add_choice(EVERY_RATER, label="Every rater saw every sample")
    assigned.add_choice(WHO_DREW, label="Only those who drew something there")
    inputs.enum(
        "assigned",
        assigned.values(),
        default=layout.assigned,
        label="Who was assigned to a sample?",
        description="Someone who was assigned and drew nothing missed the object; "
        "someone who was not is missing data.",
        view=assigned,
    )
    if layout.assigned not in (EVERY_RATER, WHO_DREW):
        inputs.bool(
            "drop_unassigned",
            default=layout.on_unassigned == "drop",
            label="Leave out labels by raters who were not assigned",
            description="Otherwise the first one is refused",
            view=types.CheckboxView(),
        )


def _describe_run(inputs, ctx):
    key = run_key_of(ctx)
    inputs.str(
        "run_key",
        default=key,
        label="Name of this run",
        description=f"Results go to the fields {key}_alpha, {key}_status and so on.",
    )
    if key in runs.keys(ctx.dataset):
        ask_to_replace(inputs, f"run '{key}'")


def ask_to_replace(inputs, what):
    """Add the consent without which nothing is replaced."""
    label, view = f"Replace the {what}", types.CheckboxView()
    inputs.bool("overwrite", default=False, label=label, view=view)
