"""Names of new data sets, which FiftyOne tells apart by what their addresses become."""

import fiftyone.core.utils as fou
from fiftyone.core.odm import get_db_conn

from ..kalos_core import KalosError


def check_free(name):
    """Raise if no new data set can have that name."""
    try:
        slug = fou.to_slug(name)
    except ValueError as error:
        raise KalosError(
            f"No data set can be called {name!r}: {error}. Choose another name."
        ) from None
    same = {"$or": [{"name": name}, {"slug": slug}]}
    other = get_db_conn().datasets.find_one(same, {"name": 1})
    if other is not None:
        alike = "" if other["name"] == name else f", too much like {name!r}"
        raise KalosError(
            f"A data set '{other['name']}' exists already{alike}. Choose another name."
        )


def is_free(name):
    """Return whether a new data set can have that name."""
    try:
        check_free(name)
    except KalosError:
        return False
    return True
