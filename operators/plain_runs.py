"""Runs that store results and write no fields: calibrations, and fits of noise."""

from dataclasses import dataclass

from ..kalos_core import KalosError
from ..kalos_core.version import VERSION
from . import journal, pending, runs


@dataclass(frozen=True)
class PlainRuns:
    """The runs of one method.

    ``what`` is the word for one of them, ``example`` a key that one may have.
    """

    method: str
    what: str
    example: str

    def keys(self, dataset):
        """Return the keys of all of them, oldest first."""
        infos = [dataset.get_run_info(key) for key in dataset.list_runs()]
        mine = [info for info in infos if self._is_mine(info)]
        return [info.key for info in sorted(mine, key=lambda info: info.timestamp)]

    def check_key(self, dataset, key, overwrite):
        """Raise a `KalosError` if nothing could be stored under ``key``."""
        runs.check_name(key, self.example)
        if key not in dataset.list_runs():
            return
        if not self._is_mine(dataset.get_run_info(key)):
            raise KalosError(f"Run '{key}' is not a {self.what}. Choose another key.")
        if not overwrite:
            raise KalosError(
                f"{self.what.capitalize()} '{key}' exists. Choose another name, or "
                "have it replaced (overwrite=True)."
            )

    def save(self, dataset, key, config, results):
        """Store one in place of another with the same key."""
        run = {"method": self.method, "version": VERSION, **config}
        with journal.turn_to_write(dataset):
            pending.register(dataset, run, results)
            pending.put(dataset, key)

    def remove(self, dataset, key):
        """Remove one."""
        with journal.turn_to_write(dataset):
            if key in dataset.list_runs():
                dataset.delete_run(key)

    def _is_mine(self, info):
        """Return whether it is ours; others may call their method the same."""
        config = info.config
        ours = config.method == self.method and hasattr(config, "layout")
        return ours and info.key != pending.KEY
