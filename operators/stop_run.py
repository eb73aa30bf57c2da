"""Operator: stop an audit that is at work."""

from typing import ClassVar

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import journal
from .checked_operator import CheckedOperator
from .parameters import checked, data_set, nearest, run_key
from .problems import nothing_to_do


class StopRun(CheckedOperator):
    about: ClassVar = {
        "name": "stop_run",
        "label": "KαLOS: stop an audit",
        "description": "Stop an audit that is at work; nothing of it is written",
        "icon": "stop_circle",
    }
    title: ClassVar = "Stop an audit"
    takes: ClassVar = {"dataset": data_set, "run_key": run_key}

    @checked(takes)
    def __call__(self, dataset, run_key):
        """Ask an audit to stop at its next step; nothing of it is then written."""
        found = {record["key"]: record for record in journal.at_work(dataset)}
        if run_key not in found:
            busy = ", ".join(found) or "none"
            raise KalosError(
                f"No audit '{run_key}' of '{dataset.name}' is at work. At work: {busy}."
                f"{nearest(run_key, found)}"
            )
        journal.ask_to_stop(found[run_key])

    def describe(self, inputs, ctx):
        found = journal.at_work(ctx.dataset)
        if not found:
            nothing_to_do(inputs, "No audit of this data set is at work.")
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

    def execute(self, ctx):
        key = ctx.params.get("run_key")
        try:
            self(ctx.dataset, key)
        except KalosError as error:
            ctx.ops.notify(str(error), variant="error")
            return
        ctx.ops.notify(f"The audit '{key}' will stop at its next step.")
