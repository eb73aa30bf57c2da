"""Operator: compute KαLOS on a view; write its fields and its run."""

from dataclasses import asdict

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import Configuration, KalosError, compute_agreement, interpret
from . import layouts, runs
from .fields import read_annotations
from .layouts import EVERY_RATER, WHO_DREW, FieldPerRater, OneField


def audit(view, layout, configuration, run_key="kalos", overwrite=False):
    """Read, compute, write; return the key figures of the run."""
    dataset = view._root_dataset
    runs.check_key(dataset, run_key, overwrite)
    annotations = read_annotations(view, layout)
    agreement = compute_agreement(annotations, configuration)
    config = {
        "configuration": asdict(configuration),
        "notation": str(configuration),
        "layout": layouts.to_params(layout),
    }
    runs.save(dataset, run_key, config, annotations, agreement)
    return runs.key_figures(dataset, run_key)


class ComputeAgreement(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="compute_agreement",
            label="KαLOS: compute agreement",
            description="Measure how far the raters of this data set agree",
            icon="handshake",
            dynamic=True,
            allow_immediate_execution=True,
            allow_delegated_execution=True,
        )

    def __call__(
        self,
        view,
        label_field,
        rater_attribute=layouts.RATER_ATTRIBUTE,
        assigned=layouts.ASSIGNED_FIELD,
        tau=0.5,
        run_key="kalos",
        overwrite=False,
        delegate=False,
    ):
        """Audit a data set or view and return the key figures of the run.

        Parameters
        ----------
        label_field : the field with all raters' boxes; or a list of fields, one for
            each rater.
        rater_attribute : the attribute of a label that names its rater.
        assigned : the list field that names the raters assigned to a sample, or
            "@all" (everyone saw everything) or "@drew" (only those who drew there).
        tau : largest distance, 1 - IoU, of two boxes that may be one object.
        overwrite : replace a run that has this key already.
        delegate : queue it for ``fiftyone delegated launch`` instead.
        """
        if isinstance(label_field, str):
            layout = OneField(label_field, rater_attribute, assigned)
        else:
            layout = FieldPerRater(tuple(label_field))
        if not delegate:
            return audit(view, layout, Configuration(tau=tau), run_key, overwrite)
        return foo.execute_operator(
            self.uri,
            {"view": view.view()},
            params={
                **layouts.to_params(layout),
                "tau": tau,
                "run_key": run_key,
                "overwrite": overwrite,
            },
            request_delegation=True,
        )

    def resolve_input(self, ctx):
        inputs = types.Object()
        inputs.view_target(ctx)
        view = ctx.target_view()
        layout = layouts.from_params(ctx.params, layouts.detect_layout(view))
        _describe_layout(inputs, view, layout)
        inputs.float(
            "tau_s",
            default=0.5,
            min=0,
            max=1,
            label="Least overlap (IoU) of two boxes of one object, τs",
            view=types.SliderView(
                label_position="top", value_precision=2, view_multiple_of=0.05
            ),
        )
        inputs.md(
            "A low overlap asks whether raters found the same objects, a high one how "
            "precisely they drew them."
        )
        _describe_run(inputs, ctx)
        problem = _problem(ctx, view, layout)
        if problem:
            inputs.view("problem", types.Warning(label=problem)).invalid = True
        return types.Property(inputs, view=types.View(label="Compute agreement"))

    def execute(self, ctx):
        try:
            figures = self._audit(ctx)
        except KalosError as error:
            # The App hides the message of an exception behind a traceback.
            if ctx.delegated:
                raise
            return {"error": str(error)}
        if not ctx.delegated:
            ctx.ops.reload_dataset()
            ctx.ops.open_panel("kalos_agreement", layout="horizontal", is_active=True)
        return figures

    def _audit(self, ctx):
        view = ctx.target_view()
        return audit(
            view,
            layouts.from_params(ctx.params, layouts.detect_layout(view)),
            Configuration(tau=_tau(ctx.params)),
            _run_key(ctx),
            bool(ctx.params.get("overwrite")),
        )

    def resolve_output(self, ctx):
        outputs = types.Object()
        error = ctx.results.get("error")
        if error:
            outputs.view("error", types.Error(label=error))
            return types.Property(outputs, view=types.View(label="Nothing was written"))
        alpha = ctx.results.get("mean_alpha")
        value = "undefined" if alpha is None else f"{alpha:.3f}, {interpret(alpha)}"
        outputs.str("reading", label="Mean α", default=value)
        outputs.int("n_images", label="Images")
        outputs.int("n_undefined", label="of them undefined (fewer than two raters)")
        return types.Property(outputs, view=types.View(label="Agreement"))


def _tau(params):
    """Return tau, a distance; the form speaks of the similarity ``tau_s``."""
    if params.get("tau") is not None:
        return params["tau"]
    tau_s = params.get("tau_s")
    return 0.5 if tau_s is None else round(1 - tau_s, 12)


def _run_key(ctx):
    return ctx.params.get("run_key") or runs.free_key(ctx.dataset)


def _describe_layout(inputs, view, layout):
    kinds = types.RadioGroup(orientation="horizontal")
    kinds.add_choice(OneField.layout, label="One field for all raters")
    kinds.add_choice(FieldPerRater.layout, label="A field per rater")
    inputs.enum(
        "layout",
        kinds.values(),
        default=layout.layout,
        label="Where are the raters?",
        view=kinds,
    )
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
        label="Boxes of all raters",
        view=fields,
    )
    _describe_raters(inputs, view, layout)


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


def _describe_run(inputs, ctx):
    key = _run_key(ctx)
    inputs.str(
        "run_key",
        default=key,
        label="Name of this run",
        description=f"Results go to the fields {key}_alpha, {key}_status and so on.",
    )
    if key in runs.keys(ctx.dataset):
        inputs.bool(
            "overwrite",
            default=False,
            label=f"Replace the run '{key}'",
            view=types.CheckboxView(),
        )


def _problem(ctx, view, layout):
    """Return why this form cannot be executed, or None."""
    try:
        layouts.check_layout(view, layout)
        runs.check_key(ctx.dataset, _run_key(ctx), bool(ctx.params.get("overwrite")))
    except KalosError as error:
        return str(error)
    return None
