"""A consensus of a run's units, from the live labels to a field of its own."""

import numpy as np
from bson import ObjectId

from ..kalos_core import KalosError, consensus, rater_weights
from ..kalos_core.plain import plain
from ..kalos_core.version import VERSION
from . import consensus_field, runs
from .label_documents import as_labels
from .live_run import live
from .progress import at_work
from .unit_labels import named

HAVE_MEANS = ("boxes", "keypoints")
"""Shapes that a mean is defined for."""


def check(dataset, run_key, field, shape, look=True):
    """Raise for what is wrong already; without a ``look`` at the samples for a form."""
    config = runs.config_of(dataset, run_key)
    shapes = getattr(config, "shapes", None)
    if shape == "mean" and shapes not in HAVE_MEANS:
        raise KalosError(
            f"the mean shape of {shapes}, which run '{run_key}' compares, is not "
            "defined. Take shape='medoid', the drawn one that is nearest to all."
        )
    consensus_field.check_free(dataset, field, look)


def create(
    dataset,
    run_key,
    field,
    weighted=False,
    shape="medoid",
    min_votes=None,
    min_existence=None,
    on_changed="refuse",
    tell=None,
    stoppable=None,
):
    """Make a field of the consensus of a run's units; return what became of them.

    Nothing is visible before all of it is there, and whatever ends this earlier
    neither leaves a trace nor stands in the way of a second try.
    """
    consensus_field.discard(dataset, field)
    runs.tidy(dataset)
    check(dataset, run_key, field, shape)
    with at_work(dataset, field, consensus_field.WHAT, tell, stoppable) as steps:
        annotations, agreement = live(dataset, run_key, on_changed, steps)
        steps.tell(0.5, "Voting")
        weights = rater_weights(agreement) if weighted else None
        settings = {
            "shape": shape,
            "min_votes": min_votes,
            "min_existence": min_existence,
        }
        voted = consensus(annotations, agreement, weights=weights, **settings)
        container, documents = _documents(annotations, agreement, voted, field)
        info = {
            "run_key": run_key,
            "notation": str(agreement.configuration),
            "weighted": weighted,
            "raters": annotations.raters,
            "weights": weights,
            "version": VERSION,
            **settings,
        }
        consensus_field.write(
            steps,
            dataset,
            field,
            container,
            plain(info),
            documents,
            annotations.n_images,
        )
        steps.note(1, "Done")
    return {
        "field": field,
        "run_key": run_key,
        "n_images": annotations.n_images,
        "n_labels": len(voted),
        "n_left_out": voted.n_left_out,
    }


def _documents(annotations, agreement, voted, field):
    """Return the class of the field's values, and each sample's as staged."""
    container, label, shape = as_labels(voted.geometry)
    empty, template = container().to_dict(), label.to_dict()
    listed = container._LABEL_LIST_FIELD
    columns = _columns(annotations, agreement, voted)
    ends = np.searchsorted(voted.image, np.arange(annotations.n_images + 1)).tolist()

    def made(n):
        own = {name: column[n] for name, column in columns.items()}
        return {**template, "_id": ObjectId(), **own, **shape(n)}

    documents = (
        {
            "_id": ObjectId(sample_id),
            field: {**empty, listed: [made(n) for n in range(start, stop)]},
        }
        for sample_id, start, stop in zip(
            annotations.images, ends[:-1], ends[1:], strict=True
        )
    )
    return container, documents


def _columns(annotations, agreement, voted):
    drew = agreement.reliability.values[:, voted.unit] >= 0
    return {
        "label": [annotations.classes[c] for c in voted.label.tolist()],
        "existence": plain(voted.existence),
        "class_confidence": plain(voted.class_confidence),
        "geometry_confidence": plain(voted.geometry_confidence),
        "raters": named(drew, np.array(annotations.raters, dtype=object)),
    }
