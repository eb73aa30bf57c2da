"""Operator: delete a KαLOS run with everything that it wrote."""

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import calibrations, consensus_field, journal, runs


class DeleteRun(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="delete_run",
            label="KαLOS: delete a run",
            description="Delete a run with the fields that it wrote",
            icon="delete",
            dynamic=True,
        )

    def __call__(self, dataset, run_key, consensus=False):
        """Delete a run, finished or not, with its fields and relabel queues.

        Parameters
        ----------
        consensus : also the fields that ``create_consensus`` made from it, which are
            otherwise left.
        """
        dataset = dataset._root_dataset  # of a view too
        runs.tidy(dataset)
        for record in journal.at_work(dataset):
            if record["key"] == run_key:
                what = journal.in_words(record)
                raise KalosError(
                    f"{journal.article(what)} {what} of '{dataset.name}' is at work. "
                    "Stop it first (stop_run), or wait."
                )
        if run_key in calibrations.keys(dataset):
            calibrations.remove(dataset, run_key)
            return
        if not runs.exists(dataset, run_key):
            known = ", ".join(_keys(dataset)) or "none"
            raise KalosError(
                f"'{dataset.name}' has no KαLOS run '{run_key}'. Runs are: {known}."
            )
        made = consensus_field.made_from(dataset, run_key) if consensus else []
        runs.remove(dataset, run_key)
        if made:
            dataset.delete_sample_fields(made)

    def resolve_input(self, ctx):
        inputs = types.Object()
        keys = _keys(ctx.dataset)
        if not keys:
            nothing = types.Notice(label="This data set has no KαLOS run.")
            inputs.view("nothing", nothing).invalid = True
            return types.Property(inputs, view=types.View(label="Delete a run"))
        inputs.enum("run_key", keys, default=keys[-1], required=True, label="Run")
        inputs.view(
            "consequence",
            types.Notice(
                label="Deletes the run, its fields and colours, the views saved of it, "
                "and the tags of its relabel queues. Your labels stay as they are."
            ),
        )
        key = ctx.params.get("run_key") or keys[-1]
        made = consensus_field.made_from(ctx.dataset, key)
        if made:
            inputs.bool(
                "consensus",
                default=False,
                label=f"Also delete its consensus: {', '.join(made)}",
            )
        return types.Property(inputs, view=types.View(label="Delete a run"))

    def execute(self, ctx):
        key = ctx.params["run_key"]
        try:
            self(ctx.dataset, key, bool(ctx.params.get("consensus")))
        except KalosError as error:
            ctx.ops.notify(str(error), variant="error")
            return
        if f"{key}_" in str(ctx.view._serialize()):
            ctx.ops.clear_view()  # it may match or sort by a field that is gone
        ctx.ops.reload_dataset()


def _keys(dataset):
    return [*calibrations.keys(dataset), *runs.keys(dataset)]
