"""What a finished run stored, as arrays."""

from functools import cached_property

import numpy as np

from ..kalos_core import NO_OBJECT, UNASSIGNED, ReliabilityMatrix
from ..kalos_core.diagnostics.kinds import AGREED, UNDEFINED
from . import layouts, own_runs, runs
from .packed import unpack
from .recent import Recent
from .views import images_of


class StoredRun:
    """A finished run: I images, R raters, U units that somebody drew.

    Attributes
    ----------
    sample_ids : of the I images.
    alpha : (I,) nan where undefined.
    image : (U,) the image of each unit.
    values : (U, R) codes of classes, ``NO_OBJECT`` or ``UNASSIGNED``.
    known : all columns of units by name, (U,) or (U, R).
    assigned : (I, R) whether each rater was assigned to each image.
    """

    def __init__(self, dataset, run_key=None, loaded=None):
        self.dataset = dataset
        self.run_key = runs.last(dataset) if run_key is None else run_key
        # Whoever has configuration and results already need not read them again.
        self.config, self.results = loaded or runs.load(dataset, self.run_key)
        self.sample_ids = self.results.sample_ids
        self.alpha = np.array(self.results.alpha, dtype=np.float64)  # None becomes nan
        self.known = unpack(self.results.units)
        own_runs.check_units(self.run_key, self.config, self.known)
        self.image, self.values = self.known["image"], self.known["values"]
        self.assigned = unpack(self.results.assigned)["assigned"]

    @classmethod
    def recent(cls, dataset, run_key, loaded=None):
        """Return a run that is there, at once if it was asked for lately."""
        kept = _RECENT.of_run(dataset, run_key, loaded)
        made = cls.__new__(cls)
        vars(made).update(vars(kept), dataset=dataset)
        return made

    @property
    def raters(self):
        """The names of the raters."""
        return self.results.raters["name"]

    @property
    def classes(self):
        """The names of the classes."""
        return self.results.classes["name"]

    @property
    def layout(self):
        """Where the raters are."""
        return layouts.from_params(self.config.layout, self.dataset)

    def samples(self):
        """Return a view of the run's samples that are left, in its order."""
        images = images_of(self.dataset)
        view = images.select(self.sample_ids)
        # Ordering takes long, and is seldom needed.
        known = set(found := view.values("id"))
        if found == [name for name in self.sample_ids if name in known]:
            return view
        return images.select(self.sample_ids, ordered=True)

    @cached_property
    def reliability(self):
        """The matrix of all units, also those that stand for images left empty."""
        drawn, empty = self.values.T, self._empty
        nothing = np.where(self.assigned[empty].T, NO_OBJECT, UNASSIGNED)
        values = np.concatenate([drawn, nothing], axis=1)[:, self._by_image]
        image_of = np.concatenate([self.image, empty])[self._by_image]
        return ReliabilityMatrix(values, image_of, np.empty(0, np.int64))

    @cached_property
    def kind(self):
        """(U',) the kind of each unit of ``reliability``."""
        several = self.assigned[self._empty].sum(axis=1) >= 2
        of_empty = np.where(several, AGREED, UNDEFINED)
        return np.concatenate([self.known["kind"], of_empty])[self._by_image]

    @cached_property
    def _empty(self):
        """Images in which nobody drew anything."""
        some = np.zeros(len(self.sample_ids), dtype=bool)
        some[self.image] = True
        return np.flatnonzero(~some)

    @cached_property
    def _by_image(self):
        return np.argsort(np.concatenate([self.image, self._empty]), kind="stable")


_RECENT = Recent(StoredRun)
