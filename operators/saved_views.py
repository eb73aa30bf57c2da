"""Saved views: their names, which FiftyOne tells apart by what their addresses become,
and the fields that they speak of.
"""

import re

import fiftyone.core.utils as fou
from fiftyone.core.odm import get_db_conn

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


def drop_orphans(dataset, name):
    """Remove views of that name that the data set does not know of.

    FiftyOne stores a view first; killed then, it is in no list.
    """
    known = [view.id for view in dataset._doc.saved_views]
    get_db_conn()["views"].delete_many(
        {"_dataset_id": dataset._doc.id, "name": name, "_id": {"$nin": known}}
    )


def rename_fields(dataset, views, names):
    """Let saved views speak of fields by their new names.

    Parameters
    ----------
    names : the new name of each old one.
    """
    old = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    for view in dataset._doc.saved_views:
        if view.name in views:
            stages = [old.sub(lambda m: names[m[1]], text) for text in view.view_stages]
            view.view_stages = stages
            view.save()
