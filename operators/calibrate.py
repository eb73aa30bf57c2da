"""Operator: choose the distance and its threshold from the data."""

from typing import ClassVar

from ..kalos_core import DISTANCES
from . import (
    calibrations,
    journal,
    layouts,
    measure_form,
    measures,
    runs,
)
from .audit import SEED
from .fields import read_and_count
from .parameters import checked, choice, flag, names, samples, whole
from .plain_run_operator import PlainRunOperator
from .progress import at_work
from .versions import versions

KEY = "calibration"
RETURNED = (
    "d_loc",
    "tau_star",
    "status",
    "bootstrap",
    "ranking",
    "strata",
    "advice",
    "n_dropped",
)
"""Which results a call from Python gets."""


def calibrate(
    view,
    layout,
    d_locs=None,
    shapes=None,
    run_key=KEY,
    overwrite=False,
    n_draws=1,
    seed=SEED,
    tell=None,
    stoppable=None,
):
    """Calibrate a view, store it as a run, and return what was found."""
    dataset = view._root_dataset
    layouts.check_layout(view, layout)
    runs.tidy(dataset)
    calibrations.STORED.check_key(dataset, run_key, overwrite)
    shapes = measures.choose_shapes(view, layout, shapes, d_locs[0] if d_locs else None)
    fit = d_locs or measures.distances(shapes)
    fit = [measures.choose_distance(shapes, name) for name in fit]
    with at_work(dataset, run_key, journal.CALIBRATION, tell, stoppable) as steps:
        steps.tell(0, "Reading the labels")
        annotations, n_dropped = read_and_count(view, layout, shapes)
        results = calibrations.found(annotations, fit, seed, n_draws, steps.tell)
        results["n_dropped"] = n_dropped
        config = {
            "layout": layouts.to_params(layout),
            "shapes": shapes,
            "seed": seed,
            "n_draws": n_draws,
            "versions": versions(),
        }
        steps.tell(0.95, "Storing the calibration")
        calibrations.STORED.save(dataset, run_key, config, results)
        steps.note(1, "Done")
    return {"run_key": run_key, **{name: results[name] for name in RETURNED}}


class Calibrate(PlainRunOperator):
    about: ClassVar = {
        "name": "calibrate",
        "label": "KαLOS: calibrate",
        "description": "Choose the distance and its threshold from the data",
        "icon": "tune",
    }
    title: ClassVar = "Calibrate"
    stored: ClassVar = calibrations.STORED
    does: ClassVar = (
        "Compares how far raters of one image are apart with how near chance comes, "
        "ranks the distances that fit, and finds the threshold τ* between."
    )
    takes: ClassVar = {
        **layouts.TAKES,
        "view": samples,
        "d_locs": names(("box_iou", "box_giou"), each=choice(DISTANCES, "distance")),
        "shapes": measures.TAKES["shapes"],
        "overwrite": flag,
        "n_draws": whole(1, 10),
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
        d_locs=None,
        shapes=None,
        run_key=KEY,
        overwrite=False,
        n_draws=1,
        seed=SEED,
        delegate=False,
        on_unassigned="error",
    ):
        """Calibrate a data set or view and return the distance, tau* and advice.

        Parameters
        ----------
        label_field, rater_attribute, assigned, raters, shapes, on_unassigned : as for
            ``compute_agreement``, which takes the last calibration of the same labels
            where it is given neither distance nor threshold.
        d_locs : the distances to rank; by default all that fit the labels.
        overwrite : replace a calibration that has this key already.
        n_draws : how often chance is drawn; more make D_e less noisy.
        delegate : queue it for ``fiftyone delegated launch`` instead.
        """
        layout = layouts.from_arguments(
            label_field, rater_attribute, assigned, raters, on_unassigned
        )
        options = {
            "d_locs": d_locs,
            "shapes": shapes,
            "run_key": run_key,
            "overwrite": overwrite,
            "n_draws": n_draws,
            "seed": seed,
        }
        return self.find_or_delegate(view, layout, delegate, **options)

    def find(self, view, layout, run_key, tell=None, stoppable=None, **options):
        return calibrate(
            view, layout, run_key=run_key, tell=tell, stoppable=stoppable, **options
        )

    def in_words(self, found):
        """Return what was found, and what comes of it, as sentences."""
        best = measure_form.DISTANCE_LABELS[found["d_loc"]]
        said = [
            f"Best of the distances: {best[:1].lower()}{best[1:]}.",
            *found["advice"],
        ]
        if found["tau_star"] is not None:
            said.append("Compute agreement now offers this distance and threshold.")
        return " ".join(said) + layouts.left_out(found)
