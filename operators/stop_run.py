"""Operator: stop whatever is at work."""

from typing import ClassVar

import fiftyone as fo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import journal
from .checked_operator import CheckedOperator
from .parameters import checked, data_set, nearest, text
from .problems import nothing_to_do


def place(name, value):
    """Return a data set, or the name of one that is not there yet."""
    if not isinstance(value, str):
        return data_set(name, value)
    return fo.load_dataset(value) if fo.dataset_exists(value) else value


class StopRun(CheckedOperator):
    about: ClassVar = {
        "name": "stop_run",
        "label": "KαLOS: stop what is at work",
        "description": "Stop an audit, an import or the like; nothing of it is left",
        "icon": "stop_circle",
    }
    title: ClassVar = "Stop what is at work"
    takes: ClassVar = {"dataset": place, "run_key": text("kalos")}

    @checked(takes)
    def __call__(self, dataset, run_key):
        """Ask for work to stop at its next step; nothing of it is then left.

        Parameters
        ----------
        dataset : or its name, or that of one that an import is making.
        run_key : of the audit or calibration. Other work is named with its kind:
            "relabel queue kalos", "consensus kalos_consensus", "export kalos",
            "import labels.json".
        """
        found = journal.at_work(dataset)
        asked = [record for record in found if record["key"] == run_key]
        if not asked:
            keys = [record["key"] for record in found]
            busy = ", ".join(f"'{key}'" for key in keys) or "nothing"
            name = dataset if isinstance(dataset, str) else dataset.name
            raise KalosError(
                f"No '{run_key}' is at work in '{name}'. At work: {busy}."
                f"{nearest(run_key, keys)}"
            )
        for record in asked:
            journal.ask_to_stop(record)

    def describe(self, inputs, ctx):
        choices = types.DropdownView()
        for where, record in _at_work(ctx):
            words = f"{journal.in_words(record)}{where}: {record.get('done', 0):.0%}"
            choices.add_choice(record["_id"], label=f"{words} done")
        if not choices.values():
            nothing_to_do(inputs, "Nothing is at work in this data set.")
            return
        inputs.enum(
            "work",
            choices.values(),
            default=choices.values()[-1],
            label="At work",
            view=choices,
        )

    def execute(self, ctx):
        for where, record in _at_work(ctx):
            if record["_id"] == ctx.params.get("work"):
                journal.ask_to_stop(record)
                what = f"{journal.in_words(record)}{where}"
                ctx.ops.notify(f"The {what} will stop at its next step.")
                return
        ctx.ops.notify("That is not at work any more.", variant="error")


def _at_work(ctx):
    """Return where work is done, in words, and its record; new data sets first."""
    made = [(f" into '{r['making']}'", r) for r in journal.at_work(None)]
    if ctx.dataset is None:
        return made
    return [*made, *(("", r) for r in journal.at_work(ctx.dataset._root_dataset))]
