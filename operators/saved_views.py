"""Names of saved views: FiftyOne tells them apart by what their addresses become."""

import fiftyone.core.utils as fou

from ..kalos_core import KalosError


def check_free(dataset, name, mine=()):
    """Raise if no view can be saved under that name, except over one of ``mine``."""
    try:
        slug = fou.to_slug(name)
    except ValueError as error:
        raise KalosError(
            f"No view can be saved as {name!r}: {error}. Choose another name."
        ) from None
    for other in dataset.list_saved_views():
        if other not in mine and fou.to_slug(other) == slug:
            raise KalosError(f"A saved view '{other}' exists. Choose another name.")
