"""What all operators have in common: parameters that are checked before any work."""

from typing import ClassVar

import fiftyone.operators as foo
import fiftyone.operators.types as types

from .parameters import sorted_out
from .problems import refuse


class CheckedOperator(foo.Operator):
    """An operator with rules for its parameters.

    A subclass says what it is (``about``, and ``title`` over its form), has a rule for
    each parameter (``takes``; ``__call__`` is decorated with them too), and describes
    its form (``describe``).
    """

    about: ClassVar = {}
    title: ClassVar = ""
    takes: ClassVar = {}

    @property
    def config(self):
        return foo.OperatorConfig(**self.about, dynamic=True)

    def describe(self, inputs, ctx):
        """Add the inputs of the form; parameters that break a rule are not there."""
        raise NotImplementedError

    def resolve_input(self, ctx):
        inputs, given = types.Object(), ctx.params
        # Not a copy of the context: FiftyOne notes in it what the form looks at.
        ctx.params, problem = sorted_out(given, self.takes)
        try:
            if problem is not None:
                refuse(inputs, problem)
            self.describe(inputs, ctx)
        finally:
            ctx.params = given
        return types.Property(inputs, view=types.View(label=self.title))

    def keep_rules(self, ctx):
        """Raise for the first parameter that breaks its rule; make the others plain."""
        ctx.params, problem = sorted_out(ctx.params, self.takes)
        if problem is not None:
            raise problem
