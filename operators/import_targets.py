"""Where labels are imported to: a data set that exists, or a new one."""

import os
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import fiftyone as fo
from fiftyone.core.media import get_media_type
from fiftyone.core.odm import ActiveFields

from ..kalos_core import KalosError
from . import data_set_names, journal, layouts, new_fields, staging
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
    else:
        data_set_names.check_free(name)


def _check_media(dataset):
    if dataset.media_type not in ("image", None):  # None: no sample was ever added
        raise KalosError(
            f"'{dataset.name}' holds media of type '{dataset.media_type}'; labels are "
            "imported into data sets of images."
        )
    if not dataset:
        raise KalosError(f"'{dataset.name}' has no samples that labels could be of.")


def check_fields(dataset, names, look=True):
    """Raise if fields of these names cannot be written."""
    new_fields.settle(dataset, names)
    new_fields.check_free(dataset, names, look)


def target_of(name, images_dir):
    """Return where to import to, `Existing` or `New`."""
    if fo.dataset_exists(name):
        return Existing(fo.load_dataset(name))
    return New(name, images_dir)


class Existing:
    """A data set that exists; ``place`` is how the journal knows it."""

    def __init__(self, dataset):
        self.place = dataset
        self._ids, self.files = dataset.values(["id", "filepath"])

    @contextmanager
    def samples(self, file_of, steps):
        """Enter with the ids of the samples, of images without one None.

        Parameters
        ----------
        file_of : for each image the number of its file, or None.
        """
        yield [None if file is None else self._ids[file] for file in file_of]

    def check_fields(self, names):
        """Raise if fields of these names cannot be written."""
        check_fields(self.place, names)

    def finish(self, record):
        """Write what is staged; return why that was not possible, or None."""
        theirs = new_fields.finish(self.place, record)
        return theirs and new_fields.taken(self.place, theirs)


class New:
    """A data set that is being made of a folder of images.

    It is made under a name that says so, and FiftyOne deletes it by itself unless it
    is finished. Its own name it gets when all of it is there.
    """

    def __init__(self, name, images_dir):
        self.place, self._images_dir = name, images_dir

    @cached_property
    def files(self):
        """The files that images may be."""
        found = (
            os.path.join(at, name)
            for at, _, names in os.walk(self._images_dir)
            for name in names
        )
        images = (path for path in found if get_media_type(path) == "image")
        return sorted(os.path.abspath(path) for path in images)

    @contextmanager
    def samples(self, file_of, steps):
        """Enter as that of `Existing`; what is not ready in the end is removed."""
        dataset = fo.Dataset(_name_until_finished(steps.record))
        try:
            wanted = [self.files[file] for file in file_of if file is not None]
            made = iter(_add_samples(dataset, wanted, steps))
            yield [None if file is None else next(made) for file in file_of]
        except BaseException:
            if steps.record.get("state") != journal.READY:
                dataset.delete()
            raise

    def check_fields(self, names):
        """Do nothing: there are no fields yet."""

    def finish(self, record):
        """Write what is staged; return why that was not possible, or None."""
        if finish_new(record):
            return None
        return (
            f"A data set '{self.place}' was made meanwhile, or one too much like it. "
            "Choose another name."
        )


def _add_samples(dataset, files, steps):
    tell = steps.between(0.35, 0.4, f"Adding {len(files)} samples")
    ids = []
    for some in staging.batches(files):
        tell(len(ids), len(files))
        # Sample objects must not outlive this call: FiftyOne would load all their
        # labels again after every write.
        samples = [fo.Sample(filepath=file) for file in some]
        ids += dataset.add_samples(samples, progress=False)
    return ids


def settle(record):
    """Finish a new data set that was killed, or remove it if it was not ready."""
    if record["dataset"] is not None:
        return  # it was there, and is gone
    if record.get("state") == journal.READY:
        finish_new(record)
    elif fo.dataset_exists(_name_until_finished(record)):
        fo.delete_dataset(_name_until_finished(record))


def finish_new(record):
    """Fill, colour and name a new data set; may be repeated after a kill.

    Returns False if it can no longer have its name, and removes it.
    """
    name, until_then = record["making"], _name_until_finished(record)
    if fo.dataset_exists(until_then):  # else it was finished already
        dataset = fo.load_dataset(until_then)
        if not data_set_names.is_free(name):
            dataset.delete()
            record["written"] = True
            return False
        new_fields.finish(dataset, record)
        _dress(dataset, record)
        dataset.persistent = True
        dataset.name = name
    record["written"] = True
    return True


def _dress(dataset, record):
    """Give a new data set its colours and workspace."""
    layout = layouts.from_params(record["layout"], dataset)
    dataset.app_config.color_scheme = colour_by_rater(layout, record["raters"])
    dataset.app_config.active_fields = ActiveFields(paths=list(layout.label_fields))
    dataset.save()
    save_workspace(dataset)


def _name_until_finished(record):
    return f"kalos-import-unfinished-{record['token']}"
