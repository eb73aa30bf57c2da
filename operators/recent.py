"""Runs that were asked for lately, kept in memory from one click to the next."""

from collections import OrderedDict
from threading import Lock


class Recent:
    """What was made of the runs that were asked for lately.

    Parameters
    ----------
    make : called with the data set, the key and, where they are at hand, what is
        stored of the run.
    most : runs that are kept, up to a few hundred megabytes each.

    Attributes
    ----------
    known : those that are kept, the latest last.
    """

    def __init__(self, make, most=2):
        self.known, self.most = OrderedDict(), most
        self._make, self._lock = make, Lock()

    def of_run(self, dataset, key, loaded=None):
        """Return what is made of a run that is there; made anew if it was replaced."""
        which = dataset._doc.id, key, dataset.get_run_info(key).timestamp
        with self._lock:
            if which not in self.known:
                self.known[which] = self._make(dataset, key, loaded)
            self.known.move_to_end(which)
            while len(self.known) > self.most:
                self.known.popitem(last=False)
            return self.known[which]
