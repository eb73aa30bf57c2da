"""What operators have in common that take their time."""

import fiftyone.operators as foo

from .checked_operator import CheckedOperator
from .progress import with_notice


class LongOperator(CheckedOperator):
    """An operator that shows in the App how far it is, and that can be delegated.

    A subclass also does its work (``run``) and, in the App, shows what came of it
    (``show``, a generator, as is ``prepare``).
    """

    @property
    def config(self):
        return foo.OperatorConfig(
            **self.about,
            dynamic=True,
            execute_as_generator=True,
            allow_immediate_execution=True,
            allow_delegated_execution=True,
        )

    def run(self, ctx, tell, stoppable=None):
        """Do the work and return its result.

        Parameters
        ----------
        tell : called with the part that is done, from 0 to 1, and what is being done.
        stoppable : called with what has a method ``stop``.
        """
        raise NotImplementedError

    def prepare(self, ctx):
        """Yield what the App is to do before the work begins."""
        yield from ()

    def show(self, ctx, result):
        """Yield what the App is to do with the result."""
        raise NotImplementedError

    def execute(self, ctx):
        # Delegated, its result is stored; in the App it shows how far it is.
        return self._run(ctx, ctx.set_progress) if ctx.delegated else self._in_app(ctx)

    def _run(self, ctx, tell, stoppable=None):
        self.keep_rules(ctx)
        return self.run(ctx, tell, stoppable)

    def _in_app(self, ctx):
        yield from self.prepare(ctx)
        result = yield from with_notice(
            ctx, lambda tell, stoppable: self._run(ctx, tell, stoppable)
        )
        if result is not None:
            yield from self.show(ctx, result)

    def delegated(self, target, params):
        """Queue this operator for ``fiftyone delegated launch``."""
        return foo.execute_operator(
            self.uri, target, params=params, request_delegation=True
        )
