"""Operator: stop whatever is at work."""

import fiftyone as fo
import fiftyone.operators as foo
import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import journal


class StopRun(foo.Operator):
    @property
    def config(self):
        return foo.OperatorConfig(
            name="stop_run",
            label="KαLOS: stop what is at work",
            description="Stop an audit, an import or the like; nothing of it is left",
            icon="stop_circle",
            dynamic=True,
        )

    def __call__(self, dataset, run_key):
        """Ask for work to stop at its next step; nothing of it is then left.

        Parameters
        ----------
        dataset : or its name, or that of one that an import is making.
        run_key : of the audit or calibration. Other work is named with its kind:
            "relabel queue kalos", "consensus kalos_consensus", "export kalos",
            "import labels.json".
        """
        dataset = _place(dataset)
        found = journal.at_work(dataset)
        asked = [record for record in found if record["key"] == run_key]
        if not asked:
            busy = ", ".join(f"'{record['key']}'" for record in found) or "nothing"
            name = dataset if isinstance(dataset, str) else dataset.name
            raise KalosError(f"No '{run_key}' is at work in '{name}'. At work: {busy}.")
        for record in asked:
            journal.ask_to_stop(record)

    def resolve_input(self, ctx):
        inputs = types.Object()
        choices = types.DropdownView()
        for place, record in _at_work(ctx):
            words = f"{journal.in_words(record)}{place}: {record.get('done', 0):.0%}"
            choices.add_choice(record["_id"], label=f"{words} done")
        if choices.values():
            inputs.enum(
                "work",
                choices.values(),
                default=choices.values()[-1],
                required=True,
                label="At work",
                view=choices,
            )
        else:
            nothing = types.Notice(label="Nothing is at work in this data set.")
            inputs.view("nothing", nothing).invalid = True
        return types.Property(inputs, view=types.View(label="Stop what is at work"))

    def execute(self, ctx):
        for place, record in _at_work(ctx):
            if record["_id"] == ctx.params["work"]:
                journal.ask_to_stop(record)
                what = f"{journal.in_words(record)}{place}"
                ctx.ops.notify(f"The {what} will stop at its next step.")
                return
        ctx.ops.notify("That is not at work any more.", variant="error")


def _place(dataset):
    """Return the data set, or the name of one that is not there yet."""
    if not isinstance(dataset, str):
        return dataset._root_dataset
    return fo.load_dataset(dataset) if fo.dataset_exists(dataset) else dataset


def _at_work(ctx):
    """Return where work is done, in words, and its record; new data sets first."""
    made = [(f" into '{r['making']}'", r) for r in journal.at_work(None)]
    if ctx.dataset is None:
        return made
    return [*made, *(("", r) for r in journal.at_work(ctx.dataset._root_dataset))]
