"""Operator: compute KαLOS on a view; write its fields and its run."""

from dataclasses import asdict

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError, compute_agreement, interpret
from . import agreement_form, layouts, measure_form, measures, runs
from .fields import read_annotations
from .layouts import FieldPerRater, OneField


def audit(
    view,
    layout,
    configuration,
    run_key="kalos",
    overwrite=False,
    progress=None,
    shapes=None,
):
    """Read, compute, write; return the key figures of the run."""
    layouts.check_layout(view, layout)
    dataset = view._root_dataset
    runs.check_key(dataset, run_key, overwrite)
    annotations = read_annotations(view, layout, shapes)
    agreement = compute_agreement(annotations, configuration, progress)
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
        raters=None,
        tau=None,
        run_key="kalos",
        overwrite=False,
        delegate=False,
        d_loc=None,
        shapes=None,
        solver="greedy",
        psi="soft",
    ):
        """Audit a data set or view and return the key figures of the run.

        Parameters
        ----------
        label_field : the field with all raters' labels (Detections, Polylines or
            Keypoints); or a list of fields of one kind, one for each rater.
        rater_attribute : the attribute of a label that names its rater.
        assigned : the list field that names the raters assigned to a sample, or
            "@all" (everyone saw everything) or "@drew" (only those who drew there).
        raters : compare these only; None compares everyone.
        tau : largest distance, 1 - IoU say, of two labels that may be one object; by
            default 0.5, and 0.08 where distances are parts of the image's diagonal.
        overwrite : replace a run that has this key already.
        delegate : queue it for ``fiftyone delegated launch`` instead.
        d_loc : the distance; by default the first that fits the labels: box_iou,
            mask_iou, polygon_iou or keypoint_mpjpe.
        shapes : "boxes" or "masks" to compare detections by; by default masks if all
            labels of the first samples have one, else boxes.
        solver, psi : how labels are matched, and the cost that the matching minimises.
        """
        layout = _layout(label_field, rater_attribute, assigned, raters)
        layouts.check_layout(view, layout)
        configuration, shapes = measures.configure(
            view, layout, d_loc, tau, solver, psi, shapes
        )
        if not delegate:
            return audit(view, layout, configuration, run_key, overwrite, shapes=shapes)
        runs.check_key(view._root_dataset, run_key, overwrite)
        return foo.execute_operator(
            self.uri,
            {"view": view.view()},
            params={
                **layouts.to_params(layout),
                **asdict(configuration),
                "shapes": shapes,
                "run_key": run_key,
                "overwrite": overwrite,
            },
            request_delegation=True,
        )

    def resolve_input(self, ctx):
        inputs = agreement_form.describe(ctx)
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
        layout = layouts.from_params(ctx.params, view)
        layouts.check_layout(view, layout)
        configuration, shapes = measure_form.configuration_of(ctx.params, view, layout)
        return audit(
            view,
            layout,
            configuration,
            agreement_form.run_key_of(ctx),
            bool(ctx.params.get("overwrite")),
            _progress(ctx) if ctx.delegated else None,
            shapes,
        )

    def resolve_output(self, ctx):
        outputs = types.Object()
        results = ctx.results or {}  # none where an exception ended it
        if "error" in results:
            outputs.view("error", types.Error(label=results["error"]))
            return types.Property(outputs, view=types.View(label="Nothing was written"))
        for name, label in (("mean_alpha", "Mean α"), ("global_alpha", "Global α")):
            alpha = results.get(name)
            number = "" if alpha is None else f"{alpha:.3f}, "
            outputs.str(f"{name}_words", label=label, default=number + interpret(alpha))
        outputs.int("n_images", label="Images")
        outputs.int("n_undefined", label="of them undefined (fewer than two raters)")
        return types.Property(outputs, view=types.View(label="Agreement"))


def _progress(ctx):
    """Return a function that tells how far a delegated run is."""

    def tell(done, total):
        ctx.set_progress(
            done / max(total, 1), label=f"{done} of {total} labels matched"
        )

    return tell


def _layout(label_field, rater_attribute, assigned, raters):
    """Return the layout that the arguments of a call from Python describe."""
    if isinstance(label_field, str):
        raters = None if raters is None else tuple(raters)
        return OneField(label_field, rater_attribute, assigned, raters)
    if not isinstance(label_field, (list, tuple)):
        raise KalosError(
            "label_field must be the name of a field, or a list of them, one for each "
            f"rater; got {label_field!r}"
        )
    return FieldPerRater(tuple(label_field))
