"""The view that the App shows, which may be of fields that are about to go."""

import time

from fiftyone.server.events import get_state

PATIENCE = 10
"""Seconds after which nobody seems to look at the view any more."""


def leave(ctx, key):
    """Yield what makes the App leave a view of a run's fields, and wait until it has.

    The view may match, sort by or cut out such a field, and the App would ask for it
    again while the field goes, which ends in an error.
    """
    view, filters = (
        f"{key}_" in str(ctx.request_params.get(what)) for what in ("view", "filters")
    )
    if filters:
        yield ctx.ops.clear_sidebar_filters()
    if view:
        yield ctx.ops.clear_view()
        end = time.monotonic() + PATIENCE
        while f"{key}_" in _shown_of(ctx.dataset) and time.monotonic() < end:
            time.sleep(0.05)


def _shown_of(dataset):
    """Return the stages that the server of the App knows of as text, if any."""
    state = get_state()
    is_there = state.view is not None and state.dataset.name == dataset.name
    return str(state.view._serialize()) if is_there else ""
