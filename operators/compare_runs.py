"""Operator: compare two runs on the images that both have."""

from typing import ClassVar

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..kalos_core.diagnostics.comparison import MOST, N_BOOT
from . import comparison_report, runs
from .audit import SEED
from .long_operator import LongOperator
from .parameters import checked, choice, data_set, flag, run_key, whole
from .problems import nothing_to_do, refuse
from .progress import until_stopped
from .run_comparison import check_runs, compare_runs
from .views import images_of

SHOW = {
    "nothing": "None",
    "worse": "Those that got worse, worst first",
    "better": "Those that got better, most first",
}


class CompareRuns(LongOperator):
    about: ClassVar = {
        "name": "compare_runs",
        "label": "KαLOS: compare two runs",
        "description": "What got better and what got worse from one run to another",
        "icon": "difference",
    }
    title: ClassVar = "Compare two runs"
    takes: ClassVar = {
        "dataset": data_set,
        "run_a": run_key,
        "run_b": run_key,
        "seed": whole(0, SEED),
        "n_boot": whole(1, N_BOOT),
        "most": whole(0, MOST),
        "show": choice(SHOW),
        "delegate": flag,
    }

    @checked(takes)
    def __call__(
        self,
        dataset,
        run_a=None,
        run_b=None,
        seed=SEED,
        n_boot=N_BOOT,
        most=MOST,
        delegate=False,
    ):
        """Compare two runs on the same images and return what changed.

        Differences are those of ``run_b`` less ``run_a``, on the images that both
        have, and intervals come from a bootstrap that draws the same images for both.

        Parameters
        ----------
        run_a, run_b : keys of two runs, before and after; by default the last two.
        seed : of the bootstrap.
        n_boot : its rounds.
        most : how many of the images that changed are listed, in either direction.
        delegate : queue it for ``fiftyone delegated launch`` instead.

        Returns
        -------
        dict of plain JSON values: "mean_a", "mean_b" and "difference" with intervals;
        "in_words"; counts of images; ids of those that got "better" and "worse" most
        with their "change"; and "raters", "classes" and "kinds" with that of each.
        """
        run_a, run_b = check_runs(dataset, run_a, run_b)
        options = {
            "run_a": run_a,
            "run_b": run_b,
            "seed": seed,
            "n_boot": n_boot,
            "most": most,
        }
        if not delegate:
            return _compared(dataset, options)
        return self.delegated({"dataset": dataset}, options)

    def describe(self, inputs, ctx):
        try:
            older, newer = check_runs(ctx.dataset)
        except KalosError as error:
            nothing_to_do(inputs, error)
        else:
            _describe(inputs, ctx, older, newer)

    def run(self, ctx, tell, stoppable=None):
        tell = until_stopped("comparison", tell, stoppable)
        names = ("run_a", "run_b", "seed", "n_boot", "most")
        given = {name: ctx.params[name] for name in names if name in ctx.params}
        return _compared(ctx.dataset, given, tell)

    def show(self, ctx, found):
        changed = found.get(ctx.params.get("show"))
        if changed:
            yield ctx.ops.set_view(images_of(ctx.dataset).select(changed, ordered=True))
        yield ctx.ops.show_output(comparison_report.describe(found).to_json(), {})

    def resolve_output(self, ctx):  # of a delegated one
        found = ctx.results or {}
        return comparison_report.describe(found) if "difference" in found else None


def _compared(dataset, options, tell=None):
    found = compare_runs(dataset, **options, tell=tell)
    return {"in_words": comparison_report.in_words(found), **found}


def _describe(inputs, ctx, older, newer):
    keys, params = runs.keys(ctx.dataset), ctx.params
    try:
        check_runs(
            ctx.dataset, params.get("run_a") or older, params.get("run_b") or newer
        )
    except KalosError as error:
        refuse(inputs, error)
    inputs.enum("run_a", keys, default=older, label="Before")
    inputs.enum("run_b", keys, default=newer, label="After")
    show = types.RadioGroup(orientation="vertical")
    for value, label in SHOW.items():
        show.add_choice(value, label=label)
    inputs.enum(
        "show",
        show.values(),
        default="worse",
        label="Images to show in the grid",
        view=show,
    )
