"""A finished run computed again in another way, from what it kept of its distances."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from fiftyone.operators.constants import ViewTarget

from ..kalos_core import Configuration
from ..kalos_core.model import EMPTY_AGREED
from ..kalos_core.what_if import MOST, Restriction, keep, restore
from . import layouts, runs
from .layouts import OneField
from .packed import pack, unpack
from .recent import Recent
from .views import images_of


def kept(annotations, configuration, measured):
    """Return the distances as a text that a run stores; None where they are too many.

    With a threshold of 1 all labels of an image are near each other.
    """
    if (
        measured is None
        or len(measured.pairs) > MOST
        or measured.tau < configuration.tau
    ):
        return None
    return pack(keep(annotations, measured))


def why_not(results):
    """Return in words why a run cannot be computed again; None if it can be."""
    if results.distances is None:
        return (
            f"This run kept no distances: more than {MOST:,} pairs of its labels are "
            "near each other. Audit fewer images or raters to change things here."
        )
    return None


@dataclass(frozen=True, eq=False)
class Found:
    """An agreement, less what nobody looks at here.

    ``alpha`` is that of each image, and all are nan where undefined; ``n_empty`` counts
    the images that everyone left empty, which agree.
    """

    alpha: np.ndarray
    mean_alpha: float
    global_alpha: float
    n_empty: int


class WhatIf:
    """A finished run and the distances that it kept.

    Attributes
    ----------
    configuration : that of the run.
    found : what the run found.
    sample_ids, raters, classes : their names.
    """

    def __init__(self, dataset, key, loaded=None):
        self.config, self._results = loaded or runs.load(dataset, key)
        self.configuration = Configuration(**self.config.configuration)
        results = self._results
        both = np.array([results.mean_alpha, results.global_alpha], dtype=np.float64)
        self.found = Found(
            np.array(results.alpha, dtype=np.float64),  # None becomes nan
            *both.tolist(),
            results.statuses.get(EMPTY_AGREED, 0),
        )
        self.sample_ids = results.sample_ids
        self.raters = results.raters["name"]
        self.classes = results.classes["name"]
        self._last = (self.configuration, Restriction()), self.found

    def again(self, configuration, only):
        """Return what is found of the labels that a `Restriction` leaves."""
        asked, found = self._last
        if asked != (configuration, only):
            agreement = self._kept.agreement(configuration, only)
            found = Found(
                agreement.alpha,
                agreement.mean_alpha,
                agreement.global_alpha,
                int((agreement.status == EMPTY_AGREED).sum()),
            )
            self._last = (configuration, only), found
        return found

    def view(self, dataset, images):
        """Return a view of some images, in their order."""
        ids = [self.sample_ids[n] for n in images]
        return images_of(dataset).select(ids, ordered=True)

    def files(self, dataset, images):
        """Return the names of the files of some images; None if one was deleted."""
        ids = [self.sample_ids[n] for n in images]
        found = images_of(dataset).select(ids).values(["id", "filepath"])
        name = {key: Path(path).name for key, path in zip(*found, strict=True)}
        return [name.get(key) for key in ids]

    def form(self, dataset, configuration, raters):
        """Return what compute_agreement is to be asked for, by names of its form."""
        layout = layouts.from_params(self.config.layout, dataset)
        asked = layouts.to_params(layout)
        if len(raters) < len(self.raters):
            one = isinstance(layout, OneField)
            asked["raters" if one else "label_fields"] = list(raters)
        shapes, tau = self.config.shapes, configuration.tau
        return {
            **asked,
            "detections_as": shapes,
            f"d_loc_{shapes}": configuration.d_loc,
            "tau_s": round(1 - tau, 12),
            "farthest": tau,
            "advanced": True,
            "solver": configuration.solver,
            "psi": configuration.psi,
            "view_target": ViewTarget.CUSTOM_VIEW_TARGET,
            "custom_view_target": self._samples(dataset)._serialize(),
        }

    def _samples(self, dataset):
        everything = images_of(dataset).view()
        if set(everything.values("id")) == set(self.sample_ids):
            return everything
        return everything.select(self.sample_ids)

    @cached_property
    def _kept(self):
        results = self._results
        return restore(
            unpack(results.distances),
            self.configuration.d_loc,
            unpack(results.assigned)["assigned"],
            self.sample_ids,
            self.raters,
            self.classes,
        )


_RECENT = Recent(WhatIf)
_KNOWN, RUNS = _RECENT.known, _RECENT.most


def of_run(dataset, key, loaded=None):
    """Return the `WhatIf` of a finished run, at once if it was asked for lately.

    Parameters
    ----------
    loaded : configuration and results of the run, where they are at hand.
    """
    return _RECENT.of_run(dataset, key, loaded)
