"""The labels of one field, whoever drew them."""

from .. import layouts
from ..fields import read_annotations
from ..layouts import FieldPerRater
from ..measures import outlined
from ..views import check_media


def read_labels(view, label_field):
    """Return the `Annotations` of a field; images are named by sample id.

    Of masks the boxes are read, which is enough here.

    Raises
    ------
    KalosError
        If there is no such field of labels, or a label is unusable.
    """
    check_media(view)
    layouts.check_label_field(view, label_field)
    layout = FieldPerRater((label_field,))
    return read_annotations(view, layout, outlined(view, layout))
