"""What dead processes left in the database of data sets that are not there."""

import re

from fiftyone.core.odm import get_db_conn

from . import journal
from .processes import is_alive


def homeless():
    """Return the records of dead work whose data set is gone or was being made."""
    dead = [record for record in journal.records().find() if not is_alive(record)]
    ids = [record["dataset"] for record in dead]
    there = get_db_conn().datasets.distinct("_id", {"_id": {"$in": ids}})
    return [record for record in dead if record["dataset"] not in there]


def drop_orphans():
    """Remove what is staged and has no record."""
    named = {"name": {"$regex": f"^{re.escape(journal.STAGED)}\\."}}
    found = get_db_conn().list_collection_names(filter=named)
    # Read after the collections: a record is older than what it stages.
    known = set(journal.records().distinct("token")) if found else ()
    for name in found:
        if name.removeprefix(f"{journal.STAGED}.").partition(".")[0] not in known:
            get_db_conn()[name].drop()
