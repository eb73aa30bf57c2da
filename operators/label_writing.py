"""Annotations into the fields of samples, all fields of a sample at once."""

from dataclasses import dataclass
from datetime import datetime, timezone

import fiftyone as fo
import numpy as np
from bson import ObjectId
from pymongo import UpdateOne

from . import unfinished
from .label_documents import LabelDocuments
from .layouts import FieldPerRater, OneField

BATCH = 500
"""Samples written at a time: enough to be quick, few enough to show progress."""


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

    def declare(self, dataset, labels, info):
        """Add the fields to the schema, with the attribute, for the App to filter."""
        _declare_labels(dataset, self.label_field, labels, info)
        path = f"{self.label_field}.{labels.root}.{self.rater_attribute}"
        dataset.add_sample_field(path, fo.StringField, description="Who drew it")
        dataset.add_sample_field(
            self.assigned_field,
            fo.ListField,
            subfield=fo.StringField,
            description="Raters who were asked to label this sample",
            info=info,
        )

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

    def declare(self, dataset, labels, info):
        """Add the fields to the schema."""
        for rater, name in self.field_of_rater.items():
            own = f"Labels by {rater}"
            _declare_labels(dataset, name, labels, info, own)

    def values(self, labels, annotations, image, numbers):
        """Return the fields of one image; those not assigned have none."""
        rater = annotations.rater[numbers.start : numbers.stop]
        return {
            self.field_of_rater[annotations.raters[r]]: labels.collect(
                numbers.start + np.flatnonzero(rater == r)
            )
            for r in np.flatnonzero(annotations.assigned[image])
        }


def write(dataset, ids, annotations, fields):
    """Write the fields; yield the part that is done.

    Parameters
    ----------
    ids : for each image the id of its sample, or None.
    """
    labels = LabelDocuments(annotations, fields.rater_attribute)
    ends = np.searchsorted(annotations.image, np.arange(annotations.n_images + 1))
    images = [image for image, sample in enumerate(ids) if sample is not None]
    with unfinished.begun(dataset, fields.names) as info:
        fields.declare(dataset, labels, info)
        for start in range(0, len(images), BATCH):
            yield start / len(images)
            batch = images[start : start + BATCH]
            now = datetime.now(timezone.utc).replace(tzinfo=None)  # as FiftyOne has it
            updates = [
                {
                    **fields.values(
                        labels, annotations, n, range(ends[n], ends[n + 1])
                    ),
                    "last_modified_at": now,
                }
                for n in batch
            ]
            samples = [ids[image] for image in batch]
            dataset._bulk_write(
                [
                    UpdateOne({"_id": ObjectId(sample)}, {"$set": update})
                    for sample, update in zip(samples, updates, strict=True)
                ],
                ids=samples,
            )


def _declare_labels(dataset, name, labels, info, description="Labels of all raters"):
    dataset.add_sample_field(
        name,
        fo.EmbeddedDocumentField,
        embedded_doc_type=labels.container,
        description=description,
        info=info,
    )
