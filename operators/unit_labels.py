"""Units as documents: one label per object, and what each label belongs to."""

import numpy as np
from bson import ObjectId

from ..kalos_core import NO_OBJECT, consensus
from ..kalos_core.alpha import value_counts
from ..kalos_core.arrays import sum_by
from ..kalos_core.diagnostics.dissent import NOBODY
from .label_documents import as_labels


class UnitLabels:
    """All real units of an agreement, image by image, as plain Python values."""

    def __init__(self, annotations, agreement, kinds, bonds):
        self.annotations, self.agreement = annotations, agreement
        self.kinds, self.bonds = kinds, bonds
        self.unit, self.first, self.number = number_units(
            agreement.reliability, annotations.n_images
        )
        self.label_ids = [ObjectId() for _ in self.unit]
        self._fields = self._of_units()
        shapes = annotations.geometry.take(self.medoid)
        self._container, label, self._shape = as_labels(shapes)
        self._empty, self._template = self._container().to_dict(), label.to_dict()

    def samples(self, layout):
        """Yield the document of each sample, as ``run_fields`` merges them."""
        columns, labels = self.columns(), self.labels(layout)
        for image, sample_id in enumerate(self.annotations.images):
            yield {
                "_id": ObjectId(sample_id),
                **{name: values[image] for name, values in columns.items()},
                "units": self.container(image),
                **{f"labels_{n}": of[image] for n, of in enumerate(labels)},
            }

    def results(self):
        """Return what a run keeps of its units, columns of as many rows."""
        reliability, unit = self.agreement.reliability, self.unit
        agreed = np.array(self._fields["agreement"], dtype=np.float64)  # None is nan
        return {
            "label_id": np.array([str(label_id) for label_id in self.label_ids], "U24"),
            "image": reliability.image_of[unit],
            "unit": self.number[unit],
            "label": self.voted,
            "area": self.annotations.geometry.area()[self.medoid],
            "values": reliability.values[:, unit].T,
            "kind": self.kinds.kind[unit],
            "outlier": self.kinds.outlier[unit],
            "agreement": agreed,
            "gain": self.kinds.gain[unit],
            "holds_from": self.bonds.holds_from[unit],
            "joins_from": self.bonds.joins_from[unit],
        }

    def columns(self):
        """Return the values of the sample fields, one per image."""
        agreement, values = self.agreement, self.agreement.reliability.values
        no_object = (values[:, self.unit] == NO_OBJECT).sum(axis=0)
        counted = np.add.reduceat(np.append(no_object, 0), self.first[:-1])
        n_units = np.diff(self.first)
        return {
            "alpha": _or_none(agreement.alpha),
            "status": agreement.status.tolist(),
            "n_units": n_units.tolist(),
            "n_no_object": np.where(n_units, counted, 0).tolist(),
        }

    def container(self, image):
        """Return the labels of an image's units."""
        start, stop = self.first[image], self.first[image + 1]
        made = [
            {
                **self._template,
                "_id": self.label_ids[n],
                **{name: column[n] for name, column in self._fields.items()},
                **self._shape(n),
            }
            for n in range(start, stop)
        ]
        return {**self._empty, self._container._LABEL_LIST_FIELD: made}

    def labels(self, layout):
        """Return for each list of labels, per image, ids, units and kinds."""
        annotations = self.annotations
        unit_of = self.agreement.reliability.unit_of
        ids = [ObjectId(name) for name in annotations.annotation_id.tolist()]
        unit, kind = self.number[unit_of].tolist(), self.kinds.kind[unit_of].tolist()
        n_lists = len(layout.label_fields)
        of = annotations.rater if n_lists > 1 else np.zeros(len(ids), dtype=np.int64)
        found = [[None] * annotations.n_images for _ in range(n_lists)]
        key = annotations.image * n_lists + of
        order = np.argsort(key, kind="stable")
        ends = np.flatnonzero(np.append(np.diff(key[order]) != 0, True)) + 1
        for some in np.split(order, ends[:-1]) if len(order) else []:
            image, which = divmod(int(key[some[0]]), n_lists)
            found[which][image] = {
                "ids": [ids[n] for n in some],
                "unit": [unit[n] for n in some],
                "kind": [kind[n] for n in some],
            }
        return found

    def _of_units(self):
        annotations, unit = self.annotations, self.unit
        voted = consensus(annotations, self.agreement)
        self.medoid, self.voted = voted.annotation, voted.label
        values = self.agreement.reliability.values[:, unit]
        names = np.array(annotations.raters, dtype=object)
        outlier = self.kinds.outlier[unit]
        return {
            "label": [annotations.classes[c] for c in voted.label.tolist()],
            "unit": self.number[unit].tolist(),
            "raters": named(values >= 0, names),
            "no_object": named(values == NO_OBJECT, names),
            "kind": self.kinds.kind[unit].tolist(),
            "outlier": [None if r == NOBODY else names[r] for r in outlier.tolist()],
            "agreement": _agreeing(values),
            "gain": _or_none(self.kinds.gain[unit]),
            "holds_from": _or_none(self.bonds.holds_from[unit]),
            "joins_from": _or_none(self.bonds.joins_from[unit]),
        }


def number_units(reliability, n_images):
    """Return the real units, where those of each image start, and all units' numbers.

    A number is (U,) the place in the image, from 1; 0 for the unit of an empty image.
    """
    unit = np.unique(reliability.unit_of)
    image_of = reliability.image_of[unit]
    first = np.searchsorted(image_of, np.arange(n_images + 1))
    number = np.zeros(reliability.n_units, dtype=np.int64)
    number[unit] = np.arange(len(unit)) - first[image_of] + 1
    return unit, first, number


def named(chosen, names):
    """Return for each column (U,) of a mask (R, U) the names of its rows."""
    unit, rater = np.nonzero(chosen.T)
    ends = np.searchsorted(unit, np.arange(chosen.shape[1] + 1))
    listed = names[rater].tolist()
    return [
        listed[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]


def _agreeing(values):
    """Return for each unit the share of pairs of raters who say the same, or None."""
    unit, _, count = value_counts(values)
    n_units = values.shape[1]
    m_u = sum_by(unit, count, n_units)
    pairs = sum_by(unit, count * (count - 1), n_units)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = pairs / (m_u * (m_u - 1))
    return _or_none(share)


def _or_none(column):
    """Return numbers as a list, None for nan."""
    return [None if np.isnan(value) else value for value in column.tolist()]
