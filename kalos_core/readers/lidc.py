"""The reference's JSON of LIDC-IDRI: scans, reading sessions, stacks of contours."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..arrays import FloatArray, IntArray
from ..checks import shown
from ..errors import AnnotationError, KalosError, KalosWarning
from ..geometry import Volumes
from .document import (
    as_float,
    as_list,
    as_object,
    as_path,
    naming,
    read_json,
    size_of,
)
from .table import Table

NODULE = "nodule"


def read_lidc(
    path: str | Path, *, grid: tuple[int, int, int] = (128, 128, 128)
) -> Annotations:
    """Return the nodules of an LIDC-IDRI file as volumes; a scan is an image.

    As in the reference, x and y are relative to the slice, z to the range of all
    contours of the scan, and contours of fewer than three points count for that range
    only. Unlike there, contours with ``"hole": true`` or LIDC's ``"inclusion": false``
    are cut out, and nodules that are marked by points only, those below 3 mm, are left
    out with a warning, as the paper does.

    Parameters
    ----------
    path : the file.
    grid : depth, height and width of the voxel grid to compare nodules on.
    """
    path = as_path(path)
    three = isinstance(grid, tuple | list) and len(grid) == 3
    if not three or any(type(n) is not int or n < 1 for n in grid):
        raise KalosError(f"grid must be three positive whole numbers, got {grid!r}")
    with naming(path) as source:
        table, size = _read_rows(read_json(path))
        geometry = _volumes(table, np.array(size, dtype=np.float64), grid)
        marked = [crop.size == 0 for crop in geometry.crops]
        if any(marked):
            warnings.warn(
                f"file '{path}': left out {sum(marked)} nodules that are marked by "
                "points only, without a contour of three points",
                KalosWarning,
                stacklevel=2,
            )
            geometry = geometry.take(np.flatnonzero(np.logical_not(marked)))
            table.remove(marked)
        return table.annotations(geometry, [NODULE], source)


def _read_rows(
    document: dict[str, Any],
) -> tuple[Table, list[tuple[float, float]]]:
    """Return one row per nodule, and the sizes of the scans' slices."""
    table, size = Table(list(document), []), []
    for n, (image, value) in enumerate(document.items()):
        scan = as_object(value, f"image {image!r}")
        size.append(size_of(scan, image))
        if "annotators" not in scan:
            raise AnnotationError(f"image {image!r} has no 'annotators'", image=image)
        raters = as_object(scan["annotators"], f"annotators of image {image!r}")
        table.persons.append({rater: rater for rater in raters})
        for rater, nodules in raters.items():
            what = f"the nodules of {rater!r} in image {image!r}"
            for number, nodule in enumerate(as_list(nodules, what)):
                as_object(nodule, f"number {number} of {what}")
                table.add(n, rater, NODULE, f"{rater}/{number}", nodule)
    return table, size


def _volumes(table: Table, size: FloatArray, grid: tuple[int, int, int]) -> Volumes:
    """Return the nodules as voxels."""
    owner, outlines, heights, holes = [], [], [], []
    for row, contours in enumerate(table.lists("contours")):
        for contour in contours:
            try:
                outlines.append(_outline(contour))
                heights.append([_height(contour)])
                holes.append(_is_hole(contour))
            except AnnotationError as error:
                raise table.error(row, str(error)) from error
            owner.append(row)
    z = table.finite(heights, owner, "a z_position")
    flat = table.finite(outlines, owner, "contours").reshape(-1, 2)
    image = np.array(table.image, dtype=np.int64)[np.array(owner, dtype=np.int64)]
    lengths = np.array([len(outline) for outline in outlines], dtype=np.int64) // 2
    points = flat / size.reshape(-1, 2)[np.repeat(image, lengths)]
    outside = ((points < 0) | (points > 1)).any(axis=1)
    if outside.any():
        first = int(outside.argmax())
        raise table.error(
            owner[int(np.repeat(np.arange(len(owner)), lengths)[first])],
            "must have contours inside the slice, got the point "
            f"{flat[first].tolist()}",
        )
    contours = np.split(points, np.cumsum(lengths)[:-1]) if outlines else []
    z = _relative(z, image, len(table.images))
    return Volumes.from_contours(contours, z, holes, owner, len(table), grid)


def _outline(contour: Any) -> list[Any]:
    """Return the coordinates of a contour, x and y in turn."""
    if not isinstance(contour, dict) or not isinstance(contour.get("points"), list):
        raise AnnotationError(
            f"must have contours with z_position and points, got {shown(contour)}"
        )
    points = contour["points"]
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise AnnotationError(f"must have points [x, y], got {shown(point)}")
    return [value for point in points for value in point]


def _height(contour: dict[str, Any]) -> Any:
    """Return the z of a contour; as text, too, as LIDC's XML has it."""
    z = contour.get("z_position")
    if isinstance(z, str):
        try:
            return as_float(z)
        except ValueError:
            pass  # left to the check of all numbers
    elif z is None:
        raise AnnotationError("has a contour with no 'z_position'")
    return z


def _is_hole(contour: dict[str, Any]) -> bool:
    """Return whether a contour is cut out."""
    hole, inclusion = contour.get("hole", False), contour.get("inclusion", True)
    if isinstance(inclusion, str) and inclusion.upper() in ("TRUE", "FALSE"):
        inclusion = inclusion.upper() == "TRUE"
    if not isinstance(hole, bool) or not isinstance(inclusion, bool):
        raise AnnotationError(
            "must have true or false as hole and as inclusion of a contour, got "
            f"{shown(hole)} and {shown(inclusion)}"
        )
    return hole or not inclusion


def _relative(z: FloatArray, image: IntArray, n_images: int) -> FloatArray:
    """Return z relative to the range of its scan; 0 where there is one slice only."""
    z = z / 2  # no range of floats overflows then
    low, high = np.full(n_images, np.inf), np.full(n_images, -np.inf)
    np.minimum.at(low, image, z)
    np.maximum.at(high, image, z)
    extent = (high - low)[image]
    relative: FloatArray = (z - low[image]) / np.where(extent > 0, extent, 1)
    return relative
