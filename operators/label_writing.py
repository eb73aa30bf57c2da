"""Annotations as the fields of samples, all fields of a sample at once."""

from dataclasses import dataclass

import numpy as np
from bson import ObjectId

from .layouts import FieldPerRater, OneField


@dataclass(frozen=True)
class OneFieldNames:
    """One field for all raters' labels, and the list of those assigned."""

    label_field: str
    rater_attribute: str
    assigned_field: str
    field_of_rater = ()

    @property
    def names(self):
        """All fields that are written."""
        return self.label_field, self.assigned_field

    def layout_and_raters(self, raters):
        """Return where the raters are, and their names there."""
        layout = OneField(self.label_field, self.rater_attribute, self.assigned_field)
        return layout, raters

    def declared(self, labels):
        """Return the fields, with the attribute, for the App to filter."""
        path = f"{self.label_field}.{labels.root}.{self.rater_attribute}"
        words = "Raters who were asked to label this sample"
        return [
            (self.label_field, labels.container.__name__, "Labels of all raters"),
            (path, "string", "Who drew it"),
            *labels.declared(self.label_field),
            (self.assigned_field, "strings", words),
        ]

    def values(self, labels, annotations, image, numbers):
        """Return the fields of one image, whose annotations have these numbers."""
        assigned = np.flatnonzero(annotations.assigned[image])
        return {
            self.label_field: labels.collect(numbers),
            self.assigned_field: [annotations.raters[rater] for rater in assigned],
        }


@dataclass(frozen=True)
class FieldPerRaterNames:
    """A field for each rater."""

    field_of_rater: dict
    rater_attribute = None

    @property
    def names(self):
        """All fields that are written."""
        return tuple(self.field_of_rater.values())

    def layout_and_raters(self, raters):
        """Return where the raters are, and their names there."""
        return FieldPerRater(self.names), self.names

    def declared(self, labels):
        """Return the fields."""
        kind = labels.container.__name__
        return [
            one
            for rater, name in self.field_of_rater.items()
            for one in (
                (name, kind, f"Labels by {rater}"),
                *labels.declared(name),
            )
        ]

    def values(self, labels, annotations, image, numbers):
        """Return the fields of one image; those not assigned have none."""
        rater = annotations.rater[numbers.start : numbers.stop]
        return {
            self.field_of_rater[annotations.raters[r]]: labels.collect(
                numbers.start + np.flatnonzero(rater == r)
            )
            for r in np.flatnonzero(annotations.assigned[image])
        }


def documents(ids, annotations, fields, labels):
    """Yield of each sample its ``_id`` and fields.

    Parameters
    ----------
    ids : for each image the id of its sample, or None.
    fields : `OneFieldNames` or `FieldPerRaterNames`.
    labels : the `LabelDocuments` of the annotations.
    """
    ends = np.searchsorted(annotations.image, np.arange(annotations.n_images + 1))
    for n, sample in enumerate(ids):
        if sample is not None:
            own = range(ends[n], ends[n + 1])
            values = fields.values(labels, annotations, n, own)
            yield {"_id": ObjectId(sample), **values}
