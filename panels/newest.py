"""What panels were asked for last, so that answers that come too late are not drawn."""

from collections import OrderedDict
from threading import Lock

MOST = 1000
"""Panels that are remembered, of a few hundred bytes each."""


class Newest:
    """The last question of each panel that is open somewhere.

    The App asks again before it has an answer, and panels answer in threads.
    """

    def __init__(self):
        self._asked, self._lock = OrderedDict(), Lock()

    def ask(self, panel, question, shown):
        """Note a question and return whether it is a new one.

        Parameters
        ----------
        shown : the question whose answer is shown, where none is remembered.
        """
        with self._lock:
            is_new = self._asked.pop(panel, shown) != question
            self._asked[panel] = question
            if len(self._asked) > MOST:
                self._asked.popitem(last=False)
            return is_new

    def is_still(self, panel, question):
        """Return whether nothing else was asked since."""
        return self._asked.get(panel) == question
