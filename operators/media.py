"""Which data sets and views can be audited at all: samples that are single images."""

from fiftyone.core.collections import SampleCollection

from ..kalos_core import KalosError


def check_media(view):
    """Raise a `KalosError` if ``view`` does not show single images."""
    if not isinstance(view, SampleCollection):
        raise KalosError(
            f"A data set or a view is expected, got {view!r}. Load a data set by its "
            "name with fiftyone.load_dataset(...)"
        )
    if view.media_type == "video":
        raise KalosError(
            "This is a video data set; this audit compares labels of single images. "
            "Audit a copy of its frames: dataset.to_frames(sample_frames=True).clone()"
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
