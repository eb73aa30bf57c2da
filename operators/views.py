"""Which data sets and views can be audited: single images with all of their labels."""

import fiftyone as fo
from bson import ObjectId

from ..kalos_core import KalosError


def check_media(view):
    """Raise a `KalosError` if ``view`` does not show single images."""
    if view.media_type == "video":
        raise KalosError(
            "This is a video data set; this audit compares labels of single images. "
            "Audit a copy of its frames: dataset.to_frames(sample_frames=True).clone()"
        )
    if any(isinstance(stage, fo.GroupBy) for stage in view.view()._stages):
        raise KalosError(
            "This view groups its samples (group_by); this audit needs them one by "
            "one. Remove that stage."
        )
    if view.media_type == "group":
        raise KalosError(
            "This is a grouped data set; this audit needs one of its slices. "
            "Choose it in Python: dataset.select_group_slices(...)"
        )
    if view.media_type not in ("image", None):  # None: no sample was ever added
        raise KalosError(
            f"This data set holds media of type '{view.media_type}'; this audit "
            "compares labels of images."
        )
    if view._is_generated:
        raise KalosError(
            "This view shows patches, frames or clips. Go back to the samples that "
            "they are cut from."
        )


def images_of(dataset):
    """Return the images of a data set, of all slices where they are in groups.

    FiftyOne selects, tags and reads only one slice of a grouped data set, the one that
    is active, and finds nothing of a run on another.
    """
    if dataset.media_type != "group":
        return dataset
    return dataset.select_group_slices(media_type="image")


def ids_of(dataset, among):
    """Return those of some ids that samples have, as a set; of all slices.

    They are in an index, so that no sample is read. Mostly all are there, which a count
    tells without fetching any.
    """
    asked, samples = set(among), dataset._sample_collection
    where = {"_id": {"$in": [ObjectId(name) for name in asked]}}
    if samples.count_documents(where) == len(asked):
        return asked
    return {str(record["_id"]) for record in samples.find(where, {"_id": 1})}


def check_filters(view, label_fields):
    """Refuse hidden labels: each would count as an object that its rater missed."""
    view = view.view()
    filtered = [
        *(view._get_filtered_fields() or []),
        # FiftyOne does not count the joints that this stage hides.
        *(s._field for s in view._stages if isinstance(s, fo.FilterKeypoints)),
    ]
    for name in label_fields:
        if name in {path.split(".")[0] for path in filtered}:
            raise KalosError(
                f"This view hides some labels of field '{name}', and what is hidden "
                "would count as missed. Clear the label filters; to leave out raters, "
                "name the ones to compare (raters=[...] or a list of fields)."
            )
    changed = {
        stage.field.split(".")[0]
        for stage in view._stages
        if isinstance(stage, (fo.MapLabels, fo.MapValues, fo.SetField))
    }
    for name in label_fields:
        if name in changed:
            raise KalosError(
                f"This view shows other labels of field '{name}' than are stored "
                "(map_labels, say), and a run belongs to stored ones. Audit a "
                "copy of it: view.clone()"
            )
