"""Operator: compare two runs on the images that both have."""

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from ..kalos_core.diagnostics.comparison import MOST, N_BOOT
from . import comparison_report, runs
from .audit import SEED
from .run_comparison import check_runs, compare_runs

SHOW = {
    "nothing": "None",
    "worse": "Those that got worse, worst first",
    "better": "Those that got better, most first",
}


class CompareRuns(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="compare_runs",
            label="KαLOS: compare two runs",
            description="What got better and what got worse from one run to another",
            icon="difference",
            dynamic=True,
            allow_immediate_execution=True,
            allow_delegated_execution=True,
        )

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
        dataset = dataset._root_dataset  # of a view too
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
        return foo.execute_operator(
            self.uri, {"dataset": dataset}, params=options, request_delegation=True
        )

    def resolve_input(self, ctx):
        inputs = types.Object()
        try:
            older, newer = check_runs(ctx.dataset)
        except KalosError as error:
            inputs.view("nothing", types.Notice(label=str(error))).invalid = True
        else:
            _describe(inputs, ctx, older, newer)
        return types.Property(inputs, view=types.View(label="Compare two runs"))

    def execute(self, ctx):
        params, dataset = ctx.params, ctx.dataset._root_dataset
        names = ("run_a", "run_b", "seed", "n_boot", "most")
        given = {n: params[n] for n in names if params.get(n) is not None}
        if ctx.delegated:
            return _compared(dataset, given, ctx.set_progress)
        try:
            found = _compared(dataset, given)
        except KalosError as error:
            # The App hides the message of an exception behind a traceback.
            ctx.ops.notify(str(error), variant="error")
            return {"error": str(error)}
        changed = found.get(params.get("show"))
        if changed:
            ctx.ops.set_view(dataset.select(changed, ordered=True))
        return found

    def resolve_output(self, ctx):
        found = ctx.results or {}
        if "error" in found:
            return comparison_report.describe_error(found["error"])
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
        inputs.view("problem", types.Warning(label=str(error))).invalid = True
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
