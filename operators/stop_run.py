"""Operator: stop an audit that is at work."""

import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import journal


class StopRun(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="stop_run",
            label="KαLOS: stop an audit",
            description="Stop an audit that is at work; nothing of it is written",
            icon="stop_circle",
            dynamic=True,
        )

    def __call__(self, dataset, run_key):
        """Ask an audit to stop at its next step; nothing of it is then written."""
        dataset = dataset._root_dataset
        found = {record["key"]: record for record in journal.at_work(dataset)}
        if run_key not in found:
            busy = ", ".join(found) or "none"
            raise KalosError(
                f"No audit '{run_key}' of '{dataset.name}' is at work. At work: {busy}."
            )
        journal.ask_to_stop(found[run_key])

    def resolve_input(self, ctx):
        inputs = types.Object()
        found = journal.at_work(ctx.dataset)
        if not found:
            nothing = types.Notice(label="No audit of this data set is at work.")
            inputs.view("nothing", nothing).invalid = True
        else:
            choices = types.DropdownView()
            for record in found:
                words = f"{record['key']}: {record.get('done', 0):.0%} done"
                choices.add_choice(record["key"], label=words)
            inputs.enum(
                "run_key",
                choices.values(),
                default=found[-1]["key"],
                required=True,
                label="Audit",
                view=choices,
            )
        return types.Property(inputs, view=types.View(label="Stop an audit"))

    def execute(self, ctx):
        key = ctx.params["run_key"]
        try:
            self(ctx.dataset, key)
        except KalosError as error:
            ctx.ops.notify(str(error), variant="error")
            return
        ctx.ops.notify(f"The audit '{key}' will stop at its next step.")
