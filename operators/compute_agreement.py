"""Operator: compute KαLOS on a view; write its fields and its run."""

from dataclasses import asdict
from typing import ClassVar

from ..kalos_core import interpret
from . import agreement_form, calibrations, layouts, measure_form, measures, runs
from .audit import audit
from .long_operator import LongOperator
from .parameters import checked, flag, samples


class ComputeAgreement(LongOperator):
    about: ClassVar = {
        "name": "compute_agreement",
        "label": "KαLOS: compute agreement",
        "description": "Measure how far the raters of this data set agree",
        "icon": "handshake",
    }
    title: ClassVar = "Compute agreement"
    takes: ClassVar = {
        **layouts.TAKES,
        **measures.TAKES,
        "view": samples,
        "overwrite": flag,
        "colours": flag,
        "advanced": flag,
        "delegate": flag,
    }

    @checked(takes)
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
        colours=False,
        on_unassigned="error",
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
            default, and with ``d_loc``, that of the last calibration of these labels,
            else 0.5, and 0.08 where distances are parts of the image's diagonal.
        overwrite : replace a run that has this key already.
        delegate : queue it for ``fiftyone delegated launch`` instead.
        d_loc : the distance; by default the first that fits the labels: box_iou,
            mask_iou, polygon_iou or keypoint_mpjpe.
        shapes : "boxes" or "masks" to compare detections by; by default masks if all
            labels of the first samples have one, else boxes.
        solver, psi : how labels are matched, and the cost that the matching minimises.
        colours : colour labels by rater in the App, if the data set has no colours of
            its own; deleting the run takes them back.
        on_unassigned : "error" refuses labels by raters who were not assigned to the
            sample, "drop" leaves them out and counts them.
        """
        layout = layouts.from_arguments(
            label_field, rater_attribute, assigned, raters, on_unassigned
        )
        layouts.check_layout(view, layout)
        if d_loc is None and tau is None:
            d_loc, tau = calibrations.choice(view._root_dataset, layout, shapes)
        configuration, shapes = measures.configure(
            view, layout, d_loc, tau, solver, psi, shapes
        )
        if not delegate:
            return audit(
                view, layout, configuration, run_key, overwrite, shapes, colours
            )
        containers = layouts.containers(view, layout)
        runs.check_key(view._root_dataset, run_key, overwrite, containers)
        return self.delegated(
            {"view": view.view()},
            {
                **layouts.to_params(layout),
                **asdict(configuration),
                "shapes": shapes,
                "run_key": run_key,
                "overwrite": overwrite,
                "colours": colours,
            },
        )

    def describe(self, inputs, ctx):
        agreement_form.describe(inputs, ctx)

    def show(self, ctx, figures):
        yield ctx.ops.set_progress(progress=1, label=in_words(figures))
        yield ctx.ops.reload_dataset()
        if not ctx.params.get("from_panel"):  # which shows the run by itself
            yield ctx.ops.open_panel(
                "kalos_agreement", layout="horizontal", is_active=True
            )

    def run(self, ctx, tell, stoppable=None):
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
            shapes,
            bool(ctx.params.get("colours")),
            tell=tell,
            stoppable=stoppable,
        )


def in_words(figures):
    """Return the key figures of a run as a sentence."""
    alpha, undefined = figures["mean_alpha"], figures["n_undefined"]
    number = "" if alpha is None else f"{alpha:.3f}, "
    left_out = f", {undefined} of them without a value" if undefined else ""
    return (
        f"Mean α {number}{interpret(alpha)}. {figures['n_images']} images{left_out}."
        f"{layouts.left_out(figures)}"
    )
