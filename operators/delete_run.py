"""Operator: delete a KαLOS run with everything that it wrote."""

from typing import ClassVar

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import app_view, calibrations, consensus_field, journal, noise_fits, runs
from .long_operator import LongOperator
from .parameters import checked, data_set, flag, nearest, run_key
from .problems import nothing_to_do, refuse

PLAIN = (calibrations.STORED, noise_fits.STORED)
"""Runs that have written nothing but themselves."""


def delete(dataset, run_key, consensus=False, tell=None):
    """Delete a run, calibration or noise fit and return what went with it.

    Killed half-way it can be deleted again: fields know the run that they are of.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.
    """
    tell = tell or (lambda done, label: None)
    tell(0, "Looking for what the run wrote")
    runs.tidy(dataset)
    check(dataset, run_key)
    deleted = {"run_key": run_key, "consensus": []}
    stored = next((s for s in PLAIN if run_key in s.keys(dataset)), None)
    if stored is not None:
        stored.remove(dataset, run_key)
    else:
        if consensus:
            deleted["consensus"] = consensus_field.made_from(dataset, run_key)
        tell(0.1, "Removing what the run wrote")
        runs.remove(dataset, run_key)
    if deleted["consensus"]:
        tell(0.9, "Removing its consensus")
        dataset.delete_sample_fields(deleted["consensus"])
    tell(1, "Done")
    return deleted


def check(dataset, run_key):
    """Raise if there is no such run, or if it is at work."""
    for record in journal.at_work(dataset):
        if record["key"] == run_key:
            what = journal.in_words(record)
            raise KalosError(
                f"{journal.article(what)} {what} of '{dataset.name}' is at work. Stop "
                "it first (stop_run), or wait."
            )
    known = _keys(dataset)
    if run_key not in known and not runs.exists(dataset, run_key):
        raise KalosError(
            f"'{dataset.name}' has no KαLOS run '{run_key}'. Runs are: "
            f"{', '.join(known) or 'none'}.{nearest(run_key, known)}"
        )


class DeleteRun(LongOperator):
    about: ClassVar = {
        "name": "delete_run",
        "label": "KαLOS: delete a run",
        "description": "Delete a run with the fields that it wrote",
        "icon": "delete",
    }
    title: ClassVar = "Delete a run"
    takes: ClassVar = {
        "dataset": data_set,
        "run_key": run_key,
        "consensus": flag,
        "delegate": flag,
    }

    @checked(takes)
    def __call__(self, dataset, run_key, consensus=False, delegate=False):
        """Delete a run, finished or not, with its fields and relabel queues.

        Parameters
        ----------
        consensus : also the fields that ``create_consensus`` made from it, which are
            otherwise left.
        delegate : queue it for ``fiftyone delegated launch`` instead.

        Returns
        -------
        dict with the "run_key" and the "consensus" fields that were deleted.
        """
        if not delegate:
            return delete(dataset, run_key, consensus)
        check(dataset, run_key)
        return self.delegated(
            {"dataset": dataset}, {"run_key": run_key, "consensus": consensus}
        )

    def describe(self, inputs, ctx):
        keys = _keys(ctx.dataset)
        if not keys:
            nothing_to_do(inputs, "This data set has no KαLOS run.")
            return
        key = ctx.params.get("run_key") or keys[-1]
        try:
            check(ctx.dataset, key)
        except KalosError as error:
            refuse(inputs, error)
        inputs.enum("run_key", keys, default=keys[-1], label="Run")
        inputs.view("consequence", types.Notice(label=_consequence(ctx.dataset, key)))
        made = consensus_field.made_from(ctx.dataset, key)
        if made:
            inputs.bool(
                "consensus",
                default=False,
                label=f"Also delete its consensus: {', '.join(made)}",
            )

    def run(self, ctx, tell, stoppable=None):
        key = ctx.params.get("run_key")
        if key is None:
            raise KalosError("Name the run to delete: run_key='kalos', say.")
        return delete(ctx.dataset, key, ctx.params.get("consensus", False), tell)

    def prepare(self, ctx):
        yield from app_view.leave(ctx, ctx.params.get("run_key"))

    def show(self, ctx, deleted):
        told = f"The run '{deleted['run_key']}' is deleted."
        yield ctx.ops.set_progress(progress=1, label=told)
        yield ctx.ops.reload_dataset()


def _consequence(dataset, key):
    for stored in PLAIN:
        if key in stored.keys(dataset):
            return f"Deletes the {stored.what}. What was made by it stays as it is."
    return (
        "Deletes the run, its fields and colours, the views saved of it, and the tags "
        "of its relabel queues. Your labels stay as they are."
    )


def _keys(dataset):
    plain = [key for stored in PLAIN for key in stored.keys(dataset)]
    return [*plain, *runs.keys(dataset)]
