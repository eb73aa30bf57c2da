"""What operators have in common whose result is a run that writes nothing else."""

from typing import ClassVar

from ..kalos_core import KalosError
from . import agreement_form, layouts, runs
from .long_operator import LongOperator
from .problems import refuse


class PlainRunOperator(LongOperator):
    """An operator that reads the labels of raters and stores what it finds.

    A subclass names the runs that it makes (``stored``), says what it does above its
    form (``does``), what it found (``in_words``), and does it (``find``).
    """

    stored: ClassVar = None
    does: ClassVar = ""

    def find(self, view, layout, run_key, tell=None, stoppable=None, **options):
        """Do the work and return its result."""
        raise NotImplementedError

    def in_words(self, found):
        """Return what was found as sentences."""
        raise NotImplementedError

    def ask(self, inputs, params):
        """Add further inputs to the form, which holds ``params`` so far."""

    def find_or_delegate(self, view, layout, delegate, **options):
        """Do it now, or queue it for ``fiftyone delegated launch``."""
        if not delegate:
            return self.find(view, layout, **options)
        key, overwrite = options["run_key"], options["overwrite"]
        self.stored.check_key(view._root_dataset, key, overwrite)
        layouts.check_layout(view, layout)
        return self.delegated(
            {"view": view.view()}, {**layouts.to_params(layout), **options}
        )

    def describe(self, inputs, ctx):
        view = ctx.target_view()
        layout = layouts.from_params(ctx.params, view)
        key, what = self._run_key_of(ctx), self.stored.what
        try:
            layouts.check_layout(view, layout, first=agreement_form.FIRST)
            overwrite = bool(ctx.params.get("overwrite"))
            self.stored.check_key(ctx.dataset, key, overwrite)
        except KalosError as error:
            refuse(inputs, error)
        if not layouts.label_fields(view):
            return  # there is nothing to choose from
        inputs.view_target(ctx)
        inputs.md(self.does)
        agreement_form.describe_layout(inputs, view, layout)
        self.ask(inputs, ctx.params)
        inputs.str("run_key", default=key, label=f"Name of this {what}")
        if key in self.stored.keys(ctx.dataset):
            agreement_form.ask_to_replace(inputs, f"{what} '{key}'")

    def run(self, ctx, tell, stoppable=None):
        view = ctx.target_view()
        layout = layouts.from_params(ctx.params, view)
        known = set(self.takes) - set(layouts.TAKES) - {"view", "delegate", "run_key"}
        options = {n: ctx.params[n] for n in known if ctx.params.get(n) is not None}
        return self.find(
            view, layout, self._run_key_of(ctx), tell, stoppable, **options
        )

    def show(self, ctx, found):
        yield ctx.ops.set_progress(progress=1, label=self.in_words(found))
        yield ctx.ops.reload_dataset()

    def _run_key_of(self, ctx):
        """Return the key to use: the one typed, else one that is free."""
        first = self.stored.example
        return ctx.params.get("run_key") or runs.free_key(ctx.dataset, first)
