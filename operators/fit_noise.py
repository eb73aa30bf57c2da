"""Operator: find out how the raters of a data set err."""

from typing import ClassVar

from ..kalos_core.noise.fit_table import FELL_BACK
from ..kalos_core.noise.fitting.poisson_sampling import can_sample
from . import journal, layouts, measures, noise_fits, runs, similarity_form
from .audit import SEED
from .fields import read_and_count
from .parameters import checked, flag, samples, text, whole
from .plain_run_operator import PlainRunOperator
from .progress import at_work
from .proxies import CLIP_MODEL, CLIP_WEIGHTS, similarity_of
from .versions import versions

KEY = "noise"


def fit(
    view,
    layout,
    reference=None,
    run_key=KEY,
    overwrite=False,
    bayesian=None,
    similarity=None,
    clip_model=CLIP_MODEL,
    clip_weights=CLIP_WEIGHTS,
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
        near = similarity and similarity_of(
            view,
            _field(layout, reference),
            similarity,
            clip_model=clip_model,
            clip_weights=clip_weights,
            tell=lambda done, said: steps.tell(0.1 + 0.3 * done, said),
        )
        steps.tell(0.4, "Fitting how raters err")
        results = noise_fits.found(annotations, reference, seed, bayesian, near)
        results["n_dropped"] = n_dropped
        config = {
            "layout": layouts.to_params(layout),
            "shapes": shapes,
            "reference": reference,
            "similarity": str(similarity) if similarity else None,
            "seed": seed,
            "versions": versions(),
        }
        steps.tell(0.95, "Storing the fit")
        noise_fits.STORED.save(dataset, run_key, config, results)
        steps.note(1, "Done")
    return {"run_key": run_key, **results}


def _field(layout, reference):
    """Return whose labels are looked at: of fields of raters the reference's."""
    if not isinstance(layout, layouts.FieldPerRater):
        return layout.label_field
    return reference if reference in layout.label_fields else layout.label_fields[0]


class FitNoise(PlainRunOperator):
    about: ClassVar = {
        "name": "fit_noise",
        "label": "KαLOS: fit noise",
        "description": "Find out how the raters err, to simulate raters like them",
        "icon": "insights",
    }
    title: ClassVar = "Fit noise"
    stored: ClassVar = noise_fits.STORED
    does: ClassVar = (
        "Compares the raters of each image two by two, and fits how far boxes are "
        "shifted, how often objects are missed, split or given another class. What "
        "there is too little of is taken from the defaults."
    )
    takes: ClassVar = {
        **layouts.TAKES,
        "view": samples,
        "reference": text("ana"),
        "run_key": text(KEY),
        "overwrite": flag,
        "bayesian": flag,
        **similarity_form.TAKES,
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
        bayesian=None,
        similarity=None,
        clip_model=CLIP_MODEL,
        clip_weights=CLIP_WEIGHTS,
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
        bayesian : sample how often objects are missed by MCMC; by default if emcee is
            installed, else by maximum likelihood.
        similarity : how alike classes are, to CLIP ("@clip") or as a JSON file says:
            mistaken ones then become similar ones, and a Mantel test tells whether
            those of raters did.
        clip_model, clip_weights : as for ``simulate_raters``.
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
            "clip_model": clip_model,
            "clip_weights": clip_weights,
            "seed": seed,
        }
        return self.find_or_delegate(view, layout, delegate, **options)

    def ask(self, inputs, params):
        inputs.str(
            "reference",
            label="Compare all raters with this one",
            description="Left empty: everyone with everyone",
        )
        similarity_form.ask_similarity(
            inputs,
            params.get("similarity"),
            "Classes that are mistaken are",
            "Those that raters mistook",
        )
        inputs.bool(
            "bayesian",
            default=can_sample(),
            label="Sample how often objects are missed (MCMC)",
            description="Needs emcee; otherwise the likelihood is maximised",
        )
        inputs.int("seed", min=0, default=SEED, label="Seed")

    def find(self, view, layout, run_key, tell=None, stoppable=None, **options):
        return fit(
            view, layout, run_key=run_key, tell=tell, stoppable=stoppable, **options
        )

    def in_words(self, found):
        """Return what was found as sentences."""
        fallen = [
            row["component"]
            for row in found["table"]
            if row["verdict"].startswith(FELL_BACK)
        ]
        said = f"The fit '{found['run_key']}' is stored; simulate raters offers it."
        if fallen:
            said += f" Too little data, so as in the defaults: {', '.join(fallen)}."
        return said + layouts.left_out(found)
