"""What a path holds, and the annotations in it."""

import re
import warnings
from collections import Counter
from dataclasses import dataclass, replace
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
from .import_remarks import remarks

COCO, PER_RATER, YOLO, LIDC = "coco", "coco_per_rater", "yolo", "lidc"
SHAPES = ("keypoints", "polygons", "boxes")
"""The richest first: what all annotations of a file have is taken."""

OPENING = 4096
"""Characters of a file that tell whether it is LIDC, so that nobody waits for it."""
OPENS_LIKE_LIDC = re.compile(
    r'\s*\{\s*"(?!info")[^"]*"\s*:\s*\{[^{}]*"annotators"\s*:\s*\{'
)


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
    if format is not None:
        _ = READERS[format]
    format, documents = _look_into(path, format)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KalosWarning)
        source = READERS[format](path, documents, shapes, on_unassigned)
    _check_names(source.annotations)
    told = (str(w.message) for w in caught if issubclass(w.category, KalosWarning))
    drawn = _entries(documents, "annotations")
    noted = remarks(drawn, source.annotations, source.shapes)
    return replace(source, remarks=(*told, *noted))


def check_path(path):
    """Raise if there is nothing at a path, or a list of paths; cheap."""
    for one in path if isinstance(path, list | tuple) else [path]:
        if not one or not isinstance(one, str | Path):
            raise KalosError(f"path must be a file, a folder or a list; got {path!r}")
        if not Path(one).exists():
            raise KalosError(f"There is no file or folder '{one}'.")


def check_kind(path, format):
    """Raise if a path holds what cannot be imported at all; cheap."""
    if format == LIDC:
        _refuse_lidc(path)
    for file in _json_files(path):
        if OPENS_LIKE_LIDC.match(_opening(file)):
            _refuse_lidc(file)


def _opening(file):
    try:
        with open(file, encoding="utf-8-sig", errors="replace") as opened:
            return opened.read(OPENING)
    except OSError:
        return ""  # which is left to the reader's error


def _json_files(path):
    """Return the files that a path may mean, unless they are of another kind."""
    if isinstance(path, list | tuple):
        return [one for one in path if Path(one).is_file()]
    return sorted(Path(path).glob("*.json")) if Path(path).is_dir() else [path]


def _look_into(path, format):
    """Return the format, and the JSON documents that it was told by."""
    if isinstance(path, list | tuple):
        files, format = path, format or PER_RATER
    elif Path(path).is_dir():
        format = format or _format_of_folder(Path(path))
        files = Path(path).glob("*.json") if format == PER_RATER else ()
    elif format in (YOLO, LIDC, PER_RATER):
        return format, []
    else:
        (document,) = documents = [_document(Path(path))]
        return format or _format_of_document(path, document), documents
    documents = [_document(Path(file)) for file in files]
    return LIDC if any(map(_is_lidc, documents)) else format, documents


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
        f"Folder '{path}' holds neither COCO files (.json), one per rater, nor folders "
        "of YOLO files (.txt), one per rater. If it is the folder of a single rater, "
        "choose the one above."
    )


def _format_of_document(path, document):
    if "images" in document or "annotations" in document:
        images = [e for e in _entries([document], "images") if isinstance(e, dict)]
        if images and not any("rater_list" in entry for entry in images):
            raise KalosError(
                f"File '{path}' is COCO without raters: no image has a 'rater_list'. "
                "Choose the folder, or list the files, that hold one such file for "
                "each rater."
            )
        return COCO
    if _is_lidc(document):
        return LIDC
    raise KalosError(
        f"File '{path}' is neither COCO (with 'images' and 'annotations') nor LIDC."
    )


def _is_lidc(document):
    scans = list(document.values())
    return bool(scans) and all(isinstance(s, dict) and "annotators" in s for s in scans)


def _read_coco(path, documents, shapes, on_unassigned):
    shapes = shapes or _shapes_in(documents)
    read = read_coco(path, shapes=shapes, on_unassigned=on_unassigned)
    (document,) = documents
    names = [entry["file_name"] for entry in document["images"]]
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise KalosError(
            f"file '{path}': image {twice!r} appears twice, and images are matched by "
            "their file_name. Give each one its own, with its folder if need be."
        )
    return Source(read, COCO, shapes, len(document["annotations"]) - len(read))


def _read_per_rater(path, documents, shapes, _):
    shapes = shapes or _shapes_in(documents)
    return Source(read_coco_per_rater(path, shapes=shapes), PER_RATER, shapes)


def _read_yolo(path, _, shapes, __):
    if shapes not in (None, "boxes"):
        raise KalosError(f"YOLO files hold boxes; shapes={shapes!r} cannot be read.")
    return Source(read_yolo(path), YOLO, "boxes")


def _refuse_lidc(path, *_):
    raise KalosError(
        f"'{path}' holds volumes (LIDC), and labels of single images are imported so "
        "far. In Python kalos_core.read_lidc reads it."
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
    found = _entries(documents, "annotations")
    keys = {"keypoints": "keypoints", "polygons": "segmentation"}
    for shapes, key in keys.items():
        if found and all(
            isinstance(entry, dict) and _is_filled_list(entry.get(key))
            for entry in found
        ):
            return shapes
    return "boxes"


def _entries(documents, key):
    """Return the lists of documents; what is no list is left to the reader's error."""
    lists = (document.get(key) for document in documents)
    return [entry for one in lists if isinstance(one, list) for entry in one]


def _is_filled_list(value):
    return isinstance(value, list) and len(value) > 0


def _document(path):
    with naming(path):
        return read_json(path)


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
