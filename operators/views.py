"""Which data sets and views can be audited: single images with all of their labels."""

import fiftyone as fo
from bson import ObjectId

from ..kalos_core import KalosError

COPY = "Audit a copy of it: view.clone()"


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


def is_whole(view):
    """Return whether a view leaves all of its data set as it is."""
    return isinstance(view, fo.Dataset) or not (view._stages or view._is_generated)


def images_of(dataset):
    """Return the images of a data set, of all slices where they are in groups.

    FiftyOne selects, tags and reads only one slice of a grouped data set, the one that
    is active, and finds nothing of a run on another.
    """
    if dataset.media_type != "group":
        return dataset
    return dataset.select_group_slices(media_type="image")


def ids_of(view, among):
    """Return those of some ids that samples have, as a set; of all slices.

    In a data set they are in an index, so that no sample is read. Mostly all are there,
    which a count tells without fetching any.
    """
    asked, samples = set(among), view._root_dataset._sample_collection
    if not is_whole(view):
        return set(view.select(list(asked)).values("id"))
    where = {"_id": {"$in": [ObjectId(name) for name in asked]}}
    if samples.count_documents(where) == len(asked):
        return asked
    return {str(record["_id"]) for record in samples.find(where, {"_id": 1})}


def check_filters(view, label_fields, others=()):
    """Refuse hidden labels: each would count as an object that its rater missed.

    Parameters
    ----------
    others : further fields that must be as they are stored.
    """
    view = view.view()
    for stage in view._stages:
        if isinstance(stage, fo.Mongo):
            raise KalosError(
                "This view has a stage of raw MongoDB (mongo), which may show other "
                f"labels than are stored. {COPY}"
            )
        if isinstance(stage, fo.Concat):
            check_filters(stage.samples, label_fields, others)
    hidden, changed = _hidden(view), _changed(view)
    for name in label_fields:
        if name in hidden:
            raise KalosError(
                f"This view hides some labels of field '{name}', and what is hidden "
                "would count as missed. Clear the label filters; to leave out raters, "
                "name the ones to compare (raters=[...] or a list of fields)."
            )
    for name in (*label_fields, *others):
        if name in changed | hidden:
            what = "labels" if name in label_fields else "values"
            raise KalosError(
                f"This view shows other {what} of field '{name}' than are stored "
                f"(map_labels, say), and a run belongs to stored ones. {COPY}"
            )


def _hidden(view):
    """Return the fields that a view hides something of."""
    stages = view._stages
    filtered = [
        *(view._get_filtered_fields() or []),
        # FiftyOne does not count what these stages hide.
        *(s._field for s in stages if isinstance(s, fo.FilterKeypoints)),
        *(s.field for s in stages if isinstance(s, fo.FilterField)),
    ]
    return {path.split(".")[0] for path in filtered}


def _changed(view):
    """Return the fields of which a view shows something else than is stored."""
    change = (fo.MapLabels, fo.MapValues, fo.SetField)
    stages = (stage for stage in view._stages if isinstance(stage, change))
    return {stage.field.split(".")[0] for stage in stages}
