"""The part of a form that chooses a run."""

from . import runs
from .problems import nothing_to_do, refuse


def choose_run(inputs, ctx):
    """Add the choice of a run and return its key, or None if there is no run."""
    keys = runs.keys(ctx.dataset)
    if not keys:
        nothing_to_do(
            inputs, "This data set has no KαLOS run yet. Compute agreement first."
        )
        return None
    asked = ctx.params.get("run_key") or keys[-1]
    if asked not in keys:
        refuse(inputs, runs.no_such_run(ctx.dataset, asked))
        asked = keys[-1]
    inputs.enum("run_key", keys, default=keys[-1], label="Run")
    return asked


def on_changed(params):
    """Return what to do where labels changed: as Python says, or the form's box."""
    recompute = "recompute" if params.get("recompute") else "refuse"
    return params.get("on_changed", recompute)
