"""Views of what raters disagree in, from what a run kept of its units."""

from dataclasses import dataclass

import numpy as np
from fiftyone import ViewField as F

from ..kalos_core import NO_OBJECT, UNASSIGNED, KalosError
from ..kalos_core.calibration.strata import LIMITS
from ..kalos_core.diagnostics.bonds import Bonds
from ..kalos_core.diagnostics.kinds import AGREED, LOOSE
from . import journal, runs, saved_views
from .layouts import OneField
from .parameters import nearest
from .stored import StoredRun
from .views import check_media, ids_of, images_of, is_whole


@dataclass(frozen=True)
class Question:
    """Which disagreement to show; what is None does not matter.

    Parameters
    ----------
    alpha : lowest and highest agreement of an image.
    kind : one of the kinds of units.
    raters : one rater who stands against others, or two who say different things.
    classes : one class that somebody gave, or two that raters gave the same object.
    size : small, medium or large.
    threshold : a tau at which an object falls apart, or is joined with another one.
    disputed : only objects of which raters say different things.
    """

    alpha: tuple | None = None
    kind: str | None = None
    raters: tuple = ()
    classes: tuple = ()
    size: str | None = None
    threshold: float | None = None
    disputed: bool = False

    @property
    def is_about_units(self):
        """Whether images are chosen by their objects."""
        asked = self.kind or self.raters or self.classes or self.size or self.disputed
        return bool(asked) or self.threshold is not None


class Disagreement(StoredRun):
    """The units of a finished run, to be asked about.

    Parameters
    ----------
    view : a data set, or a view of it outside of which nothing is shown.
    """

    _within = None

    def __init__(self, view, run_key=None):
        super().__init__(view._root_dataset, run_key)
        if not is_whole(view):
            check_media(view)
            self._within = view

    def view(
        self,
        question,
        as_units=False,
        only_their_labels=False,
        limit=None,
        most_first=False,
        chosen=None,
    ):
        """Return the images, or a patch for each object, worst first.

        Parameters
        ----------
        most_first : the worst images are those with the most such objects, not those
            of the lowest alpha, for which others than the raters may be the reason.
        chosen : the units that the question is about, where they are at hand.
        """
        chosen = self.units(question) if chosen is None else chosen
        if as_units:
            return self._patches(chosen, limit, *self._order(question))
        if question.is_about_units:
            images = np.unique(self.image[chosen])
        else:
            images = self._left(np.flatnonzero(self._in_range(question.alpha)))
        order = [images, self.alpha[images]]
        if most_first:
            number = np.bincount(self.image[chosen], minlength=len(self.alpha))
            order.append(-number[images])
        images = images[np.lexsort(order)][:limit]
        ids = [self.sample_ids[n] for n in images.tolist()]
        view = images_of(self.dataset).select(ids, ordered=True)
        if only_their_labels and question.raters:
            view = self._only(view, question.raters)
        return view

    def units(self, question):
        """Return the units that the question is about, of images that are left."""
        chosen = self._in_range(question.alpha)[self.image]
        if question.kind is not None:
            chosen &= self.known["kind"] == question.kind
        if question.size is not None:
            low, high = LIMITS[question.size]
            area = self.known["area"]
            chosen &= (area >= low) & (area < high)
        if question.disputed:
            chosen &= self.known["agreement"] < 1
        if question.classes:
            chosen &= self._of_classes(question.classes)
        if question.raters:
            chosen &= self._of_raters(question.raters)
        if question.threshold is not None:
            bonds = Bonds(self.known["holds_from"], self.known["joins_from"])
            chosen &= bonds.changed(question.threshold, self._tau)
        chosen = np.flatnonzero(chosen)
        left = self._left(np.unique(self.image[chosen]))
        return chosen[np.isin(self.image[chosen], left)]

    def _in_range(self, alpha):
        """Return (I,) whether the agreement of an image is in the range, or defined."""
        if alpha is None:
            return ~np.isnan(self.alpha)
        low, high = alpha
        return (self.alpha >= low) & (self.alpha <= high)

    def _left(self, images):
        """Return those of some images that are in the view and not deleted since."""
        ids = [self.sample_ids[n] for n in images.tolist()]
        there = ids_of(self.dataset if self._within is None else self._within, ids)
        return images[np.array([name in there for name in ids], dtype=bool)]

    def _of_classes(self, names):
        codes = [place_of("class", name, self.classes) for name in names]
        return np.all([(self.values == code).any(axis=1) for code in codes], axis=0)

    def _of_raters(self, names):
        rows = [place_of("rater", name, self.raters) for name in names]
        own = self.values[:, rows]
        if len(rows) == 1:
            outlier = self.known["outlier"] == rows[0]
            others = (self.values >= 0).any(axis=1)
            return outlier | ((own[:, 0] == NO_OBJECT) & others)
        both = (own != UNASSIGNED).all(axis=1)
        return both & (own[:, 0] != own[:, 1])

    @property
    def _tau(self):
        return self.config.configuration["tau"]

    def _order(self, question):
        """Return by what to order objects, and whether what has most of it is first.

        Of those that fall apart the farthest are first, of those that are joined the
        nearest; of those that are loose or agreed, which cost nothing, the farthest.
        """
        if question.threshold is None and question.kind not in (LOOSE, AGREED):
            return "gain", True
        if question.threshold is None or question.threshold < self._tau:
            return "holds_from", True
        return "joins_from", False

    def _patches(self, chosen, limit, by, falling):
        value = self.known[by][chosen] * (-1 if falling else 1)
        order = np.lexsort((chosen, value))  # nan is last
        ids = self.known["label_id"][chosen[order][:limit]].tolist()
        field = f"{self.run_key}_units"
        view = images_of(self.dataset).select_labels(ids=ids, fields=field)
        return view.to_patches(field).sort_by(f"{field}.{by}", reverse=falling)

    def _only(self, view, raters):
        layout = self.layout
        if isinstance(layout, OneField):
            # Raters of a run are named by text, where the data may hold numbers.
            who = F(layout.rater_attribute).to_string().is_in(list(raters))
            return view.filter_labels(layout.label_field, who, only_matches=False)
        return view.exclude_fields([f for f in layout.label_fields if f not in raters])


def place_of(what, name, known):
    """Return the place of a name among those that a run knows."""
    if name not in known:
        raise KalosError(
            f"There is no {what} {name!r} in this run. Known: {known}."
            f"{nearest(name, known)}"
        )
    return known.index(name)


def save_view(dataset, run_key, name, view):
    """Save a view under a name that is free; it goes with the run."""
    with journal.turn_to_write(dataset):  # nobody deletes the run meanwhile
        saved_views.check_free(dataset, name)
        runs.check_still_there(dataset, run_key)
        dataset.save_view(name, view)
        runs.note_view(dataset, run_key, name)
