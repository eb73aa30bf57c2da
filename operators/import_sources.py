"""What a path holds, and the annotations in it."""

import warnings
from dataclasses import dataclass
from pathlib import Path

from ..kalos_core import (
    Annotations,
    KalosError,
    KalosWarning,
    read_coco,
    read_coco_per_rater,
    read_yolo,
)
from ..kalos_core.readers.document import naming, read_json
from ..kalos_core.registry import Registry

COCO, PER_RATER, YOLO, LIDC = "coco", "coco_per_rater", "yolo", "lidc"
SHAPES = ("keypoints", "polygons", "boxes")
"""The richest first: what all annotations of a file have is taken."""


@dataclass(frozen=True)
class Source:
    """What was read, and what its reader left out."""

    annotations: Annotations
    format: str
    shapes: str
    n_dropped: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def names_are_stems(self):
        """Whether images are named without the ending of their files."""
        return self.format == YOLO


def read_source(path, format=None, shapes=None, on_unassigned="error"):
    """Return the annotations at a path; format and shapes are found out if None."""
    check_path(path)
    read = READERS[detect_format(path) if format is None else format]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KalosWarning)
        source = read(path, shapes, on_unassigned)
    _check_names(source.annotations)
    remarks = (str(w.message) for w in caught if issubclass(w.category, KalosWarning))
    return Source(**{**_fields(source), "remarks": tuple(remarks)})


def check_path(path):
    """Raise if there is nothing at a path, or a list of paths; cheap."""
    for one in path if isinstance(path, list | tuple) else [path]:
        if not one or not isinstance(one, str | Path):
            raise KalosError(f"path must be a file, a folder or a list; got {path!r}")
        if not Path(one).exists():
            raise KalosError(f"There is no file or folder '{one}'.")


def detect_format(path):
    """Return the format of what is at a path."""
    if isinstance(path, list | tuple):
        return PER_RATER
    path = Path(path)
    return _format_of_folder(path) if path.is_dir() else _format_of_file(path)


def _format_of_folder(path):
    found = {
        PER_RATER: any(path.glob("*.json")),
        YOLO: any(path.glob("*/*.txt")),
    }
    names = [name for name, there in found.items() if there]
    if len(names) == 1:
        return names[0]
    if names:
        raise KalosError(
            f"Folder '{path}' holds .json files and folders of .txt files. Say which: "
            f"format='{PER_RATER}' or format='{YOLO}'."
        )
    raise KalosError(
        f"Folder '{path}' holds neither a COCO file (.json) nor a folder of YOLO files "
        "(.txt) per rater."
    )


def _format_of_file(path):
    document = _document(path)
    if "images" in document or "annotations" in document:
        if _count(document, "images") and not _any_has(
            document, "images", "rater_list"
        ):
            raise KalosError(
                f"File '{path}' is COCO without raters: no image has a 'rater_list'. "
                "Choose the folder, or list the files, that hold one such file for "
                "each rater."
            )
        return COCO
    scans = list(document.values())
    if scans and all(isinstance(s, dict) and "annotators" in s for s in scans):
        return LIDC
    raise KalosError(
        f"File '{path}' is neither COCO (with 'images' and 'annotations') nor LIDC."
    )


def _read_coco(path, shapes, on_unassigned):
    document = _document(Path(path))
    shapes = shapes or _shapes_in([document])
    read = read_coco(path, shapes=shapes, on_unassigned=on_unassigned)
    names = [entry["file_name"] for entry in document["images"]]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise KalosError(
            f"file '{path}': image {twice!r} appears twice, and images are matched by "
            "their file_name. Give each one its own, with its folder if need be."
        )
    return Source(read, COCO, shapes, _count(document, "annotations") - len(read))


def _read_per_rater(path, shapes, _):
    listed = path if isinstance(path, list | tuple) else Path(path).glob("*.json")
    shapes = shapes or _shapes_in([_document(Path(file)) for file in listed])
    return Source(read_coco_per_rater(path, shapes=shapes), PER_RATER, shapes)


def _read_yolo(path, shapes, _):
    if shapes not in (None, "boxes"):
        raise KalosError(f"YOLO files hold boxes; shapes={shapes!r} cannot be read.")
    return Source(read_yolo(path), YOLO, "boxes")


def _refuse_lidc(path, *_):
    raise KalosError(
        f"File '{path}' holds volumes (LIDC), and labels of single images are imported "
        "so far. In Python kalos_core.read_lidc reads it."
    )


READERS = Registry(
    "format",
    coco=_read_coco,
    coco_per_rater=_read_per_rater,
    yolo=_read_yolo,
    lidc=_refuse_lidc,
)


def _shapes_in(documents):
    """Return the richest kind of shape that all annotations have."""
    lists = [d.get("annotations") for d in documents]
    found = [e for entries in lists if isinstance(entries, list) for e in entries]
    keys = {"keypoints": "keypoints", "polygons": "segmentation"}
    for shapes, key in keys.items():
        if found and all(
            isinstance(entry, dict) and _is_filled_list(entry.get(key))
            for entry in found
        ):
            return shapes
    return "boxes"


def _is_filled_list(value):
    return isinstance(value, list) and len(value) > 0


def _document(path):
    with naming(path):
        return read_json(path)


def _count(document, key):
    entries = document.get(key)
    return len(entries) if isinstance(entries, list) else 0


def _any_has(document, key, name):
    return any(isinstance(e, dict) and name in e for e in document[key])


def _check_names(annotations):
    """Raise for a name that FiftyOne cannot store, or that nobody could read."""
    for what, names in (("rater", annotations.raters), ("class", annotations.classes)):
        for name in names:
            if not name.strip():
                raise KalosError(
                    f"{annotations.source}: a {what} has the name {name!r}, which "
                    "nobody could see; give it another one"
                )
            try:
                name.encode()
            except UnicodeEncodeError:
                raise KalosError(
                    f"{annotations.source}: the name of {what} {name!r} is not valid "
                    "text and cannot be stored"
                ) from None


def _fields(source):
    return {name: getattr(source, name) for name in source.__dataclass_fields__}
