"""Documents that wait beside the data set, and the one command that merges them.

The command runs in the database server, so that a killed client cannot interrupt it.
"""

from . import journal

BATCH = 500
"""Documents staged at a time: enough to be quick, few enough to show progress."""


def stage(work, documents, n_documents, start=0.8):
    """Stage documents whose ``_id`` is that of their sample, and tell progress.

    Parameters
    ----------
    start : the part of the work that is done before, from 0 to 0.9.
    """
    done = 0
    for some in batches(documents):
        work.staged.insert_many(some, ordered=False)
        done += len(some)
        part = (0.9 - start) * done / max(n_documents, 1)
        work.tell(start + part, "Storing the results")


def merge(dataset, record, values):
    """Set fields of samples from what a record staged.

    Parameters
    ----------
    values : an expression for each field, in which ``$$new`` is what was staged.
    """
    into = {
        "into": dataset._sample_collection_name,
        "on": "_id",
        "whenMatched": [{"$set": {**values, "last_modified_at": "$$NOW"}}],
        "whenNotMatched": "discard",  # a sample that was deleted meanwhile
    }
    journal.staged(record).aggregate([{"$merge": into}])


def batches(items):
    """Yield lists of at most ``BATCH`` items."""
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
