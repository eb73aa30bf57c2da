"""Hand a batch of samples to an annotation backend of FiftyOne, where there is one."""

import fiftyone as fo

from ..kalos_core import KalosError
from .layouts import OneField
from .parameters import choice
from .rater_fields import check_field_name

CREDENTIALS = {
    "cvat": ("url", "username", "password"),
    "labelstudio": ("url", "api_key"),
    "labelbox": ("url", "api_key"),
}
"""What a backend has to be configured with; others know for themselves."""

LABEL_TYPES = {
    "boxes": "detections",
    "masks": "instances",
    "polygons": "polygons",
    "keypoints": "keypoints",
}
"""What FiftyOne calls the shapes that labels are read as."""


def configured():
    """Return the names of the backends that can be used."""
    return [name for name in fo.annotation_config.backends if lacking(name) is None]


def check_known(backend):
    """Raise if FiftyOne has never heard of a backend."""
    choice(fo.annotation_config.backends, "annotation backend")("backend", backend)


def lacking(backend):
    """Return in words what a backend lacks, or None."""
    known = fo.annotation_config.backends
    needed = CREDENTIALS.get(backend, ("config_cls",))
    missing = [name for name in needed if not known[backend].get(name)]
    if not missing:
        return None
    return (
        f"The annotation backend '{backend}' is not configured: no "
        f"{' and no '.join(missing)}."
    )


def check(dataset, anno_key, label_field, layout):
    """Return the field to label; raise if the batch could not be handed over."""
    if not isinstance(anno_key, str) or not anno_key.isidentifier():
        raise KalosError(
            "An annotation key must be a name like 'round_2' (letters, digits, "
            f"underscores, a letter first), got {anno_key!r}."
        )
    if anno_key in dataset.list_annotation_runs():
        raise KalosError(
            f"An annotation run '{anno_key}' exists. Choose another key (anno_key)."
        )
    if label_field is None and isinstance(layout, OneField):
        return layout.label_field
    if label_field is None:
        raise KalosError(
            "Name the field to label again (label_field), one of "
            f"{', '.join(layout.label_fields)}, or a new one."
        )
    if dataset.get_field(label_field) is None:
        check_field_name(label_field, "field to label")
    return label_field


def hand_over(view, anno_key, backend, field, layout, shapes, classes):
    """Upload the samples; return in words what became of it."""
    dataset = view._root_dataset
    is_new = dataset.get_field(field) is None
    one = isinstance(layout, OneField) and field == layout.label_field
    try:
        view.annotate(
            anno_key,
            backend=backend,
            label_field=field,
            label_type=LABEL_TYPES[shapes] if is_new else None,
            classes=list(classes),
            # Not what runs added, which is not for people to change.
            attributes=[layout.rater_attribute] if one else False,
        )
    except Exception as error:  # a backend may raise anything
        if anno_key in dataset.list_annotation_runs():
            dataset.delete_annotation_run(anno_key)  # else it blocks a second try
        return f"The batch was not handed over: '{backend}' said: {error}"
    return (
        f"The batch was handed to '{backend}'. When it is done, get it with "
        f"dataset.load_annotations({anno_key!r})."
    )
