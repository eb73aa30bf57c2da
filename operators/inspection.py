"""What a finished run says of one image, and which disputed image is next to it."""

import numpy as np
from bson import ObjectId

from ..kalos_core import NO_OBJECT, UNASSIGNED
from ..kalos_core.diagnostics.dissent import NOBODY
from ..kalos_core.diagnostics.kinds import DISAGREEMENTS
from ..kalos_core.natural_order import natural
from .schema import labels_path
from .stored import StoredRun
from .views import images_of, is_whole

FEW = 50
"""Disputed images that are looked for at a time."""


class Inspection(StoredRun):
    """A finished run, to be asked about single images."""

    def about(self, sample_id):
        """Return what the run says of an image as plain values, None if nothing.

        Raters who were asked come first, each part in the order of names; units that
        cost most come first.
        """
        if sample_id not in self.sample_ids:
            return None
        n = self.sample_ids.index(sample_id)
        units = self._worst_units(n)
        asked = self.assigned[n]
        raters = sorted(
            range(len(asked)), key=lambda r: (not asked[r], natural(self.raters[r]))
        )
        values = self.values[np.ix_(units, raters)]
        alpha = self.alpha[n]
        return {
            "alpha": None if np.isnan(alpha) else float(alpha),
            "status": self.results.status[n],
            "n_asked": int(asked.sum()),
            "raters": [self.raters[r] for r in raters],
            "values": values.tolist(),
            "classes": {
                code: self.classes[code]
                for code in np.unique(values).tolist()
                if code not in (NO_OBJECT, UNASSIGNED)
            },
            "unit": self.known["unit"][units].tolist(),
            "kind": self.known["kind"][units].tolist(),
            "outlier": [
                None if r == NOBODY else self.raters[r]
                for r in self.known["outlier"][units].tolist()
            ],
            "gain": [
                None if np.isnan(gain) else gain
                for gain in self.known["gain"][units].tolist()
            ],
        }

    def disputed(self, view):
        """Return the samples of a view whose agreement is less than 1, worst first.

        Of a whole data set, those too that were deleted since.
        """
        images = np.flatnonzero(self.alpha < 1)
        worst_first = images[np.argsort(self.alpha[images], kind="stable")].tolist()
        ids = [self.sample_ids[n] for n in worst_first]
        if is_whole(view):
            return ids
        shown = _shown(view, ids)
        return [name for name in ids if name in shown]

    def next_disputed(self, view, sample_id, step):
        """Return what to open for the disputed image of a view that is ``step`` on.

        From an image that is not disputed the next one is the worst, and the one
        before it the least disputed. None where there is no other.

        Returns
        -------
        the arguments of ``open_sample``, with the "slice" if there are groups.
        """
        ids = self.disputed(view)[::step]
        left = ids[ids.index(sample_id) + 1 :] if sample_id in ids else ids
        for start in range(0, len(left), FEW):
            some = left[start : start + FEW]
            shown = _shown(view, some)
            found = next((name for name in some if name in shown), None)
            if found is not None:
                return shown[found]
        return None

    def labels_of(self, sample_id, unit):
        """Return the labels that are one unit of an image, as the App selects them."""
        sample, found = images_of(self.dataset).select(sample_id), []
        for field in self.layout.label_fields:
            path = labels_path(self.dataset, field)
            ids, units = sample.values([f"{path}.id", f"{path}.{self.run_key}_unit"])
            for label_id, of in zip(ids[0] or (), units[0] or (), strict=True):
                if of == unit:
                    found.append(
                        {"sample_id": sample_id, "field": field, "label_id": label_id}
                    )
        return found

    def _worst_units(self, n):
        """Return the units of an image, those first that would raise alpha most."""
        units = np.flatnonzero(self.image == n)
        known = {name: self.known[name][units] for name in ("gain", "kind", "unit")}
        gain = np.nan_to_num(known["gain"], nan=-np.inf)
        gravest = [
            DISAGREEMENTS.index(kind) if kind in DISAGREEMENTS else len(DISAGREEMENTS)
            for kind in known["kind"].tolist()
        ]
        return units[np.lexsort((known["unit"], gravest, -gain))]


def sample_of(view, shown_id):
    """Return the sample that the App shows; of a patch, the one that it is cut from."""
    if shown_id is None or not view._is_generated:
        return shown_id
    found = view.select(shown_id).values("sample_id")
    return str(found[0]) if found else None


def _shown(view, ids):
    """Return by sample what the App opens for some: their patch or group, if any."""
    if view._is_generated:
        own = view.match({"_sample_id": {"$in": [ObjectId(name) for name in ids]}})
        patches, samples = own.values(["id", "sample_id"])
        return {
            str(of): {"id": patch, "group_id": None}
            for patch, of in zip(reversed(patches), reversed(samples), strict=True)
        }
    if view.media_type != "group":
        own = view.select(ids).values("id")
        return {name: {"id": name, "group_id": None} for name in own}
    field, own = view.group_field, images_of(view).select(ids)
    found, groups, slices = own.values(["id", f"{field}.id", f"{field}.name"])
    return {
        name: {"id": name, "group_id": group, "slice": part}
        for name, group, part in zip(found, groups, slices, strict=True)
    }
