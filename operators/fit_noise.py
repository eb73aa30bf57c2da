"""Operator: find out how the raters of a data set err."""

from typing import ClassVar

from ..kalos_core import KalosError
from . import agreement_form, journal, layouts, measures, noise_fits, runs
from .audit import SEED
from .fields import read_and_count
from .long_operator import LongOperator
from .parameters import checked, flag, path, samples, text, whole
from .problems import refuse
from .progress import at_work
from .versions import versions

KEY = "noise"


def fit(
    view,
    layout,
    reference=None,
    run_key=KEY,
    overwrite=False,
    bayesian=False,
    similarity=None,
    seed=SEED,
    tell=None,
    stoppable=None,
):
    """Fit the noise generator to a view, store it as a run, and return it."""
    dataset = view._root_dataset
    runs.tidy(dataset)
    noise_fits.STORED.check_key(dataset, run_key, overwrite)
    layouts.check_layout(view, layout)
    with at_work(dataset, run_key, journal.NOISE_FIT, tell, stoppable) as steps:
        steps.tell(0, "Reading the labels")
        shapes = measures.outlined(view, layout)
        annotations, n_dropped = read_and_count(view, layout, shapes)
        steps.tell(0.3, "Fitting how raters err")
        results = noise_fits.found(annotations, reference, seed, bayesian, similarity)
        results["n_dropped"] = n_dropped
        config = {
            "layout": layouts.to_params(layout),
            "shapes": shapes,
            "reference": reference,
            "seed": seed,
            "versions": versions(),
        }
        steps.tell(0.95, "Storing the fit")
        noise_fits.STORED.save(dataset, run_key, config, results)
        steps.note(1, "Done")
    return {"run_key": run_key, **results}


class FitNoise(LongOperator):
    about: ClassVar = {
        "name": "fit_noise",
        "label": "KαLOS: fit noise",
        "description": "Find out how the raters err, to simulate raters like them",
        "icon": "insights",
    }
    title: ClassVar = "Fit noise"
    takes: ClassVar = {
        **layouts.TAKES,
        "view": samples,
        "reference": text("ana"),
        "run_key": text(KEY),
        "overwrite": flag,
        "bayesian": flag,
        "similarity": path,
        "seed": whole(0, SEED),
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
        reference=None,
        run_key=KEY,
        overwrite=False,
        bayesian=False,
        similarity=None,
        seed=SEED,
        delegate=False,
        on_unassigned="error",
    ):
        """Fit how raters err and return parameters, the table of fits and chances.

        Parameters
        ----------
        label_field, rater_attribute, assigned, raters, on_unassigned : as for
            ``compute_agreement``.
        reference : the rater whom all others are compared with; by default everyone is
            compared with everyone, in both directions.
        overwrite : replace a fit that has this key already.
        bayesian : sample how often objects are missed by MCMC; needs emcee.
        similarity : a JSON file that says how alike classes are: mistaken ones then
            become similar ones, and a Mantel test tells whether those of raters did.
        delegate : queue it for ``fiftyone delegated launch`` instead.
        """
        layout = layouts.from_arguments(
            label_field, rater_attribute, assigned, raters, on_unassigned
        )
        options = {
            "reference": reference,
            "run_key": run_key,
            "overwrite": overwrite,
            "bayesian": bayesian,
            "similarity": similarity,
            "seed": seed,
        }
        if not delegate:
            return fit(view, layout, **options)
        noise_fits.STORED.check_key(view._root_dataset, run_key, overwrite)
        layouts.check_layout(view, layout)
        return self.delegated(
            {"view": view.view()}, {**layouts.to_params(layout), **options}
        )

    def describe(self, inputs, ctx):
        view = ctx.target_view()
        layout = layouts.from_params(ctx.params, view)
        key = _run_key_of(ctx)
        overwrite = bool(ctx.params.get("overwrite"))
        try:
            layouts.check_layout(view, layout, first=agreement_form.FIRST)
            noise_fits.STORED.check_key(ctx.dataset, key, overwrite)
        except KalosError as error:
            refuse(inputs, error)
        if not layouts.label_fields(view):
            return  # there is nothing to choose from
        inputs.view_target(ctx)
        inputs.md(
            "Compares the raters of each image two by two, and fits how far boxes are "
            "shifted, how often objects are missed, split or given another class. "
            "What there is too little of is taken from the defaults."
        )
        agreement_form.describe_layout(inputs, view, layout)
        inputs.str(
            "reference",
            label="Compare all raters with this one",
            description="Left empty: everyone with everyone",
        )
        inputs.str("run_key", default=key, label="Name of this fit")
        if key in noise_fits.keys(ctx.dataset):
            agreement_form.ask_to_replace(inputs, f"noise fit '{key}'")

    def run(self, ctx, tell, stoppable=None):
        view, params = ctx.target_view(), ctx.params
        return fit(
            view,
            layouts.from_params(params, view),
            params.get("reference"),
            _run_key_of(ctx),
            bool(params.get("overwrite")),
            bool(params.get("bayesian")),
            params.get("similarity"),
            params.get("seed", SEED),
            tell=tell,
            stoppable=stoppable,
        )

    def show(self, ctx, found):
        yield ctx.ops.set_progress(progress=1, label=in_words(found))
        yield ctx.ops.reload_dataset()


def in_words(found):
    """Return what was found as sentences."""
    fallen = [row["component"] for row in found["table"] if not row["fitted"]]
    said = f"The fit '{found['run_key']}' is stored; simulate raters offers it."
    if fallen:
        said += f" Too little data, so as in the defaults: {', '.join(fallen)}."
    return said + layouts.left_out(found)


def _run_key_of(ctx):
    """Return the key to use: the one typed, else one that is free."""
    return ctx.params.get("run_key") or runs.free_key(ctx.dataset, KEY)
