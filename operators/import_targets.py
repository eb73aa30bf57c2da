"""Where labels are imported to: a data set that exists, or a new one."""

import os
from contextlib import contextmanager
from pathlib import Path

import fiftyone as fo
from fiftyone.core.media import get_media_type
from fiftyone.core.odm import ActiveFields

from ..kalos_core import KalosError
from .palette import colour_by_rater
from .workspace import save_workspace


def check_target(name, images_dir):
    """Raise if nothing can be imported there."""
    if not isinstance(name, str) or not name.strip():
        raise KalosError(f"dataset must be a data set or its name, got {name!r}")
    if fo.dataset_exists(name):
        if images_dir:
            raise KalosError(
                f"A data set '{name}' exists, and images_dir is for a new one. Choose "
                "another name, or import without images_dir."
            )
        _check_media(fo.load_dataset(name))
    elif not images_dir:
        raise KalosError(
            f"There is no data set '{name}'. Say where the images are "
            "(images_dir=...), and it is made of them."
        )
    elif not Path(images_dir).is_dir():
        raise KalosError(f"There is no folder '{images_dir}' of images.")


def _check_media(dataset):
    if dataset.media_type not in ("image", None):  # None: no sample was ever added
        raise KalosError(
            f"'{dataset.name}' holds media of type '{dataset.media_type}'; labels are "
            "imported into data sets of images."
        )
    if not dataset:
        raise KalosError(f"'{dataset.name}' has no samples that labels could be of.")


def files_of(name, images_dir):
    """Return the files that images may be, and what makes samples of them.

    That takes for each image the number of its file, or None, and is a context whose
    value is the data set and the ids of the samples, or None, of the images.
    """
    if not fo.dataset_exists(name):
        files = _image_files(images_dir)
        return files, lambda file_of: _new_data_set(files, file_of)
    dataset = fo.load_dataset(name)
    ids, files = dataset.values(["id", "filepath"])
    return files, lambda file_of: _existing(dataset, ids, file_of)


def _image_files(folder):
    found = (
        os.path.join(at, name) for at, _, names in os.walk(folder) for name in names
    )
    images = (path for path in found if get_media_type(path) == "image")
    return sorted(os.path.abspath(path) for path in images)


@contextmanager
def _existing(dataset, ids, file_of):
    yield dataset, [None if file is None else ids[file] for file in file_of]


@contextmanager
def _new_data_set(files, file_of):
    """Make samples in a data set that FiftyOne deletes by itself unless it is named."""
    dataset = fo.Dataset()
    try:
        made = iter(_add_samples(dataset, [files[n] for n in file_of if n is not None]))
        yield dataset, [None if file is None else next(made) for file in file_of]
    except BaseException:  # a cancelled generator too
        dataset.delete()
        raise


def _add_samples(dataset, files):
    # Sample objects must not outlive this call: FiftyOne would load all their labels
    # again after every write.
    samples = [fo.Sample(filepath=file) for file in files]
    return dataset.add_samples(samples, progress=False)


def dress(dataset, name, fields, annotations):
    """Give a new data set its name, colours and workspace; leave others as they are."""
    if dataset.name == name:
        return
    layout, raters = fields.layout_and_raters(annotations.raters)
    dataset.app_config.color_scheme = colour_by_rater(layout, raters)
    dataset.app_config.active_fields = ActiveFields(paths=list(layout.label_fields))
    dataset.save()
    save_workspace(dataset)
    dataset.persistent = True
    dataset.name = name
