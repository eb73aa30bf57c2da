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

    def ask(self, panel, question):
        """Note a question."""
        with self._lock:
            self._asked.pop(panel, None)
            self._asked[panel] = question
            if len(self._asked) > MOST:
                self._asked.popitem(last=False)

    def last(self, panel):
        """Return the last question; None where none is remembered."""
        return self._asked.get(panel)
