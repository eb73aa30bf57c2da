"""Images that a file names, and the files that they are: matched, never guessed."""

import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..kalos_core import KalosError

MOST_SHOWN = 3


@dataclass(frozen=True)
class Matching:
    """For each image the number of its file, None where there is none.

    ``other_folder`` are the images that were matched though the name has a folder that
    the file is not in.
    """

    file_of: tuple
    other_folder: tuple


def match_images(images, files, names_are_stems=False):
    """Match names of images to paths of files.

    A name that one image and one file have matches, whatever their folders. Among
    several the folders in the image's name decide.

    Raises
    ------
    KalosError
        If a name fits several files, or a file several images.
    """
    named = [_parts(image) for image in images]
    paths = [_parts(file, names_are_stems) for file in files]
    files_of, images_of = _by_last(paths), _by_last(named)
    file_of, other_folder = [None] * len(images), []
    for last, numbers in images_of.items():
        there = files_of.get(last, [])
        if len(numbers) == len(there) == 1:
            file_of[numbers[0]] = there[0]
            if not _ends_with(paths[there[0]], named[numbers[0]]):
                other_folder.append(images[numbers[0]])
            continue
        for number in numbers:
            fits = [file for file in there if _ends_with(paths[file], named[number])]
            if len(fits) > 1:
                raise _several("image", images[number], [files[f] for f in fits])
            file_of[number] = fits[0] if fits else None
    _check_once(images, files, file_of)
    return Matching(tuple(file_of), tuple(other_folder))


def _parts(path, without_ending=False):
    """Return folders and name of a path; one form for equal looking letters."""
    text = unicodedata.normalize("NFC", str(path).replace("\\", "/"))
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    if without_ending and parts:
        return (*parts[:-1], PurePosixPath(parts[-1]).stem)
    return parts


def _by_last(paths):
    found = defaultdict(list)
    for number, parts in enumerate(paths):
        found[parts[-1:]].append(number)
    found.pop((), None)  # a name without any letter is nobody's
    return found


def _ends_with(path, end):
    return path[len(path) - len(end) :] == end if len(end) <= len(path) else False


def _check_once(images, files, file_of):
    first = {}
    for image, file in zip(images, file_of, strict=True):
        if file is not None and first.setdefault(file, image) != image:
            raise _several("file", files[file], [first[file], image])


def _several(what, name, found):
    shown = ", ".join(f"'{one}'" for one in found[:MOST_SHOWN])
    more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    return KalosError(
        f"The {what} '{name}' could be any of {shown}{more}, and none is taken at "
        "random. Put the folder into the names of the file, as in 'train/001.jpg'."
    )
