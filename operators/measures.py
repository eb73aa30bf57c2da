"""Which shapes and distances fit the labels of a layout, and which are the default."""

from ..kalos_core import COSTS, DISTANCES, SOLVERS, Configuration, KalosError
from .parameters import choice, number
from .schema import label_list, labels_path
from .shapes import READINGS

LOOK_AT = 20
"""Samples looked at to tell whether detections have masks."""

USUAL_TAU = 0.5
"""Half of two objects overlap: the customary threshold of IoU."""

RELATIVE_TAU = 0.08
"""Part of the image's diagonal; what the paper found for poses."""

TAKES = {
    "shapes": choice(READINGS),
    "d_loc": choice(DISTANCES, "distance"),
    "tau": number(0, 1, USUAL_TAU, "a distance between 0 and 1"),
    "solver": choice(SOLVERS),
    "psi": choice(COSTS, "cost"),
    "tau_s": number(0, 1, USUAL_TAU),
    "farthest": number(0, 1, RELATIVE_TAU),
}
"""The rules of all parameters that say how labels are compared."""


def configure(
    view, layout, d_loc=None, tau=None, solver="greedy", psi="soft", shapes=None
):
    """Return the `Configuration` and the shapes to read, for a layout that was checked.

    Raises
    ------
    KalosError
        If a choice is unknown or does not fit the labels.
    """
    shapes = choose_shapes(view, layout, shapes, d_loc)
    d_loc = choose_distance(shapes, d_loc)
    tau = usual_tau(d_loc) if tau is None else tau
    return Configuration(d_loc, tau, solver, psi), shapes


def choose_shapes(view, layout, shapes=None, d_loc=None):
    """Return what to read labels as: as asked, as ``d_loc`` needs, or the default."""
    possible = _readable(view, layout)
    if shapes is not None:
        if shapes not in possible:
            raise KalosError(
                f"Field '{layout.label_fields[0]}' can be read as "
                f"{' or '.join(possible)}, not as {shapes}."
            )
        return shapes
    if d_loc is not None:
        measured = [name for name in possible if _measures(d_loc, name)]
        if not measured:
            fit = [d for name in possible for d in distances(name)]
            raise KalosError(
                f"Distance '{d_loc}' does not measure {' or '.join(possible)}, which "
                f"is what field '{layout.label_fields[0]}' holds. Distances that fit "
                f"are: {', '.join(fit)}."
            )
        possible = measured
    if len(possible) == 1:
        return possible[0]
    return next(name for name in offered_shapes(view, layout) if name in possible)


def outlined(view, layout):
    """Return what to read labels as where only their outlines matter: no masks."""
    return next(name for name in _readable(view, layout) if name != "masks")


def choose_distance(shapes, d_loc=None):
    """Return the distance asked for, or the first that fits."""
    fit = distances(shapes)
    if d_loc is None:
        return fit[0]
    if not _measures(d_loc, shapes):
        raise KalosError(
            f"Distance '{d_loc}' does not measure {shapes}. Distances that fit are: "
            f"{', '.join(fit)}."
        )
    return d_loc


def offered_shapes(view, layout):
    """Return what to offer to read labels as, the default first.

    Masks are offered where the first samples have any or no label at all; they are the
    default where all labels there have one.
    """
    possible = _readable(view, layout)
    if "masks" not in possible:
        return possible
    n_labels, n_masks = _count_masks(view, layout)
    if n_labels and not n_masks:
        return [name for name in possible if name != "masks"]
    first = "masks" if n_labels and n_masks == n_labels else "boxes"
    return sorted(possible, key=lambda name: name != first)


def distances(shapes):
    """Return the distances that measure these shapes, the default first."""
    return [d_loc for d_loc in DISTANCES if _measures(d_loc, shapes)]


def usual_tau(d_loc):
    """Return a threshold to begin with; a calibration finds a better one."""
    return RELATIVE_TAU if DISTANCES[d_loc].relative else USUAL_TAU


def _measures(d_loc, shapes):
    return issubclass(READINGS[shapes].geometry, DISTANCES[d_loc].shapes)


def _readable(view, layout):
    held = label_list(view, layout.label_fields[0]) if layout.label_fields else None
    return [name for name, way in READINGS.items() if way.label_list is held]


def _count_masks(view, layout):
    """Return how many labels the first samples have, and how many have a mask.

    The data set's own first samples, not the view's: a view may have to look through
    everything to find its first.
    """
    dataset = view._root_dataset
    paths = [labels_path(view, name) for name in layout.label_fields]
    lists = [{"$ifNull": [f"${path}", []]} for path in paths]
    has_mask = {
        "$or": [
            {"$gt": [f"$$label.{attribute}", None]}
            for attribute in ("mask", "mask_path")
        ]
    }
    masks = [
        {"$filter": {"input": labels, "as": "label", "cond": has_mask}}
        for labels in lists
    ]
    pipeline = [
        {"$limit": LOOK_AT},
        {
            "$group": {
                "_id": None,
                "labels": {"$sum": {"$sum": [{"$size": labels} for labels in lists]}},
                "masks": {"$sum": {"$sum": [{"$size": labels} for labels in masks]}},
            }
        },
    ]
    found = next(iter(dataset._sample_collection.aggregate(pipeline)), None)
    return (found["labels"], found["masks"]) if found else (0, 0)
