"""Operator: choose what to label again, tag it, and hand it over."""

import math
from dataclasses import asdict
from typing import ClassVar

from ..kalos_core.diagnostics.queue import BY, MINUTES_PER_IMAGE, MINUTES_PER_UNIT
from . import queue_form, relabelling, runs
from .live_run import ON_CHANGED
from .long_operator import LongOperator
from .parameters import (
    checked,
    choice,
    data_set,
    flag,
    number,
    path,
    path_or_flag,
    run_key,
    text,
    whole,
)
from .relabelling import Request


class BuildRelabelQueue(LongOperator):
    about: ClassVar = {
        "name": "build_relabel_queue",
        "label": "KαLOS: build a relabel queue",
        "description": "Choose what to label again so that agreement rises most",
        "icon": "playlist_add_check",
    }
    title: ClassVar = "Build a relabel queue"
    takes: ClassVar = {
        "dataset": data_set,
        "run_key": run_key,
        "by": choice(BY),
        "budget": choice(queue_form.BUDGETS),
        "n": whole(1, queue_form.FEW),
        "minutes": number(
            math.ulp(0.0), math.inf, queue_form.AN_HOUR, "a number above 0"
        ),
        "minutes_per_image": number(0, math.inf, MINUTES_PER_IMAGE),
        "minutes_per_unit": number(0, math.inf, MINUTES_PER_UNIT),
        "tag": text("relabel"),
        "save_as": text("relabel"),
        "csv": path_or_flag,
        "csv_path": path,
        "backend": text("cvat"),
        "anno_key": text("round_2"),
        "label_field": text("ratings"),
        "on_changed": choice(ON_CHANGED),
        "recompute": flag,
        "delegate": flag,
    }

    @checked(takes)
    def __call__(
        self,
        dataset,
        run_key=None,
        by="image",
        n=None,
        minutes=None,
        minutes_per_image=MINUTES_PER_IMAGE,
        minutes_per_unit=MINUTES_PER_UNIT,
        tag=None,
        save_as=None,
        csv=True,
        backend=None,
        anno_key=None,
        label_field=None,
        on_changed="refuse",
        delegate=False,
    ):
        """Choose what to label again and return what was done with it.

        Tags, view and CSV of an earlier queue with the same tag are replaced.

        Parameters
        ----------
        run_key : the run to take; by default the last one.
        by : "image", or "unit" for single objects.
        n : how many of them at most; by default all that are disputed.
        minutes : how long all of it may take, instead of ``n``.
        minutes_per_image, minutes_per_unit : for opening an image, and for an object.
        tag : given to the samples, or to the objects' labels; by default
            ``<run_key>_relabel``.
        save_as : name of the saved view; by default that of the tag.
        csv : path of the CSV file; True for one in kalos-queues, in FiftyOne's
            ``default_dataset_dir``, False for none.
        backend : annotation backend to hand the samples to, "cvat" say.
        anno_key, label_field : for the backend, as in ``annotate()``.
        on_changed : "refuse", or "recompute" the run if labels changed since.
        delegate : queue it for ``fiftyone delegated launch``.
        """
        request = Request(
            run_key or runs.last(dataset),
            by,
            n,
            minutes,
            minutes_per_image,
            minutes_per_unit,
            tag,
            save_as,
            csv,
            backend,
            anno_key,
            label_field,
            on_changed,
        )
        if not delegate:
            return relabelling.build(dataset, request)
        relabelling.check(dataset, request)
        return self.delegated({"dataset": dataset}, {"request": asdict(request)})

    def describe(self, inputs, ctx):
        queue_form.describe(inputs, ctx)

    def show(self, ctx, made):
        if made["annotation"]:
            yield ctx.ops.notify(made["annotation"], variant="info")
        yield ctx.ops.set_progress(progress=1, label=in_words(made))
        yield ctx.ops.reload_dataset()
        if made["view"]:
            view = ctx.dataset.load_saved_view(made["view"])
            yield ctx.ops.set_view(view)

    def run(self, ctx, tell, stoppable=None):
        request = queue_form.request_of(ctx)
        return relabelling.build(ctx.dataset, request, tell, stoppable)


def in_words(made):
    """Return what was done as a sentence or two."""
    if not made["n"]:
        return "Nothing is disputed, or nothing fits the budget."
    where = f" The list is in {made['csv']}." if made["csv"] else ""
    return (
        f"{made['n']} of {made['n_candidates']} disputed, about "
        f"{made['minutes']:.0f} minutes: mean α from {made['mean_alpha']:.3f} to "
        f"{made['expected_mean_alpha']:.3f} at best. Tagged '{made['tag']}'.{where}"
    )
